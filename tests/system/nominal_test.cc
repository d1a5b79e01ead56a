#include "rhc/system/nominal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rhc/core/error.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/pendulum.h"
#include "rhc/system/registry.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

// Observes its two states in the other order, one of them in degrees on a circle.
struct Crossed {
  bool hidden = false;  // a third state that nobody sees

  SystemSpec spec() const {
    const Index n = hidden ? 3 : 2;
    SystemSpec spec{.name = "crossed",
                    .title = "",
                    .state = {{"angle", "deg"}, {"speed", ""}},
                    .observation = {{"speed", ""}, {"cos", ""}, {"sin", ""}},
                    .action = {{"push", ""}},
                    .angles = {{1, 2}},
                    .action_bounds = {Vector::Constant(1, -1), Vector::Constant(1, 1)},
                    .limits = Box::unbounded(3),
                    .time_step = 0.1,
                    .horizon = 5,
                    .start = Vector::Zero(n),
                    .region = {Vector::Constant(n, -170), Vector::Constant(n, 170)},
                    .task = {Vector::Zero(3), Vector::Zero(3), Vector::Zero(1)}};
    if (hidden) spec.state.push_back({"hidden", ""});
    return spec;
  }
  Vector observe(const Vector& state) const {
    const double angle = state[0] * std::numbers::pi / 180;
    return Eigen::Vector3d(state[1], std::cos(angle), std::sin(angle));
  }
  Vector step(const Vector& state, const Vector& action) const {
    Vector next = state;
    next[0] += 0.1 * state[1];
    next[1] += action[0];
    return next;
  }
};

std::string refusal(const System& nominal, SystemSpec spec) {
  return message_of<InputError>([&] { nominal_motion(nominal, spec); });
}

TEST(NominalMotion, IsTheStepOfTheNominalSystemInItsObservations) {
  for (const std::string& name : system_names()) {
    const System system = make_system(name);
    const SystemSpec& spec = system.spec();
    const KnownMotion known = nominal_motion(system, spec);
    EXPECT_TRUE(known.whole);
    RandomStream randomness(7, name);
    for (int i = 0; i < 50; ++i) {
      Vector state(spec.start.size());
      for (Index k = 0; k < state.size(); ++k)
        state[k] = randomness.uniform(spec.region.lower[k], spec.region.upper[k]);
      const Vector action = randomness.uniform_in(spec.action_bounds);
      const Vector from = system.observe(state), to = system.observe(system.step(state, action));
      EXPECT_LT((from + known.change(from, action) - to).cwiseAbs().maxCoeff(), 1e-9) << name;
    }
  }
}

TEST(NominalMotion, FindsStatesInAnyOrderAndUnit) {
  const System system = Crossed{};
  const KnownMotion known = nominal_motion(system, system.spec());
  const Vector state = Eigen::Vector2d(100, -40), action = Vector::Constant(1, 0.5);
  const Vector from = system.observe(state), to = system.observe(system.step(state, action));
  EXPECT_LT((from + known.change(from, action) - to).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(NominalMotion, RefusesWhatCannotStandForTheSystem) {
  const SystemSpec pendulum = System(Pendulum{}).spec();
  EXPECT_NE(refusal(Cartpole{}, pendulum).find("5 observations and 1 actions, this one has 3"),
            std::string::npos);
  SystemSpec slow = pendulum;
  slow.time_step = 0.1;
  EXPECT_NE(refusal(Pendulum{}, slow).find("time step is 0.08 s, not 0.1 s"), std::string::npos);
  SystemSpec strong = pendulum;
  strong.action_bounds.upper[0] = 2;
  EXPECT_NE(refusal(Pendulum{}, strong).find("narrower bounds"), std::string::npos);
  SystemSpec turned = pendulum;
  turned.angles = {{1, 0}};
  EXPECT_NE(refusal(Pendulum{}, turned).find("stand in other places"), std::string::npos);
  const System hidden = Crossed{.hidden = true};
  EXPECT_NE(refusal(hidden, hidden.spec()).find("state 'hidden' is not observed"),
            std::string::npos);
}

}  // namespace
}  // namespace rhc
