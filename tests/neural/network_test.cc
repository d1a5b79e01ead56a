#include "rhc/neural/network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/core/error.h"
#include "rhc/store/archive.h"
#include "tests/neural/gradients.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

Network make_network(NetworkShape shape, std::uint64_t seed = 1) {
  RandomStream randomness(seed, "network");
  return Network(std::move(shape), randomness, at::kCPU);
}

// The same by Eigen, for one member.
Matrix evaluate(const Network& network, Index member, Matrix x) {
  const auto& parts = network.parts();
  const bool one = network.shape().members == 1;
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    const Matrix weight = columns_of(one ? parts[i] : parts[i][member]);
    const Vector bias = columns_of(one ? parts[i + 1] : parts[i + 1][member]);
    x = (weight * x).colwise() + bias;
    if (i + 2 == parts.size()) break;
    x = x.unaryExpr([&](double v) {
      return network.shape().activation == Activation::relu ? std::max(v, 0.0)
                                                            : v / (1 + std::exp(-v));
    });
  }
  return x;
}

TEST(Network, EvaluatesEveryMember) {
  RandomStream randomness(2, "inputs");
  for (const Activation activation : {Activation::relu, Activation::swish})
    for (const Index members : {1, 3}) {
      const Network network = make_network({members, {4, 7, 5, 2}, activation});
      const Tensor x = normals({members, 6, 4}, randomness, at::kCPU);
      const Tensor y = network(members == 1 ? x[0] : x);
      for (Index m = 0; m < members; ++m)
        EXPECT_LT((columns_of(members == 1 ? y : y[m]) - evaluate(network, m, columns_of(x[m])))
                      .cwiseAbs()
                      .maxCoeff(),
                  1e-5)
            << network.shape().text() << " member " << m;
    }
}

TEST(Network, MembersBeginDifferently) {
  const Network network = make_network({2, {3, 8, 1}});
  const Tensor y = network(at::ones({2, 1, 3}));
  EXPECT_NE(y[0].item<float>(), y[1].item<float>());
}

TEST(Network, GradientsAreThoseOfFiniteDifferences) {
  for (const Index members : {1, 3}) {
    Network network = make_network({members, {4, 6, 5, 2}, Activation::swish});
    RandomStream randomness(3, "inputs");
    const Tensor x = normals({members, 8, 4}, randomness, at::kCPU);
    const Tensor input = members == 1 ? x[0] : x;
    expect_gradient_of([&] { return network(input).square().mean(); }, network, randomness);
  }
}

TEST(Network, ApproachesAnotherByAShare) {
  Network slow = make_network({1, {1, 1}}, 1);
  const Network fast = make_network({1, {1, 1}}, 2);
  const double before = slow.parts()[0].item<double>(), goal = fast.parts()[0].item<double>();
  slow.approach(fast, 0.005);
  EXPECT_NEAR(slow.parts()[0].item<double>(), 0.995 * before + 0.005 * goal, 1e-7);
  slow.approach(fast, 1);
  EXPECT_TRUE(slow.parameters().equal(fast.parameters()));
}

TEST(Network, RefusesAnArchiveOfAnotherShapeAndNamesBoth) {
  NamedValues archive;
  make_network({2, {4, 64, 64, 1}}).save(archive, "critics");
  Network network = make_network({2, {4, 32, 32, 1}});
  const std::string message = message_of<InputError>([&] { network.restore(archive, "critics"); });
  EXPECT_NE(message.find("2 x 4-64-64-1 relu"), std::string::npos) << message;
  EXPECT_NE(message.find("2 x 4-32-32-1 relu"), std::string::npos) << message;
  EXPECT_NE(message.find("'critics'"), std::string::npos) << message;
}

TEST(Network, ComesBackFromAnArchiveToTheLastBit) {
  const Network network = make_network({3, {4, 9, 2}, Activation::swish});
  NamedValues archive;
  network.save(archive, "n");
  Network other = make_network({3, {4, 9, 2}, Activation::swish}, 5);
  other.restore(parse_archive(archive_bytes(archive), "test"), "n");
  EXPECT_TRUE(network.parameters().equal(other.parameters()));
}

}  // namespace
}  // namespace rhc
