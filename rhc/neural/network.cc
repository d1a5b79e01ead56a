#include "rhc/neural/network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <utility>

#include "rhc/core/error.h"

namespace rhc {

NetworkShape network_shape(Index members, Index inputs, const std::vector<Index>& hidden,
                           Index outputs, Activation activation) {
  NetworkShape shape{members, {inputs}, activation};
  shape.widths.insert(shape.widths.end(), hidden.begin(), hidden.end());
  shape.widths.push_back(outputs);
  return shape;
}

std::string NetworkShape::text() const {
  return fmt::format("{} x {} {}", members, fmt::join(widths, "-"),
                     activation == Activation::relu    ? "relu"
                     : activation == Activation::swish ? "swish"
                                                       : "sine");
}

void put_shape(NamedValues& archive, const std::string& name, const NetworkShape& shape) {
  archive.put_text(name + "/shape", shape.text());
}

void check_shape(const NamedValues& archive, const std::string& name, const NetworkShape& shape) {
  const std::string& kept = archive.text(name + "/shape");
  if (kept != shape.text())
    throw InputError(fmt::format(
        "the checkpoint's network '{}' is {}, but the settings ask for {}; go on with the settings "
        "it was trained with, or begin a new run",
        name, kept, shape.text()));
}

Network::Network(NetworkShape shape, RandomStream& randomness, at::Device device)
    : shape_(std::move(shape)) {
  const std::vector<Index>& widths = shape_.widths;
  const Index m = shape_.members;
  std::vector<Tensor> values;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    const double bound = 1 / std::sqrt(static_cast<double>(widths[l]));
    values.push_back(uniforms({m, widths[l], widths[l + 1]}, randomness, at::kCPU) * bound);
    values.push_back(uniforms({m, 1, widths[l + 1]}, randomness, at::kCPU) * bound);
  }
  std::vector<Tensor> flat;
  for (const Tensor& value : values) flat.push_back(value.flatten());
  parameters_ = at::cat(flat).to(device);
  Index begin = 0;
  for (const Tensor& value : values) {
    // A single network is spared the loop over members.
    const std::vector<Index> size = m == 1 ? value.sizes().slice(1).vec() : value.sizes().vec();
    parts_.push_back(
        parameters_.narrow(0, begin, value.numel()).view(size).detach().set_requires_grad(true));
    begin += value.numel();
  }
}

Tensor Network::operator()(const Tensor& inputs) const {
  Tensor x = inputs;
  for (std::size_t i = 0; i < parts_.size(); i += 2) {
    x = shape_.members == 1 ? at::addmm(parts_[i + 1], x, parts_[i])
                            : at::baddbmm(parts_[i + 1], x, parts_[i]);
    if (i + 2 == parts_.size()) break;
    x = shape_.activation == Activation::relu    ? at::relu(x)
        : shape_.activation == Activation::swish ? at::silu(x)
                                                 : at::sin(x);
  }
  return x;
}

Tensor Network::gradient(const Tensor& loss) const {
  std::vector<Tensor> parts = torch::autograd::grad({loss}, parts_);
  for (Tensor& part : parts) part = part.reshape({-1});
  return at::cat(parts);
}

bool Network::finite() const { return parameters_.isfinite().all().item<bool>(); }

void Network::approach(const Network& other, double share) {
  parameters_.lerp_(other.parameters_, share);
}

void Network::save(NamedValues& archive, const std::string& name) const {
  put_shape(archive, name, shape_);
  put(archive, name + "/parameters", parameters_);
}

void Network::restore(const NamedValues& archive, const std::string& name) {
  check_shape(archive, name, shape_);
  take(archive, name + "/parameters", parameters_);
}

}  // namespace rhc
