#include "rhc/plan/plan_with_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rhc/explore/campaign.h"
#include "rhc/plan/margin.h"
#include "rhc/plan/objectives.h"
#include "rhc/plan/signals.h"
#include "rhc/system/cartpole.h"
#include "tests/rig.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

// A campaign that has seen the rig move three times.
Campaign experienced(const SystemFile& file, int features = 40) {
  Config config = tiny_config("rig");
  config.model.features = features;
  config.model.evidence_starts = 4;
  config.plan.starts = 4;
  Campaign campaign(config, file.system, 1);
  for (int i = 0; i < 3; ++i) campaign.tell(open_loop(Pendulum{}, campaign.ask().actions));
  return campaign;
}

TEST(PlanWithModel, KeepsThePredictionInsideTheLimits) {
  const SystemFile file = rig(with(kRig, "range = [-8, 8]", "range = [-8, 8]\nlimits = [-3, 3]") +
                              "[safety]\nsigmas = 2\n");
  Campaign campaign = experienced(file);
  const Proposal proposal = campaign.ask();
  ASSERT_TRUE(proposal.forecast);
  const Box& limits = file.system.spec().limits;
  EXPECT_FALSE(first_breach(*proposal.forecast, limits, 2)) << proposal.status;
  EXPECT_GT(proposal.actions.cwiseAbs().maxCoeff(), 0.05) << "it still does something";
}

TEST(PlanWithModel, MadeSmallerIsWorthWhatItsActionsAre) {
  const Vector weights = Vector::Ones(20);
  bool shrunk = false;
  for (int sigmas = 1; sigmas <= 10; ++sigmas) {
    const SystemFile file =
        rig(with(kRig, "range = [-8, 8]", "range = [-8, 8]\nlimits = [-0.5, 0.5]") +
            fmt::format("[safety]\nsigmas = {}\n", sigmas));
    const SystemSpec& spec = file.system.spec();
    // Only gentle motions are known: all others may lead anywhere.
    Config config = tiny_config("rig");
    config.model.posterior = Sharing::shared;
    Campaign campaign(config, file.system, 1);
    campaign.tell(open_loop(Pendulum{}, 0.02 * campaign.ask().actions));
    const DynamicsModel& model = *campaign.model();
    ModelPlanProblem problem{.model = model,
                             .spec = spec,
                             .before = standing_at(file.system.observe(spec.start), 1),
                             .horizon = spec.horizon,
                             .limits = spec.limits,
                             .objective = curious_objective("us", weights),
                             .sigmas = spec.safety.sigmas};
    const Plan plan = plan_with_model(problem, {.starts = 4});
    // Summed leverage: what the variance is over the noise.
    RegressionWorkspace workspace;
    Matrix mean, leverage;
    model.regression.predict(model.inputs(plan.states, plan.actions), false, workspace, mean,
                             leverage);
    const double summed = leverage.sum() / static_cast<double>(leverage.rows());
    EXPECT_NEAR(plan.objective, summed, 0.02 * summed) << name(plan.status);
    shrunk = shrunk || plan.status == PlanStatus::shrunk;
  }
  EXPECT_TRUE(shrunk) << "else this shows nothing";
}

TEST(PlanWithModel, HoldsTheRateOfEveryAction) {
  const SystemFile file =
      rig(with(kRig, "bounds = [-1, 1]", "bounds = [-1, 1]\nrate = 2.5\nrest = 0.1"));
  Campaign campaign = experienced(file);
  for (const Matrix& actions : {campaign.ask().actions}) {
    Vector before = Vector::Constant(1, 0.1);
    for (Index t = 0; t < actions.cols(); ++t) {
      EXPECT_LE(std::abs(actions(0, t) - before[0]), 2.5 * 0.08 * (1 + 1e-9)) << t;
      EXPECT_LE(std::abs(actions(0, t)), 1);
      before = actions.col(t);
    }
  }
  EXPECT_GT(campaign.ask().information.value(), 0);
}

TEST(PlanWithModel, ActionsBeforeAnyDataAreGentleAndSlowToo) {
  const SystemFile file = rig(with(kRig, "bounds = [-1, 1]", "bounds = [-1, 1]\nrate = 2.5") +
                              "[safety]\nfirst = 0.25\n");
  Campaign campaign(tiny_config("rig"), file.system, 1);
  const Matrix actions = campaign.ask().actions;
  EXPECT_LE(actions.cwiseAbs().maxCoeff(), 0.25 + 1e-12);
  for (Index t = 1; t < actions.cols(); ++t)
    EXPECT_LE(std::abs(actions(0, t) - actions(0, t - 1)), 0.2 * (1 + 1e-9));
}

