#include "rhc/describe/task_change.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "rhc/core/error.h"
#include "rhc/system/cartpole.h"
#include "tests/rig.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

std::vector<Assignment> words(const std::string& text) {
  return parse_assignments(text, "--target");
}

std::string message_of_change(const SystemSpec& spec, const TaskChange& change) {
  return message_of<InputError>([&] { changed_task(spec, change); });
}

TEST(ParseAssignments, ReadsNumbersWithUnits) {
  const std::vector<Assignment> all = words("angle = 90 deg, speed=-1e-3,turns=.5rev,force=2 N m");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].name, "angle");
  EXPECT_EQ(all[0].value, 90);
  EXPECT_EQ(all[0].unit, "deg");
  EXPECT_EQ(all[1].value, -1e-3);
  EXPECT_EQ(all[1].unit, "");
  EXPECT_EQ(all[2].value, 0.5);
  EXPECT_EQ(all[2].unit, "rev");
  EXPECT_EQ(all[3].unit, "N m");
}

TEST(ParseAssignments, NamesThePartThatIsNone) {
  EXPECT_EQ(message_of<InputError>([] { words("angle=1,speed"); }),
            "--target: 'speed' is no name and number, such as speed=0.5");
  EXPECT_EQ(message_of<InputError>([] { words("angle=up"); }),
            "--target: 'angle=up' has no number behind the '='");
  EXPECT_EQ(message_of<InputError>([] { words(""); }),
            "--target: '' is no name and number, such as speed=0.5");
}

// The pendulum's own task weighs the cosine 100 and the sine 0.1, which is for standing. Hanging,
// with the larger weight for both, standing costs 100 * 2^2 a step and lying 100 (1 + 1).
TEST(ChangedTask, SwingsDownWhereThatIsTheTarget) {
  const SystemSpec spec = Pendulum{}.spec();
  const ChangedTask changed = changed_task(spec, {.target = words("theta=180deg")});
  const Vector push = Vector::Constant(1, 0.5);
  const auto cost = [&](double theta, double speed) {
    return changed.task.stage_cost(Eigen::Vector3d(std::cos(theta), std::sin(theta), speed), push);
  };
  const double effort = 0.001 * 0.25;
  EXPECT_NEAR(cost(std::numbers::pi, 0), effort, 1e-12);
  EXPECT_NEAR(cost(0, 0), 400 + effort, 1e-9);
  EXPECT_NEAR(cost(std::numbers::pi / 2, 2), 200 + 0.1 * 4 + effort, 1e-9);
  EXPECT_NEAR(cost(-std::numbers::pi / 2, 2), 200 + 0.1 * 4 + effort, 1e-9);
  ASSERT_EQ(changed.remarks.size(), 1u);
  EXPECT_NE(changed.remarks[0].find("weighed for another target"), std::string::npos);
}

TEST(ChangedTask, LeavesTheTaskAsItIsWhereTheTargetIsItsOwn) {
  const SystemSpec spec = Pendulum{}.spec();
  const ChangedTask same = changed_task(spec, {.target = words("theta=0,thetadot=0")});
  EXPECT_EQ(same.task.target, spec.task.target);
  EXPECT_EQ(same.task.weight, spec.task.weight);
  EXPECT_TRUE(same.remarks.empty());
}

TEST(ChangedTask, TakesAnAngleInTheUnitOfItsDescription) {
  const SystemSpec spec = rig(with(kRig, "unit = \"rad\"", "unit = \"deg\"")).system.spec();
  for (const char* text : {"theta=120", "theta=120deg"}) {
    const Vector target = changed_task(spec, {.target = words(text)}).task.target;
    EXPECT_NEAR(target[0], std::cos(kTurn / 3), 1e-15);
    EXPECT_NEAR(target[1], std::sin(kTurn / 3), 1e-15);
  }
  const Vector radians =
      changed_task(spec, {.target = words("theta=2.0943951023931953 rad")}).task.target;
  EXPECT_NEAR(radians[0], -0.5, 1e-12);
}

TEST(ChangedTask, ChangesWeightsByName) {
  const SystemSpec spec = rig().system.spec();
  const TaskCost task = changed_task(spec, {.weight = words("theta=3,thetadot=0.5"),
                                            .action_weight = words("torque=0.25")})
                            .task;
  EXPECT_EQ(task.weight, Eigen::Vector3d(3, 3, 0.5));
  EXPECT_EQ(task.final_weight.size(), 0);
  EXPECT_EQ(task.action_weight[0], 0.25);
  const TaskCost end = changed_task(spec, {.final_weight = words("theta=7")}).task;
  EXPECT_EQ(end.final_weight, Eigen::Vector3d(7, 7, 0.01));
  EXPECT_EQ(end.weight, spec.task.weight);
  const TaskCost sine = changed_task(spec, {.weight = words("sin_theta=9")}).task;
  EXPECT_EQ(sine.weight, Eigen::Vector3d(1, 9, 0.01));
}

// 8 is half of the range of thetadot; a weight of 1 on a circle of radius 1 costs 1.
TEST(ChangedTask, WeighsWhatWasNotWeighedLikeTheRest) {
  SystemSpec spec = rig().system.spec();
  spec.task.weight = Eigen::Vector3d(2, 2, 0);
  const ChangedTask changed = changed_task(spec, {.target = words("thetadot=3")});
  EXPECT_NEAR(changed.task.weight[2], 2.0 / 64, 1e-15);
  ASSERT_EQ(changed.remarks.size(), 1u);
  EXPECT_NE(changed.remarks[0].find("nothing weighed 'thetadot': the weight 0.03125 is taken"),
            std::string::npos)
      << changed.remarks[0];
  const ChangedTask told =
      changed_task(spec, {.target = words("thetadot=3"), .weight = words("thetadot=0")});
  EXPECT_EQ(told.task.weight[2], 0) << "as was asked for";
}

