// A system of your own: any type with a spec and a step. Here a mass on a spring that hardens,
// pushed by a weak motor. The program learns it from three random experiments and predicts a
// fourth.
#include <cstdio>

#include "rhc/core/random.h"
#include "rhc/evaluate/scores.h"
#include "rhc/model/fit_model.h"
#include "rhc/system/plant.h"

struct Spring {
  rhc::SystemSpec spec() const {
    const rhc::Vector two = rhc::Vector::Ones(2), one = rhc::Vector::Ones(1);
    return {.name = "spring",
            .title = "mass on a spring that hardens",
            .state = {{"x", "m"}, {"v", "m/s"}},
            .observation = {{"x", "m"}, {"v", "m/s"}},
            .action = {{"force", "N"}},
            .angles = {},
            .action_bounds = {-one, one},
            .limits = rhc::Box::unbounded(2),
            .time_step = 0.1,
            .horizon = 60,
            .start = rhc::Vector::Zero(2),
            .region = {-two, two},
            .task = {.target = two, .weight = two, .action_weight = one}};
  }

  rhc::Vector step(const rhc::Vector& s, const rhc::Vector& a) const {
    const double v = s[1] + 0.1 * (a[0] - s[0] - s[0] * s[0] * s[0] - 0.1 * s[1]);
    return Eigen::Vector2d(s[0] + 0.1 * v, v);
  }
};

int main() {
  const rhc::System system = Spring{};
  const rhc::SystemSpec& spec = system.spec();
  std::vector<rhc::Transitions> data;
  for (unsigned episode = 0; episode < 3; ++episode) {
    rhc::RandomStream randomness(1, "actions", episode);
    rhc::Trajectory trajectory{rhc::Matrix(2, spec.horizon + 1), rhc::Matrix(1, spec.horizon)};
    rhc::Vector state = spec.start;
    trajectory.observations.col(0) = state;
    for (int t = 0; t < spec.horizon; ++t) {
      trajectory.actions.col(t) = randomness.uniform_in(spec.action_bounds);
      state = system.step(state, trajectory.actions.col(t));
      trajectory.observations.col(t + 1) = system.observe(state);
    }
    data.push_back(rhc::transitions_of(trajectory, spec.limits));
  }
  const auto draw = rhc::draw_features(90, spec.inputs(), rhc::RandomStream(1, "features"));
  const auto fitted = rhc::fit_model(draw, rhc::concatenate(data), {});
  const auto scores = rhc::score(fitted.model, rhc::draw_test_set(system, {}, 1000, 10, 1), 1);
  std::printf(
      "one-step error %.4f of an output's spread, 95 %% intervals hold %.1f %% of the truth\n",
      scores.rmse, 100 * scores.coverage95);
}
