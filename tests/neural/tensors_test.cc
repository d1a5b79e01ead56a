#include "rhc/neural/tensors.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

TEST(Tensors, ColumnsBecomeRowsAndBack) {
  const Matrix m{{1, 2, 3}, {4, 5, 6}};
  const Tensor rows = rows_of(m, at::kCPU);
  EXPECT_EQ(rows.sizes(), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(rows[2][1].item<float>(), 6);
  EXPECT_EQ(columns_of(rows), m);
}

TEST(Tensors, ArchiveKeepsEveryBitAndTheShape) {
  RandomStream randomness(1, "values");
  const Tensor values = normals({3, 4, 5}, randomness, at::kCPU) * 1e-20;
  NamedValues archive;
  put(archive, "t", values);
  Tensor back = at::zeros({3, 4, 5});
  take(archive, "t", back);
  EXPECT_TRUE(back.equal(values));
  Tensor smaller = at::zeros({3, 4});
  EXPECT_THROW(take(archive, "t", smaller), InputError);
}

TEST(Tensors, RandomNumbersHaveTheirMoments) {
  RandomStream randomness(2, "values");
  const Tensor n = normals({20000}, randomness, at::kCPU);
  EXPECT_NEAR(n.mean().item<double>(), 0, 0.03);
  EXPECT_NEAR(n.std().item<double>(), 1, 0.03);
  const Tensor u = uniforms({20000}, randomness, at::kCPU);
  EXPECT_NEAR(u.square().mean().item<double>(), 1.0 / 3, 0.02);
  const Tensor k = integers_below(7, 20000, randomness, at::kCPU);
  EXPECT_EQ(k.min().item<int>(), 0);
  EXPECT_EQ(k.max().item<int>(), 6);
}

TEST(Device, IsOnOneThread) {
  EXPECT_EQ(device_named("cpu"), at::Device(at::kCPU));
  EXPECT_EQ(at::get_num_threads(), 1);
}

TEST(Device, ThatIsNotThereIsRefused) {
  EXPECT_THROW(device_named("tpu"), InputError);
  if (at::hasCUDA()) return;
  const std::string message = message_of<InputError>([] { device_named("cuda"); });
  EXPECT_NE(message.find("device=cpu"), std::string::npos) << message;
}

}  // namespace
}  // namespace rhc
