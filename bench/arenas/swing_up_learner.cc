#include "bench/arenas/swing_up_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rhc/control/controller.h"
#include "rhc/core/stopwatch.h"
#include "rhc/describe/settings.h"
#include "rhc/evaluate/task_cost.h"
#include "rhc/explore/carry_out.h"
#include "rhc/plan/task_controller.h"

namespace rhc::bench {

namespace {

KnownMotion known_motion(const SystemSpec& spec, int known, double most) {
  KnownMotion motion;
  if (known == 0) return motion;
  const double dt = spec.time_step;
  motion.change = [dt, known, most](const Vector& o, const Vector& a) -> Vector {
    Vector change = Vector::Zero(o.size());
    change[6] = std::clamp(o[6] + a[0], -most, most) - o[6];
    if (known < 2) return change;
    for (const Index joint : {0, 1}) {
      const double angle = dt * o[4 + joint], c = o[2 * joint], s = o[2 * joint + 1];
      change[2 * joint] = c * std::cos(angle) - s * std::sin(angle) - c;
      change[2 * joint + 1] = s * std::cos(angle) + c * std::sin(angle) - s;
    }
    return change;
  };
  motion.acted = 1;
  motion.words = "the torque is what was asked for";
  return motion;
}

// By how much the model's one-step predictions are off: the mean square over steps.
Vector one_step_error(const DynamicsModel& model, const Trajectory& seen) {
  const Matrix inputs = model.inputs(seen.observations, seen.actions);
  const Index T = seen.steps();
  const Matrix off = seen.observations.rightCols(T) - seen.observations.leftCols(T) -
                     model.regression.predict(inputs).mean;
  return off.rowwise().squaredNorm().cwiseSqrt() / std::sqrt(static_cast<double>(T));
}

}  // namespace

SystemSpec swing_up_spec(const DoublePendulum& machine, const SwingUpSettings& settings) {
  SystemSpec spec = machine.spec();
  spec.known = known_motion(spec, settings.known, machine.most);
  return spec;
}

// The plan with feedback, planned anew to its fixed end; then the real-time controller, which
// holds.
SwingUpRecord controlled(const DoublePendulum& machine, const SwingUpLearned& learned,
                         const SwingUpSettings& settings, int steps, const TrialTroubles& troubles,
                         std::uint64_t seed) {
  SystemSpec spec = learned.spec;
  spec.action_bounds = {Vector::Constant(1, -settings.control_change),
                        Vector::Constant(1, settings.control_change)};
  spec.limits = Box::unbounded(spec.outputs());
  const DynamicsModel& model = *learned.campaign->model();
  const Index T = learned.actions.cols();
  const ControlByModel by_model(model, spec, false);
  TaskController swinging(
      by_model, by_model.known_to_be(standing_at(machine.observe(spec.start), 1)), learned.actions,
      {.replan = settings.replan, .iterations = settings.iterations});
  std::optional<Controller> standing;
  const TorquePolicy policy = [&](const Vector& seen, int t) {
    double change = 0;
    if (t < T) {
      change = spec.action_bounds.clip(swinging.step(seen))[0];
    } else {
      if (!standing) {
        SystemSpec still = spec;
        still.horizon = settings.hold_horizon;
        still.task = settings.hold.cost();
        standing.emplace(model, still,
                         ControlSettings{.stay_inside = false,
                                         .learn = settings.learn == 1,
                                         .remove_offset = settings.offset == 1,
                                         .iterations = settings.iterations});
        standing->start(seen, Matrix::Zero(1, still.horizon));
      }
      change = standing->act(&seen)[0];
      standing->prepare({});
    }
    if (settings.verbose > 1)
      fmt::print("{:>4} {:+.3f}; {:+.3f} {:+.3f} {:+.3f} {:+.3f} {:+.2f} {:+.2f} {:+.2f} {}\n", t,
                 change, seen[0], seen[1], seen[2], seen[3], seen[4], seen[5], seen[6],
                 standing
                     ? fmt::format("{} regulated {} rests {} cost {:.2e} offset {:.1e}",
                                   name(standing->last().source), standing->last().has_regulator,
                                   standing->last().comes_to_rest, standing->last().plan_cost,
                                   standing->last().disturbance.cwiseAbs().maxCoeff())
                     : fmt::format("replanned {}", swinging.replanned()));
    return change;
  };
  return swing_up(machine, policy, steps, troubles, seed);
}

SwingUpLearned learn_swing_up(const DoublePendulum& machine, const SwingUpTask& task,
                              const SwingUpSettings& settings, std::uint64_t seed) {
  const SystemSpec plain = swing_up_spec(machine, settings);
  SystemSpec explored = plain;
  explored.horizon = settings.explore_steps;
  explored.action_bounds = {Vector::Constant(1, -settings.explore_change),
                            Vector::Constant(1, settings.explore_change)};
  Vector most = Vector::Constant(7, kInfinity);
  most.tail<3>() << settings.speed1, settings.speed2, settings.most;
  explored.limits = {-most, most};
  const System exploring = DescribedDoublePendulum{machine, explored};

  Config config = preset("default", explored);
  config.seed = seed;
  // All outputs follow from the same two accelerations.
  config.model.posterior = Sharing::shared;
  config.model.features = 600;
  for (const std::string& setting : settings.settings) assign(config, setting);

  SwingUpLearned learned{.campaign = std::make_unique<Campaign>(config, exploring, 1),
                         .spec = with_task(plain, task)};
  learned.spec.limits = explored.limits;
  Campaign& campaign = *learned.campaign;
  const System aimed = DescribedDoublePendulum{machine, learned.spec};
  const auto tell = [&](const char* what, const Trajectory& seen, const Proposal* proposal) {
    Stopwatch watch;
    Vector off;
    if (campaign.model() && settings.verbose > 0) off = one_step_error(*campaign.model(), seen);
    if (proposal)
      campaign.learn(*proposal, seen);
    else
      campaign.tell(seen);
    learned.seconds += static_cast<double>(seen.steps()) * plain.time_step;
    if (settings.verbose == 0) return;
    fmt::print("  {:<8} {} steps, fit {:.1f} s; off before", what, seen.steps(), watch.seconds());
    for (const double o : off) fmt::print(" {:.1e}", o);
    const Vector now = one_step_error(*campaign.model(), seen);
    fmt::print("; after");
    for (const double o : now) fmt::print(" {:.1e}", o);
    fmt::print("\n");
    std::fflush(stdout);
  };

  int explored_times = 0;
  const auto explore = [&] {
    const int episode = ++explored_times;
    const Proposal proposal = campaign.propose(campaign.told() + 1, {});
    SimulatedPlant plant(exploring, {},
                         RandomStream(seed, "plant", static_cast<std::uint64_t>(episode)));
    const Policy policy = [&](const Vector& seen, int t) {
      return campaign.act(proposal, seen, t);
    };
    tell("explored", carry_out(policy, plant, explored, episode, {}), &proposal);
  };
  while (explored_times < settings.explore) explore();

  PlannerSettings planner = task_planner_settings(config, 1);
  planner.starts = settings.starts;
  planner.hops = settings.hops;
  std::vector<Matrix> done;  // of the best attempt
  double best = kInfinity;
  int good = 0;
  const double resting = task_cost(aimed, Matrix::Zero(1, task.horizon));
  for (int attempt = 1;; ++attempt) {
    Stopwatch watch;
    planner.seed = RandomStream(seed, "attempts", static_cast<std::uint64_t>(attempt)).bits();
    Plan plan = plan_task(*campaign.model(), aimed, settings.inside == 1, settings.draws, planner);
    if (!done.empty()) {
      // What was done, which many searches would rank behind plans that look better at first.
      PlannerSettings nearby = planner;
      nearby.starts = 1;
      const Plan again =
          plan_task(*campaign.model(), aimed, settings.inside == 1, settings.draws, nearby, done);
      if (settings.verbose > 0)
        fmt::print("  searched {:.4f}, near what was done {:.4f}\n", plan.objective,
                   again.objective);
      // In the end only what was tried counts: elsewhere a model may be wrong.
      if (attempt > settings.attempts || again.objective < plan.objective) plan = again;
    }
    learned.actions = plan.actions;
    learned.planned = plan.objective;
    if (settings.verbose > 0) {
      fmt::print("  planned {:.4f} (open loop {:.4f}) in {:.1f} s\n", plan.objective,
                 task_cost(aimed, plan.actions), watch.seconds());
      std::fflush(stdout);
    }
    if (attempt > settings.attempts) break;
    // A plan that leads nowhere says that too little is known.
    if (plan.objective > settings.hopeless * resting) {
      explore();
      continue;
    }

    // Followed closed-loop, until it is over or gone too far.
    const int rows = machine.substeps;
    Stopwatch trying;
    const SwingUpRecord record = controlled(machine, learned, settings, settings.attempt_steps);
    Trajectory seen{Matrix(7, settings.attempt_steps), Matrix(1, settings.attempt_steps - 1)};
    Index steps = 0;
    const int driven = machine.motor == Motor::shoulder ? 0 : 1;
    for (; steps < settings.attempt_steps; ++steps) {
      const auto row = static_cast<std::size_t>(steps * rows);
      Vector state(5);
      state << record.motion[row], steps > 0 ? record.torques[row - 1][driven] : 0;
      seen.observations.col(steps) = machine.observe(state);
      if (steps > 0) seen.actions(0, steps - 1) = state[4] - seen.observations(6, steps - 1);
      if (std::abs(state[2]) > settings.speed1 || std::abs(state[3]) > settings.speed2) {
        ++steps;
        break;
      }
    }
    seen = {seen.observations.leftCols(steps).eval(), seen.actions.leftCols(steps - 1).eval()};
    ++learned.attempts;
    const bool whole = seen.steps() >= task.horizon;
    const double cost = whole
                            ? learned.spec.task.total({seen.observations.leftCols(task.horizon + 1),
                                                       seen.actions.leftCols(task.horizon)})
                            : kInfinity;
    if (settings.verbose > 0)
      fmt::print("  attempt {}: {:.4f} in {:.1f} s\n", attempt, cost, trying.seconds());
    tell("attempt", seen, nullptr);
    if (settings.watch == 1) {
      const SwingUpScore s = realaigym_score(controlled(machine, learned, settings, 500), machine);
      fmt::print("  score {:.3f} after {:.1f} s; {:.2f} {:.2f} {:.2f} {:.4f} {:.1f}\n", s.score,
                 learned.seconds, s.time, s.energy, s.torque, s.smoothness, s.velocity);
      std::fflush(stdout);
    }
    if (cost < best) {
      best = cost;
      done = {seen.actions.leftCols(task.horizon)};
    }
    good += cost <= settings.enough * learned.planned;
    if (good >= settings.fewest) attempt = settings.attempts;
  }
  return learned;
}

}  // namespace rhc::bench
