#include "rhc/neural/adam.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rhc {
namespace {

Network small_network() {
  RandomStream randomness(1, "network");
  return Network({1, {2, 1}}, randomness, at::kCPU);
}

// A bowl whose gradient is (parameters - 1) times a weight that differs from entry to entry.
Tensor bowl(const Network& network) {
  const Tensor all = at::cat({network.parts()[0].flatten(), network.parts()[1].flatten()});
  return ((all - 1).square() * at::tensor({1.0F, 10.0F, 100.0F})).sum() / 2;
}

TEST(Adam, FollowsThePublishedRule) {
  Network network = small_network();
  Vector expected = columns_of(network.parameters().unsqueeze(0));
  const Vector weight{{1, 10, 100}};
  Vector mean = Vector::Zero(3), square = Vector::Zero(3);
  Adam adam(network, {.rate = 0.01});
  for (int t = 1; t <= 50; ++t) {
    adam.descend(bowl(network), network);
    const Vector gradient = weight.cwiseProduct(expected - Vector::Ones(3));
    mean = 0.9 * mean + 0.1 * gradient;
    square = 0.999 * square + 0.001 * gradient.cwiseAbs2();
    const Vector m = mean / (1 - std::pow(0.9, t)), v = square / (1 - std::pow(0.999, t));
    expected -= 0.01 * m.cwiseQuotient((v.cwiseSqrt().array() + 1e-8).matrix());
  }
  EXPECT_LT((columns_of(network.parameters().unsqueeze(0)) - expected).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Adam, ClipsEveryEntryOfAGradient) {
  // Clipped entries are alike, so that the second step is as long as the first although the
  // gradient has become 1000 times as large.
  Network network = small_network();
  Adam adam(network, {.rate = 0.01, .clip = 1e-3});
  const Tensor before = network.parameters().clone();
  adam.descend(bowl(network) * 1e3, network);
  adam.descend(bowl(network) * 1e6, network);
  const Tensor moved = (network.parameters() - before).abs();
  EXPECT_NEAR(moved.max().item<double>(), 0.02, 1e-5);
  EXPECT_NEAR(moved.min().item<double>(), 0.02, 1e-5);
}

TEST(ScalarAdam, IsAdamOfOneNumber) {
  RandomStream randomness(1, "network");
  Network network({1, {1, 1}}, randomness, at::kCPU);
  Adam adam(network, {.rate = 0.05});
  ScalarAdam scalar{.rate = 0.05};
  double value = network.parts()[0].item<double>();
  for (int t = 0; t < 30; ++t) {
    adam.descend(network.parts()[0].square().sum() + network.parts()[1].sum() * 0, network);
    scalar.descend(2 * value, value);
  }
  EXPECT_NEAR(network.parts()[0].item<double>(), value, 1e-5);
}

TEST(Adam, GoesOnFromAnArchive) {
  Network network = small_network(), other = small_network();
  Adam adam(network, {.rate = 0.01});
  for (int t = 0; t < 5; ++t) adam.descend(bowl(network), network);
  NamedValues archive;
  adam.save(archive, "adam");
  network.save(archive, "network");
  Adam again(other, {.rate = 0.01});
  again.restore(archive, "adam");
  other.restore(archive, "network");
  adam.descend(bowl(network), network);
  again.descend(bowl(other), other);
  EXPECT_TRUE(network.parameters().equal(other.parameters()));
}

}  // namespace
}  // namespace rhc
