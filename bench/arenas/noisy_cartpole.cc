// MC-PILCO's noisy cart-pole: from hanging to upright within 3 s, learned from few episodes of 3 s.
//   noisy_cartpole [seeds=3] [first=1] [episodes=6] [key=value ...]      settings as for `rhc
//   explore`
// Upright: during the last of 3 s the cart stays within 0.1 m of its target, and the pole within 10
// degrees. The share of seeds on which a trial after so many episodes is. Trials are not learned
// from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "rhc/control/controller.h"
#include "rhc/core/error.h"
#include "rhc/describe/settings.h"
#include "rhc/evaluate/closed_loop.h"
#include "rhc/evaluate/task_cost.h"
#include "rhc/explore/campaign.h"
#include "rhc/explore/carry_out.h"
#include "rhc/plan/task_controller.h"

namespace {

using namespace rhc;

Vector vector_of(std::initializer_list<double> values) {
  Vector result(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

// A uniform rod on a cart; angle 0 hangs.
struct RodOnCart {
  static constexpr double kCart = 0.5, kRod = 0.5, kLength = 0.5, kFriction = 0.1, kGravity = 9.81;
  static constexpr int kSubsteps = 10;

  SystemSpec spec() const {
    constexpr double pi = std::numbers::pi;
    return {.name = "rod-on-cart",
            .title = "MC-PILCO's cart-pole",
            .state = {{"x", "m"}, {"theta", "rad"}, {"xdot", "m/s"}, {"thetadot", "rad/s"}},
            .observation =
                {{"x", "m"}, {"cos", ""}, {"sin", ""}, {"xdot", "m/s"}, {"thetadot", "rad/s"}},
            .action = {{"force", "N"}},
            .angles = {{1, 2}},
            .action_bounds = {vector_of({-10}), vector_of({10})},
            .limits = Box::unbounded(5),
            .time_step = 0.05,
            .horizon = 60,
            .start = Vector::Zero(4),
            .region = {vector_of({-1.5, -pi, -4, -12}), vector_of({1.5, pi, 4, 12})},
            .task = {.target = vector_of({0, -1, 0, 0, 0}),
                     .weight = vector_of({1, 1, 1, 0.01, 0.01}),
                     .action_weight = vector_of({0.001})}};
  }

  Vector step(const Vector& state, const Vector& action) const {
    const double dt = spec_step() / kSubsteps, u = action[0];
    Eigen::Vector4d x = state;
    const auto rates = [&](const Eigen::Vector4d& s) -> Eigen::Vector4d {
      const double c = std::cos(s[1]), n = std::sin(s[1]), w = s[3];
      const double den = 4 * (kCart + kRod) - 3 * kRod * c * c;
      return {s[2], w,
              (2 * kRod * kLength * w * w * n + 3 * kRod * kGravity * n * c + 4 * u -
               4 * kFriction * s[2]) /
                  den,
              (-3 * kRod * kLength * w * w * n * c - 6 * (kCart + kRod) * kGravity * n -
               6 * (u - kFriction * s[2]) * c) /
                  (kLength * den)};
    };
    for (int i = 0; i < kSubsteps; ++i) {
      const Eigen::Vector4d k1 = rates(x), k2 = rates(x + 0.5 * dt * k1),
                            k3 = rates(x + 0.5 * dt * k2), k4 = rates(x + dt * k3);
      x += dt / 6 * (k1 + 2 * (k2 + k3) + k4);
    }
    return x;
  }

  Vector observe(const Vector& state) const {
    return vector_of({state[0], std::cos(state[1]), std::sin(state[1]), state[2], state[3]});
  }

  static double spec_step() { return 0.05; }
};

// Measured with noise on all four states, from a start that is a little different every time.
class NoisyRodOnCart final : public Plant {
 public:
  explicit NoisyRodOnCart(RandomStream randomness) : randomness_(randomness) {}

  Vector reset(const Vector& state) override {
    constexpr double kSpread = 0.01;
    truth_ = {state + kSpread * randomness_.normals(4)};
    return measure();
  }
  Vector step(const Vector& action) override {
    truth_.push_back(system_.step(truth_.back(), action));
    return measure();
  }

  // Over the last second of those seen.
  bool upright() const {
    constexpr double kNear = 0.1, kTilt = 10 * std::numbers::pi / 180;
    const auto last = static_cast<std::size_t>(std::lround(1 / RodOnCart::spec_step()));
    for (std::size_t i = truth_.size() - last; i < truth_.size(); ++i)
      if (std::abs(truth_[i][0]) > kNear || -std::cos(truth_[i][1]) < std::cos(kTilt)) return false;
    return true;
  }

 private:
  Vector measure() {
    constexpr double kNoise = 0.01;
    return system_.observe(truth_.back() + kNoise * randomness_.normals(4));
  }

  RodOnCart system_;
  RandomStream randomness_;
  std::vector<Vector> truth_;
};

}  // namespace

int main(int argc, char** argv) {
  int seeds = 3, first = 1, episodes = 6, horizon = 60, starts = 60, trials = 1, verbose = 1;
  const auto [words, settings] = bench::read_arguments(argc, argv,
                                                       {{"seeds", &seeds},
                                                        {"first", &first},
                                                        {"episodes", &episodes},
                                                        {"horizon", &horizon},
                                                        {"trials", &trials},
                                                        {"verbose", &verbose},
                                                        {"task_starts", &starts}});
  try {
    const System system = RodOnCart{};
    const SystemSpec& spec = system.spec();
    std::vector<int> up(static_cast<std::size_t>(episodes) + 1, 0);
    std::vector<int> held = up;
    for (int i = 0; i < seeds; ++i) {
      Config config = preset("default", spec);
      config.seed = static_cast<std::uint64_t>(first + i);
      for (const std::string& setting : settings) assign(config, setting);
      Campaign campaign(config, system, 1);
      std::string line;
      for (int episode = 1; episode <= episodes; ++episode) {
        const Proposal proposal = campaign.propose(episode, {});
        NoisyRodOnCart plant(
            RandomStream(config.seed, "plant", static_cast<std::uint64_t>(episode)));
        const Policy policy = [&](const Vector& seen, int t) {
          return campaign.act(proposal, seen, t);
        };
        campaign.learn(proposal, carry_out(policy, plant, spec, episode, {}));
        if (episode < 2) continue;

        const DynamicsModel& model = *campaign.model();
        PlannerSettings planner = task_planner_settings(config, 1);
        planner.starts = starts;
        const std::vector<Plan> plans =
            plans_of_task(model, system, false, config.judge.task_draws, planner);
        const Plan& best = best_closed_loop(plans, model, system, false, config.judge.task_draws,
                                            config.seed, {.replan = 1, .iterations = 5}, 1);
        // Swung up by the plan with feedback; or by the real-time controller, which begins with it.
        for (const bool real_time : {false, true}) {
          NoisyRodOnCart tried(
              RandomStream(config.seed, "trial", static_cast<std::uint64_t>(episode)));
          Vector seen = tried.reset(spec.start);
          const ControlByModel by_model(model, spec, false);
          TaskController swinging(by_model, by_model.measured_to_be(standing_at(seen, 1)),
                                  best.actions, {.replan = 1, .iterations = 10});
          Controller controller(model, spec, {.horizon = horizon, .stay_inside = false});
          if (real_time) controller.start(seen, best.actions);
          for (int t = 0; t < spec.horizon; ++t) {
            const Vector action = real_time ? controller.step(seen) : swinging.step(seen);
            seen = tried.step(spec.action_bounds.clip(action));
          }
          (real_time ? held : up)[static_cast<std::size_t>(episode)] += tried.upright();
          line += fmt::format(" {}", tried.upright() ? "up" : "--");
        }
        line += fmt::format(" ({:.1f})", best.objective);
      }
      fmt::print("  seed {:>2}:{}\n", config.seed, line);
      std::fflush(stdout);
    }
    fmt::print("{:<34}", "seconds of interaction");
    for (int episode = 2; episode <= episodes; ++episode) fmt::print(" {:>6}", 3 * episode);
    fmt::print("\n{:<34}", fmt::format("upright of {}, plan with feedback", seeds));
    for (int e = 2; e <= episodes; ++e) fmt::print(" {:>6}", up[static_cast<std::size_t>(e)]);
    fmt::print("\n{:<34}", fmt::format("upright of {}, real-time controller", seeds));
    for (int e = 2; e <= episodes; ++e) fmt::print(" {:>6}", held[static_cast<std::size_t>(e)]);
    fmt::print("\n");
  } catch (const InputError& error) {
    fmt::print(stderr, "noisy_cartpole: {}\n", error.what());
    return 2;
  }
}
