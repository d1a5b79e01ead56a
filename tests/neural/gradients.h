// Gradients against finite differences.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "rhc/neural/network.h"

namespace rhc {

// Along random directions in the network's parameters. Single precision: a step of 1e-2 leaves
// about four digits.
inline void expect_gradient_of(const std::function<Tensor()>& loss, Network& network,
                               RandomStream randomness) {
  const Tensor gradient = network.gradient(loss());
  const at::NoGradGuard no_gradient;
  for (int i = 0; i < 5; ++i) {
    Tensor direction = normals({gradient.numel()}, randomness, at::kCPU);
    direction /= direction.norm();
    constexpr double kStep = 1e-2;
    network.parameters() += direction * kStep;
    const double above = loss().item<double>();
    network.parameters() -= direction * (2 * kStep);
    const double below = loss().item<double>();
    network.parameters() += direction * kStep;
    const double slope = gradient.dot(direction).item<double>();
    EXPECT_NEAR((above - below) / (2 * kStep), slope, 2e-3 * gradient.norm().item<double>() + 1e-5)
        << "direction " << i;
  }
}

}  // namespace rhc
