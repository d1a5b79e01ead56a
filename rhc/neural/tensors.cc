#include "rhc/neural/tensors.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <vector>

#include "rhc/core/error.h"

namespace rhc {

namespace {

using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Draw>
Tensor drawn(at::IntArrayRef shape, at::Device device, const Draw& draw) {
  Tensor values = at::empty(shape, at::kFloat);
  float* const data = values.data_ptr<float>();
  for (Index i = 0; i < values.numel(); ++i) data[i] = static_cast<float>(draw());
  return values.to(device);
}

}  // namespace

at::Device device_named(const std::string& name) {
  at::set_num_threads(1);
  // OpenBLAS keeps threads of its own, of which LibTorch does not know.
  using SetThreads = void (*)(int);
  if (void* const set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
    reinterpret_cast<SetThreads>(set)(1);
  if (name == "cpu") return at::kCPU;
  if (name != "cuda") throw InputError("device '" + name + "' is neither cpu nor cuda");
  if (!at::hasCUDA())
    throw InputError(
        "device 'cuda' is not there: this LibTorch was built without it or sees no GPU; "
        "device=cpu works everywhere");
  return at::kCUDA;
}

Tensor rows_of(const ConstMatrixRef& columns, at::Device device) {
  Tensor rows = at::empty({columns.cols(), columns.rows()}, at::kFloat);
  Eigen::Map<FloatMatrix>(rows.data_ptr<float>(), columns.cols(), columns.rows()) =
      columns.transpose().cast<float>();
  return rows.to(device);
}

Matrix columns_of(const Tensor& rows) {
  const Tensor host = rows.detach().to(at::kCPU).contiguous();
  return Eigen::Map<const FloatMatrix>(host.data_ptr<float>(), host.size(0), host.size(1))
      .cast<double>()
      .transpose();
}

Tensor normals(at::IntArrayRef shape, RandomStream& randomness, at::Device device) {
  return drawn(shape, device, [&] { return randomness.normal(); });
}

Tensor uniforms(at::IntArrayRef shape, RandomStream& randomness, at::Device device) {
  return drawn(shape, device, [&] { return randomness.uniform(-1, 1); });
}

Tensor integers_below(Index limit, Index count, RandomStream& randomness, at::Device device) {
  Tensor values = at::empty({count}, at::kLong);
  auto* const data = values.data_ptr<std::int64_t>();
  for (Index i = 0; i < count; ++i)
    data[i] = static_cast<std::int64_t>(randomness.below(static_cast<std::uint64_t>(limit)));
  return values.to(device);
}

void put(NamedValues& archive, const std::string& name, const Tensor& values) {
  archive.put(name, columns_of(values.reshape({1, -1})));
}

void take(const NamedValues& archive, const std::string& name, Tensor& values) {
  const at::NoGradGuard no_gradient;
  const Matrix& kept = archive.matrix(name, values.numel(), 1);
  values.copy_(rows_of(kept, at::kCPU).reshape(values.sizes()));
}

}  // namespace rhc
