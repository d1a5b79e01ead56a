// MC-PILCO's noisy cart-pole: from hanging to upright within 3 s, learned from few episodes of 3 s.
//   noisy_cartpole [seeds=3] [first=1] [episodes=6] [key=value ...]      settings as for `rhc
//   explore`
// Upright: during the last of 3 s the cart stays within 0.1 m of its target, and the pole within 10
// degrees. The first episodes explore (explore=2), the others attempt the task by the real-time
// controller, and are learned from. The number of seeds whose attempt after so much interaction
// succeeded.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "bench/arguments.h"
#include "rhc/control/controller.h"
#include "rhc/core/error.h"
#include "rhc/describe/settings.h"
#include "rhc/evaluate/task_cost.h"
#include "rhc/explore/campaign.h"
#include "rhc/explore/carry_out.h"

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
  int horizon = 60;
  double room = kInfinity;  // m to either side, beyond which an episode ends

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
            .limits = {vector_of({-room, -kInfinity, -kInfinity, -kInfinity, -kInfinity}),
                       vector_of({room, kInfinity, kInfinity, kInfinity, kInfinity})},
            .time_step = 0.05,
            .horizon = horizon,
            .start = Vector::Zero(4),
            .region = {vector_of({-1.5, -pi, -4, -12}), vector_of({1.5, pi, 4, 12})},
            .task = {.target = vector_of({0, -1, 0, 0, 0}),
                     .weight = vector_of({2, 1, 1, 0.02, 0.005}),
                     .action_weight = vector_of({0.001}),
                     .final_weight = vector_of({20, 20, 20, 2, 1})}};
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

  // The farthest from the target and from upright in the last second, m and degrees.
  std::pair<double, double> off() const {
    std::pair<double, double> most;
    for (std::size_t i = truth_.size() - 20; i < truth_.size(); ++i) {
      most.first = std::max(most.first, std::abs(truth_[i][0]));
      most.second =
          std::max(most.second, std::acos(-std::cos(truth_[i][1])) * 180 / std::numbers::pi);
    }
    return most;
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
  int seeds = 3, first = 1, episodes = 6, explore = 2, horizon = 45, starts = 60, learn = 2;
  int verbose = 1;
  const auto [words, settings] = bench::read_arguments(argc, argv,
                                                       {{"seeds", &seeds},
                                                        {"first", &first},
                                                        {"episodes", &episodes},
                                                        {"explore", &explore},
                                                        {"horizon", &horizon},
                                                        {"learn", &learn},
                                                        {"verbose", &verbose},
                                                        {"task_starts", &starts}});
  try {
    const System system = RodOnCart{}, aimed = RodOnCart{.horizon = horizon},
                 exploring = RodOnCart{.room = 1.5};
    const SystemSpec& spec = system.spec();
    std::vector<int> up(static_cast<std::size_t>(episodes) + 1, 0);
    for (int i = 0; i < seeds; ++i) {
      Config config = preset("default", spec);
      config.seed = static_cast<std::uint64_t>(first + i);
      for (const std::string& setting : settings) assign(config, setting);
      Campaign campaign(config, exploring, 1);
      std::vector<Matrix> done;  // attempts that succeeded
      std::string line;
      for (int episode = 1; episode <= episodes + 1; ++episode) {
        NoisyRodOnCart plant(
            RandomStream(config.seed, "plant", static_cast<std::uint64_t>(episode)));
        if (episode <= explore) {
          const Proposal proposal = campaign.propose(episode, {});
          const Policy policy = [&](const Vector& seen, int t) {
            return campaign.act(proposal, seen, t);
          };
          campaign.learn(proposal, carry_out(policy, plant, exploring.spec(), episode, {}));
          continue;
        }

        // An attempt, from which the next ones learn.
        const DynamicsModel& model = *campaign.model();
        PlannerSettings planner = task_planner_settings(config, 1);
        planner.starts = starts;
        const Plan plan = plan_task(model, aimed, false, config.judge.task_draws, planner, done);
        Controller controller(model, spec,
                              {.horizon = horizon, .stay_inside = false, .learn = learn == 1});
        Trajectory seen{Matrix(5, spec.horizon + 1), Matrix(1, spec.horizon)};
        seen.observations.col(0) = plant.reset(spec.start);
        controller.start(Vector(seen.observations.col(0)), plan.actions);
        for (int t = 0; t < spec.horizon; ++t) {
          seen.actions.col(t) = controller.step(seen.observations.col(t));
          seen.observations.col(t + 1) = plant.step(seen.actions.col(t));
        }
        up[static_cast<std::size_t>(episode - 1)] += plant.upright();
        line += plant.upright() ? " up" : " --";
        if (verbose > 1)
          line +=
              fmt::format(" [{:.2f} m {:.0f} deg, planned {:.1f}, cost {:.1f}]", plant.off().first,
                          plant.off().second, plan.objective, spec.task.total(seen));
        if (plant.upright()) done.push_back(seen.actions.leftCols(horizon));
        if (episode <= episodes) campaign.tell(seen);
      }
      fmt::print("  seed {:>2}:{}\n", config.seed, line);
      std::fflush(stdout);
    }
    fmt::print("{:<26}", "seconds of interaction");
    for (int e = explore; e <= episodes; ++e) fmt::print(" {:>4}", 3 * e);
    fmt::print("\n{:<26}", fmt::format("upright, of {} seeds", seeds));
    for (int e = explore; e <= episodes; ++e) fmt::print(" {:>4}", up[static_cast<std::size_t>(e)]);
    fmt::print("\n");
  } catch (const InputError& error) {
    fmt::print(stderr, "noisy_cartpole: {}\n", error.what());
    return 2;
  }
}