TEST(ChangedTask, GivesASystemWithoutATaskOne) {
  SystemSpec spec = rig().system.spec();
  spec.task.weight.setZero();
  spec.task.action_weight.setZero();
  const ChangedTask changed = changed_task(spec, {.target = words("theta=1")});
  EXPECT_EQ(changed.task.weight, Eigen::Vector3d(1, 1, 0));
  EXPECT_GT(changed.task.action_weight[0], 0);
  EXPECT_EQ(changed.remarks.size(), 2u);
}

TEST(ChangedTask, SaysWhenATargetIsOutsideTheLimits) {
  const ChangedTask changed = changed_task(Cartpole{}.spec(), {.target = words("x=50")});
  ASSERT_EQ(changed.remarks.size(), 1u);
  EXPECT_NE(changed.remarks[0].find("outside its limits"), std::string::npos);
}

TEST(ChangedTask, NamesTheNearestWhereANameIsUnknown) {
  const SystemSpec spec = rig().system.spec();
  EXPECT_EQ(message_of_change(spec, {.target = words("teta=1")}),
            "target: unknown quantity 'teta'; did you mean 'theta'? (known: theta, cos_theta, "
            "sin_theta, thetadot)");
  EXPECT_EQ(message_of_change(spec, {.action_weight = words("torqe=1")}),
            "action weight: unknown action 'torqe'; did you mean 'torque'? (known: torque)");
}

TEST(ChangedTask, RefusesWhatDoesNotFit) {
  const SystemSpec spec = rig().system.spec();
  EXPECT_EQ(message_of_change(spec, {.target = words("thetadot=3 m")}),
            "'thetadot' is measured in rad/s, which 'm' cannot be turned into");
  EXPECT_EQ(message_of_change(spec, {.target = words("theta=1,theta=2")}),
            "the target of 'theta' is given twice");
  EXPECT_EQ(message_of_change(spec, {.target = words("theta=inf")}),
            "the target of 'theta' must be a finite number");
  EXPECT_EQ(message_of_change(spec, {.weight = words("theta=-1")}),
            "the weight of 'theta' must be a finite number that is not negative");
  EXPECT_EQ(message_of_change(spec, {.weight = words("theta=1 rad")}),
            "the weight of 'theta' is a pure number; leave 'rad' out");
}

TEST(ChangedTask, FollowsAReferenceAndKeepsTheTargetOfTheRest) {
  const SystemSpec spec = rig().system.spec();
  Matrix reference = Matrix::Constant(3, 2, std::nan(""));
  reference.row(2) << 1, 2;
  const TaskCost task =
      changed_task(spec, {.target = words("theta=90deg"), .reference = reference}).task;
  EXPECT_NEAR((task.target_at(1) - Eigen::Vector3d(0, 1, 2)).norm(), 0, 1e-15);
  EXPECT_EQ(task.target_at(9)[2], 2) << "the last one from there on";
  EXPECT_EQ(message_of_change(spec, {.target = words("thetadot=0"), .reference = reference}),
            "'thetadot' has a target and a column of the reference: leave one of them out");
}

// x_{t+1} = 0.9 x_t + 0.5 u_t, whose best actions along a sine follow from one dense solve.
struct Lag {
  TaskCost task;

  SystemSpec spec() const {
    return {.name = "lag",
            .title = "lag",
            .state = {{"x", "m"}},
            .observation = {{"x", "m"}},
            .action = {{"u", "V"}},
            .angles = {},
            .action_bounds = {Vector::Constant(1, -9), Vector::Constant(1, 9)},
            .limits = Box::unbounded(1),
            .time_step = 0.1,
            .horizon = 30,
            .start = Vector::Constant(1, 0.5),
            .region = {Vector::Constant(1, -2), Vector::Constant(1, 2)},
            .task = task};
  }
  Vector step(const Vector& x, const Vector& u) const { return 0.9 * x + 0.5 * u; }
};

TEST(ChangedTask, MakesAPlanFollowASine) {
  const Index T = 30;
  Matrix sine(1, T + 1);
  for (Index t = 0; t <= T; ++t) sine(0, t) = std::sin(0.3 * static_cast<double>(t));
  Lag lag{{.target = Vector::Zero(1), .weight = Vector::Ones(1), .action_weight = Vector::Ones(1)}};
  lag.task = changed_task(lag.spec(),
                          {.weight = {{"x", 4}}, .action_weight = {{"u", 0.1}}, .reference = sine})
                 .task;
  const Plan plan = plan_with_truth(System(lag), 0, 1);

  // x = free + B u; (4 B' B + 0.1 I) u = 4 B' (sine - free).
  Vector free(T + 1);
  Matrix B = Matrix::Zero(T + 1, T);
  for (Index t = 0; t <= T; ++t) {
    free[t] = 0.5 * std::pow(0.9, static_cast<double>(t));
    for (Index s = 0; s < t; ++s) B(t, s) = 0.5 * std::pow(0.9, static_cast<double>(t - s - 1));
  }
  const Vector best = (4 * B.transpose() * B + 0.1 * Matrix::Identity(T, T))
                          .ldlt()
                          .solve(4 * B.transpose() * (sine.row(0).transpose() - free));
  EXPECT_LT((plan.actions.row(0).transpose() - best).cwiseAbs().maxCoeff(), 1e-6);
}

}  // namespace
}  // namespace rhc
