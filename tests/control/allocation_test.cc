#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "rhc/control/controller.h"
#include "rhc/system/nominal.h"
#include "rhc/system/pendulum.h"
#include "tests/control/learned_cart.h"
#include "tests/count_allocations.h"

namespace rhc {
namespace {

// By whatever is measured, with learning, and with a target that moves.
int allocations_of_a_run(const DynamicsModel& model, const System& system, const SystemSpec& spec,
                         ControlSettings settings) {
  settings.learn = true;
  settings.least_doubt = 0;
  Controller controller(model, spec, settings);
  Vector state = spec.start;
  Vector seen = system.observe(state);
  controller.start(seen);
  std::deque<Vector> under_way(static_cast<std::size_t>(settings.delay), Vector::Zero(1));
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
    under_way.push_back(controller.last().action);
    state = system.step(state, under_way.front());
    under_way.pop_front();
    seen = system.observe(state);
  }
  EXPECT_GT(planned, 50);
  EXPECT_GT(learned, 15);
  return total;
}

TEST(ControllerAllocations, AreNoneAfterTheStart) {
  for (const Index history : {1, 3})
    for (const bool limited : {false, true}) {
      PushedCart cart;
      if (limited) cart.rate = Vector::Constant(1, 2);
      SystemSpec spec = cart.spec();
      spec.limits.lower[1] = -0.3;
      for (const int delay : {0, 2})
        EXPECT_EQ(allocations_of_a_run(learned_cart(history), cart, spec, {.delay = delay}), 0)
            << "history " << history << (limited ? ", limited rate" : "") << ", delay " << delay;
    }
}

struct Swings {
  Matrix before{4, 400}, changes{3, 400};
};

// A pendulum from everywhere.
Swings swings_of(const System& system) {
  RandomStream randomness(1, "pendulum");
  Swings seen;
  for (Index t = 0; t < 400; ++t) {
    const Vector state = Eigen::Vector2d(randomness.uniform(-3, 3), randomness.uniform(-6, 6));
    const Vector action = Vector::Constant(1, randomness.uniform(-2, 2));
    seen.before.col(t) << system.observe(state), action;
    seen.changes.col(t) = system.observe(system.step(state, action)) - system.observe(state);
  }
  return seen;
}

FourierFeatures features_of_swings(Index count, std::uint64_t draw) {
  FourierFeatures features = draw_features(count, 4, RandomStream(1, "draw", draw));
  features.centre = Vector::Zero(4);
  features.scale = Vector::Constant(4, 2);
  return features;
}

DynamicsModel learned_from(Regression regression, const Swings& seen, const SystemSpec& spec) {
  const Transitions all{seen.before, seen.changes};
  regression.learn(regression.known ? left_to_learn(regression.known, all) : all);
  return DynamicsModel(std::move(regression), shape_of(spec, true));
}

// A model of its own for each output, angles, and more features than the cart has.
Regression separate_outputs(const Swings& seen) {
  std::vector<OutputGroup> groups;
  for (Index j = 0; j < 3; ++j)
    groups.push_back({{j},
                      {features_of_swings(60 + 7 * j, static_cast<std::uint64_t>(j)),
                       {Vector::Constant(4, 4), 0.1, Vector::Constant(1, 0.02), 0.1},
                       standardization_of(seen.changes.row(j))}});
  return Regression(std::move(groups));
}

TEST(ControllerAllocations, AreNoneWithAnglesAndSeparateOutputs) {
  const System system = Pendulum{};
  const Swings seen = swings_of(system);
  const DynamicsModel model = learned_from(separate_outputs(seen), seen, system.spec());
  EXPECT_EQ(allocations_of_a_run(model, system, system.spec(), {.horizon = 25}), 0);
}

TEST(ControllerAllocations, AreNoneWhereSomeOfTheMotionIsKnown) {
  const System system = Pendulum{}, slower = Pendulum{.substep = 0.04, .substeps = 2};
  const Swings seen = swings_of(system);
  for (const bool limited : {false, true}) {
    SystemSpec spec = system.spec();
    if (limited) spec.safety.rate = Vector::Constant(1, 5);
    for (const KnownMotion& known :
         {kinematics({{.speed = 2, .position = 0, .sine = 1}}, 1, spec.time_step),
          nominal_motion(slower, spec)}) {
      Regression regression = separate_outputs(seen);
      regression.known = known;
      const DynamicsModel model = learned_from(std::move(regression), seen, spec);
      EXPECT_EQ(allocations_of_a_run(model, system, spec, {.horizon = 25}), 0)
          << known.words << (limited ? ", limited rate" : "");
    }
  }
}

TEST(ControllerAllocations, AreNoneWithTheFeaturesOfANetwork) {
  const System system = Pendulum{};
  const Swings seen = swings_of(system);
  for (const Index width : {20, 200}) {
    RandomStream randomness(1, "network");
    const auto layer = [&](Index to, Index from) {
      SineLayer drawn{Matrix(to, from), 2 * randomness.normals(to)};
      for (double& v : drawn.weights.reshaped())
        v = randomness.normal() / std::sqrt(static_cast<double>(from));
      return drawn;
    };
    FourierFeatures features = features_of_swings(60, 1);
    features.hidden = {layer(width, 4), layer(width, width)};
    features.P = layer(60, width).weights;
    Regression regression(
        std::vector<OutputGroup>{{{0, 1, 2},
                                  {features,
                                   {Vector::Constant(4, 2), 0.1, Vector::Constant(3, 0.02), 0.1},
                                   standardization_of(seen.changes)}}});
    const DynamicsModel model = learned_from(std::move(regression), seen, system.spec());
    EXPECT_EQ(allocations_of_a_run(model, system, system.spec(), {.horizon = 15}), 0)
        << "layers of " << width;
  }
}

}  // namespace
}  // namespace rhc
