// A cart that is pushed, and a model that was learned of it: affine, and nearly right.
#pragma once

#include <vector>

#include "rhc/control/controller.h"
#include "rhc/system/system.h"

namespace rhc {

struct PushedCart {
  double force = 0;  // added to the action
  Vector rate{};

  SystemSpec spec() const {
    SystemSpec cart{.name = "cart",
                    .title = "cart",
                    .state = {{"position", "m"}, {"speed", "m/s"}},
                    .observation = {{"position", "m"}, {"speed", "m/s"}},
                    .action = {{"force", "N"}},
                    .angles = {},
                    .action_bounds = {Vector::Constant(1, -1), Vector::Constant(1, 1)},
                    .limits = Box::unbounded(2),
                    .time_step = 0.1,
                    .horizon = 30,
                    .start = Eigen::Vector2d(1, 0),
                    .region = {Vector::Constant(2, -1), Vector::Constant(2, 1)},
                    .task = {.target = Vector::Zero(2),
                             .weight = Eigen::Vector2d(1, 0.1),
                             .action_weight = Vector::Constant(1, 0.05)}};
    cart.safety.rate = rate;
    return cart;
  }
  Vector step(const Vector& x, const Vector& u) const {
    return Eigen::Vector2d(x[0] + 0.1 * x[1], 0.95 * x[1] + 0.2 * (u[0] + force));
  }
};

// Of a cart whose actions act so many steps late.
inline DynamicsModel learned_cart(Index history = 1, double noise = 1e-3, Index late = 0) {
  RandomStream randomness(1, "learned cart");
  const Index n = 3 * history;
  FourierFeatures features = draw_features(8, n, RandomStream(1, "draw"));
  features.centre = Vector::Zero(n);
  features.scale = Vector::Ones(n);
  BayesianLinearModel posterior(
      features, {Vector::Constant(n, 20), 10, Vector::Constant(2, noise / 0.1), 1e-4},
      {Vector::Zero(2), Vector::Constant(2, 0.1)});
  const PushedCart cart;
  std::vector<Transitions> episodes;
  for (int episode = 0; episode < 10; ++episode) {
    Matrix seen(2, 31), actions(1, 30);
    seen.col(0) = 0.5 * randomness.normals(2);
    for (Index t = 0; t < 30; ++t) {
      actions(0, t) = randomness.uniform(-1, 1);
      const Vector acts = t < late ? Vector(Vector::Zero(1)) : Vector(actions.col(t - late));
      seen.col(t + 1) = cart.step(seen.col(t), acts) + 0.1 * noise * randomness.normals(2);
    }
    episodes.push_back(transitions_of({seen, actions}, Box::unbounded(2), history));
  }
  const Transitions all = concatenate(episodes);
  posterior.learn(all);
  DynamicsModel model(
      posterior,
      {.observed = 2, .acted = 1, .history = history, .action_at_rest = Vector::Zero(1)});
  model.noise = NoiseSplit{Vector::Constant(2, noise), Vector::Constant(2, noise)};
  return model;
}

}  // namespace rhc
