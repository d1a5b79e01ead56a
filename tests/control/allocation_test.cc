#include <gtest/gtest.h>

#include <limits>

#include "rhc/control/controller.h"
#include "rhc/system/pendulum.h"
#include "tests/control/learned_cart.h"
#include "tests/count_allocations.h"

namespace rhc {
namespace {

// By whatever is measured, with learning, and with a target that moves.
int allocations_of_a_run(const DynamicsModel& model, const System& system, const SystemSpec& spec,
                         ControlSettings settings) {
  settings.learn = true;
  Controller controller(model, spec, settings);
  Vector state = spec.start;
  Vector seen = system.observe(state);
  controller.start(seen);
  TaskCost moving = spec.task;
  moving.reference = spec.task.target.replicate(1, 40);
  moving.reference.row(0) *= 0.9;
  int total = 0, planned = 0, learned = 0;
  const Clock clock = [] { return 0.0; };
  for (int t = 0; t < 60; ++t) {
    if (t == 20) controller.aim(moving);
    if (t % 17 == 5) seen.setConstant(std::numeric_limits<double>::quiet_NaN());
    if (t > 50) seen.array() += 1e6;
    total += allocations_of([&] {
      controller.act(t % 13 == 7 ? nullptr : &seen);
      controller.prepare(Deadline::in(clock, 1.0));
    });
    planned += controller.last().planned;
    learned += controller.last().learned;
    state = system.step(state, controller.last().action);
    seen = system.observe(state);
  }
  EXPECT_GT(planned, 50);
  EXPECT_GT(learned, 20);
  return total;
}

TEST(ControllerAllocations, AreNoneAfterTheStart) {
  for (const Index history : {1, 3})
    for (const bool limited : {false, true}) {
      PushedCart cart;
      if (limited) cart.rate = Vector::Constant(1, 2);
      SystemSpec spec = cart.spec();
      spec.limits.lower[1] = -0.3;
      EXPECT_EQ(allocations_of_a_run(learned_cart(history), cart, spec, {}), 0)
          << "history " << history << (limited ? ", limited rate" : "");
    }
}

// A model of its own for each output, angles, and more features than the cart has.
TEST(ControllerAllocations, AreNoneWithAnglesAndSeparateOutputs) {
  const Pendulum pendulum;
  const SystemSpec spec = System(pendulum).spec();
  const Index n = 4;
  RandomStream randomness(1, "pendulum");
  Matrix inputs(n, 400), outputs(3, 400);
  const System system = pendulum;
  for (Index t = 0; t < 400; ++t) {
    const Vector state = Eigen::Vector2d(randomness.uniform(-3, 3), randomness.uniform(-6, 6));
    const Vector action = Vector::Constant(1, randomness.uniform(-2, 2));
    inputs.col(t) << system.observe(state), action;
    outputs.col(t) = system.observe(system.step(state, action)) - system.observe(state);
  }
  std::vector<OutputGroup> groups;
  for (Index j = 0; j < 3; ++j) {
    FourierFeatures features =
        draw_features(60 + 7 * j, n, RandomStream(1, "draw", static_cast<std::uint64_t>(j)));
    features.centre = Vector::Zero(n);
    features.scale = Vector::Constant(n, 2);
    groups.push_back({{j},
                      {features,
                       {Vector::Constant(n, 4), 0.1, Vector::Constant(1, 0.02), 0.1},
                       standardization_of(outputs.row(j))}});
  }
  Regression regression(std::move(groups));
  regression.learn({inputs, outputs});
  const DynamicsModel model(regression, shape_of(spec, true));
  EXPECT_EQ(allocations_of_a_run(model, system, spec, {.horizon = 25}), 0);
}

}  // namespace
}  // namespace rhc
