#include "rhc/evaluate/plan_safely.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rhc/explore/campaign.h"
#include "rhc/plan/objectives.h"
#include "rhc/plan/signals.h"
#include "tests/rig.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

// A campaign that has seen the rig move three times.
Campaign experienced(const SystemFile& file, int features = 40) {
  Config config = tiny_config("rig");
  config.features = features;
  config.evidence_starts = 4;
  config.plan_starts = 4;
  Campaign campaign(config, file.system, 1);
  for (int i = 0; i < 3; ++i) campaign.tell(carry_out(Pendulum{}, campaign.ask().actions));
  return campaign;
}

TEST(PlanSafely, KeepsThePredictionInsideTheLimits) {
  const SystemFile file = rig(with(kRig, "range = [-8, 8]", "range = [-8, 8]\nlimits = [-3, 3]") +
                              "[safety]\nsigmas = 2\n");
  Campaign campaign = experienced(file);
  const Proposal proposal = campaign.ask();
  ASSERT_TRUE(proposal.forecast);
  const Box& limits = file.system.spec().limits;
  EXPECT_FALSE(first_breach(*proposal.forecast, limits, 2)) << proposal.status;
  EXPECT_GT(proposal.actions.cwiseAbs().maxCoeff(), 0.05) << "it still does something";
}

TEST(PlanSafely, MadeSmallerIsWorthWhatItsActionsAre) {
  const Vector weights = Vector::Ones(20);
  bool shrunk = false;
  for (int sigmas = 1; sigmas <= 10; ++sigmas) {
    const SystemFile file =
        rig(with(kRig, "range = [-8, 8]", "range = [-8, 8]\nlimits = [-0.5, 0.5]") +
            fmt::format("[safety]\nsigmas = {}\n", sigmas));
    const SystemSpec& spec = file.system.spec();
    // Only gentle motions are known: all others may lead anywhere.
    Campaign campaign(tiny_config("rig"), file.system, 1);
    campaign.tell(carry_out(Pendulum{}, 0.02 * campaign.ask().actions));
    const ModelPlanProblem problem{.model = *campaign.belief(),
                                   .spec = spec,
                                   .angles = spec.angles,
                                   .start = file.system.observe(spec.start),
                                   .limits = spec.limits,
                                   .objective = [&](const Belief& belief, const Layout&) {
                                     return make_curious_objective("us", belief, weights);
                                   }};
    const Plan plan = plan_safely(problem, {.starts = 4});
    const double worth = follow_with_model(problem, plan.actions).objective;
    EXPECT_NEAR(plan.objective, worth, 1e-9 * std::abs(worth)) << name(plan.status);
    shrunk = shrunk || plan.status == PlanStatus::shrunk;
  }
  EXPECT_TRUE(shrunk) << "else this shows nothing";
}

TEST(PlanSafely, HoldsTheRateOfEveryAction) {
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

TEST(PlanSafely, ActionsBeforeAnyDataAreGentleAndSlowToo) {
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
  config.features = 80;
  config.evidence_starts = 8;
  Campaign campaign(config, file.system, 1);
  const auto swing = [&](std::uint64_t seed) {
    const Matrix actions = held_signal(spec.action_bounds, 60, hold, RandomStream(seed, "swing"));
    const Trajectory full = carry_out(Pendulum{}, actions);
    return Trajectory{full.observations.topRows(2), full.actions};
  };
  for (std::uint64_t seed = 1; seed <= 6; ++seed) campaign.tell(swing(seed));
  const Transitions unseen = transitions_of(swing(7), spec.limits, history);
  const Matrix predicted = campaign.belief()->predict(unseen.inputs).mean;
  return (predicted - unseen.outputs).norm() / unseen.outputs.norm();
}

TEST(PlanSafely, SeesVelocitiesInTheHistory) {
  const double blind = error_without_velocities(1, 8), seeing = error_without_velocities(2, 8);
  EXPECT_GT(blind, 0.3) << seeing;
  EXPECT_LT(seeing, 0.1 * blind);
}

// Of two angles and the action after them alone, the velocity is known only up to what the action
// between them did.
TEST(PlanSafely, SeesVelocitiesAlsoWhereActionsChangeAtEveryStep) {
  EXPECT_LT(error_without_velocities(2, 1), 1.5 * error_without_velocities(2, 8));
}

TEST(FirstBreach, IsTheFirstInTime) {
  Forecast forecast{Matrix::Zero(2, 4), Matrix::Constant(2, 4, 0.1), Matrix::Zero(1, 3)};
  const Box limits{Vector::Constant(2, -1), Vector::Constant(2, 1)};
  EXPECT_FALSE(first_breach(forecast, limits, 3));
  forecast.mean(1, 2) = 0.8;
  forecast.mean(0, 3) = -2;
  const auto breach = first_breach(forecast, limits, 3);
  ASSERT_TRUE(breach);
  EXPECT_EQ(breach->step, 2);
  EXPECT_EQ(breach->observation, 1);
  EXPECT_NEAR(breach->value, 1.1, 1e-12);
}

}  // namespace
}  // namespace rhc