// One-step error, in the spread of the steps, where only the angle is measured.
double error_without_velocities(int history, double hold) {
  const SystemFile file = rig(fmt::format(
      "name = \"blind\"\ntime_step = 0.08\nhorizon = 20\nhistory = {}\n[[observation]]\nname = "
      "\"theta\"\nangle = true\nstart = 3.14159265358979312\n[[action]]\nname = "
      "\"torque\"\nbounds = [-1, 1]\n",
      history));
  const SystemSpec& spec = file.system.spec();
  Config config = tiny_config("blind");
  config.model.features = 80;
  config.model.evidence_starts = 8;
  Campaign campaign(config, file.system, 1);
  const auto swing = [&](std::uint64_t seed) {
    const Matrix actions = held_signal(spec.action_bounds, 60, hold, RandomStream(seed, "swing"));
    const Trajectory full = open_loop(Pendulum{}, actions);
    return Trajectory{full.observations.topRows(2), full.actions};
  };
  for (std::uint64_t seed = 1; seed <= 6; ++seed) campaign.tell(swing(seed));
  const Transitions unseen = transitions_of(swing(7), spec.limits, history);
  const Matrix predicted = campaign.model()->regression.predict(unseen.inputs).mean;
  return (predicted - unseen.outputs).norm() / unseen.outputs.norm();
}

TEST(PlanWithModel, SeesVelocitiesInTheHistory) {
  const double blind = error_without_velocities(1, 8), seeing = error_without_velocities(2, 8);
  EXPECT_GT(blind, 0.3) << seeing;
  EXPECT_LT(seeing, 0.1 * blind);
}

// Of two angles and the action after them alone, the velocity is known only up to what the action
// between them did.
TEST(PlanWithModel, SeesVelocitiesAlsoWhereActionsChangeAtEveryStep) {
  EXPECT_LT(error_without_velocities(2, 1), 1.5 * error_without_velocities(2, 8));
}

// The objective of a plan is in nats whatever the plan must remember besides the observations.
TEST(PlanWithModel, TellsTheInformationAlsoWithARateLimitAndAHistory) {
  for (const char* more : {"history = 1", "history = 2", "history = 3"})
    for (const char* rate : {"", "\nrate = 2.5"}) {
      const SystemFile file =
          rig(with(with(kRig, "horizon = 20", std::string("horizon = 20\n") + more),
                   "bounds = [-1, 1]", std::string("bounds = [-1, 1]") + rate));
      const SystemSpec& spec = file.system.spec();
      Campaign campaign = experienced(file);
      const DynamicsModel& model = *campaign.model();
      const Vector start = file.system.observe(spec.start);
      const Plan plan =
          plan_with_model({.model = model,
                           .spec = spec,
                           .before = standing_at(start, spec.action_bounds.size()),
                           .horizon = spec.horizon,
                           .limits = planning_limits(spec, start, true, 0.05),
                           .objective = curious_objective("evr", Vector::Ones(spec.horizon))},
                          {.starts = 2});
      const double nats = model.information(plan.states, plan.actions);
      EXPECT_NEAR(plan.objective, nats, 1e-6 * nats) << more << rate;
    }
}

// What a machine is handed is judged, not what a search left.
TEST(PlanWithModel, JudgesWhatIsLeftAfterItsRateIsHeld) {
  const SystemFile file = rig(with(with(kRig, "bounds = [-1, 1]", "bounds = [-1, 1]\nrate = 2.5"),
                                   "range = [-8, 8]", "range = [-8, 8]\nlimits = [-1, 1]"));
  const SystemSpec& spec = file.system.spec();
  Campaign campaign = experienced(file);
  const Vector start = file.system.observe(spec.start);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Plan plan =
        plan_with_model({.model = *campaign.model(),
                         .spec = spec,
                         .before = standing_at(start, spec.action_bounds.size()),
                         .horizon = spec.horizon,
                         .limits = spec.limits,
                         .objective = curious_objective("evr", Vector::Ones(spec.horizon))},
                        {.starts = 2, .seed = seed});
    double outside = 0;
    for (Index t = 1; t <= spec.horizon; ++t)
      outside = std::max(outside, (plan.states.col(t) - spec.limits.upper)
                                      .cwiseMax(spec.limits.lower - plan.states.col(t))
                                      .maxCoeff());
    EXPECT_NEAR(plan.bound_violation, outside, 1e-12) << "seed " << seed;
    EXPECT_EQ(plan.status == PlanStatus::infeasible, outside > 1e-6 * 2) << "seed " << seed;
  }
}

TEST(PlanningLimits, LeaveTheStartInside) {
  SystemSpec spec = Cartpole{}.spec();
  Vector start = Cartpole{}.observe(spec.start);
  const Box bounds = planning_limits(spec, start, true, 0.05);
  EXPECT_NEAR(bounds.upper[0], 1.8 - 0.05 * 3.6, 1e-12);
  EXPECT_EQ(bounds.upper[1], kInfinity);
  start[0] = 1.79;
  EXPECT_TRUE(planning_limits(spec, start, true, 0.05).contains(start));
  EXPECT_EQ(planning_limits(spec, start, false, 0.05).upper[0], kInfinity);
}

}  // namespace
}  // namespace rhc
