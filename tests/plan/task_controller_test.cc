#include "rhc/plan/task_controller.h"

#include <gtest/gtest.h>

#include "rhc/system/pendulum.h"

namespace rhc {
namespace {

// It begins near the top, where a plan that nobody corrects falls over.
struct ShortPendulum : Pendulum {
  SystemSpec spec() const {
    SystemSpec short_one = Pendulum::spec();
    short_one.horizon = 40;
    short_one.start = Eigen::Vector2d(0.2, 0);
    return short_one;
  }
};

Plan best_plan(const ControlByTruth& truth, const SystemSpec& spec) {
  return plan(truth.task(spec.start, spec.horizon), {.starts = 8, .hops = 16});
}

// Carries it out with a knock on the way, that changes the speed by so much. Without a controller
// the actions are those that were planned.
Trajectory carried_out(const System& system, const Matrix& actions, double knock,
                       TaskController* controller) {
  const SystemSpec& spec = system.spec();
  Trajectory truth{Matrix(spec.outputs(), actions.cols() + 1), actions};
  Vector state = spec.start;
  for (Index t = 0; t < actions.cols(); ++t) {
    truth.observations.col(t) = system.observe(state);
    if (controller) truth.actions.col(t) = controller->step(truth.observations.col(t));
    state = system.step(state, truth.actions.col(t));
    if (t == 10) state[1] += knock;
  }
  truth.observations.rightCols(1) = system.observe(state);
  return truth;
}

TaskController controller_of(const ControlModel& model, const SystemSpec& spec,
                             const Matrix& actions, int replan) {
  const Index nx = spec.start.size();
  return {model, {spec.start, Matrix::Zero(nx, nx)}, actions, {.replan = replan}};
}

TEST(TaskController, DoesWhatWasPlannedWhereTheModelIsRight) {
  const System system = ShortPendulum{};
  const ControlByTruth truth(system, {});
  const Plan plan = best_plan(truth, system.spec());
  for (const int every : {0, 1, 2, 5, 10, 25}) {
    TaskController controller = controller_of(truth, system.spec(), plan.actions, every);
    const Trajectory done = carried_out(system, plan.actions, 0, &controller);
    EXPECT_LE(system.spec().task.total(done), 1.001 * plan.objective) << every;
  }
}

TEST(TaskController, CorrectsWhatTheModelDoesNotKnow) {
  const System system = ShortPendulum{};
  const ControlByTruth truth(system, {Vector::Constant(3, 1e-3), Vector::Constant(2, 0.05)});
  const Plan plan = best_plan(truth, system.spec());
  for (const double knock : {-0.3, 0.3}) {
    TaskController controller = controller_of(truth, system.spec(), plan.actions, 1);
    const double looking =
        system.spec().task.total(carried_out(system, plan.actions, knock, &controller));
    const double blind =
        system.spec().task.total(carried_out(system, plan.actions, knock, nullptr));
    EXPECT_LT(looking, 0.5 * blind) << knock;
  }
}

// Its torque has the other sign.
struct MiswiredPendulum : ShortPendulum {
  Vector step(const Vector& state, const Vector& action) const {
    return ShortPendulum::step(state, -action);
  }
};

TEST(TaskController, GoesByTheModelThatItIsGivenOnTheWay) {
  const System system = ShortPendulum{};
  const NoiseLevels noise{Vector::Constant(3, 1e-3), Vector::Constant(2, 0.05)};
  const ControlByTruth truth(system, noise), wrong(MiswiredPendulum{}, noise);
  const Plan plan = best_plan(wrong, system.spec());
  TaskController misled = controller_of(wrong, system.spec(), plan.actions, 1),
                 corrected = controller_of(wrong, system.spec(), plan.actions, 1);
  corrected.go_by(truth);
  const auto cost = [&](TaskController& controller) {
    return system.spec().task.total(carried_out(system, plan.actions, 0, &controller));
  };
  EXPECT_LT(cost(corrected), 0.5 * cost(misled));
}

// Where the torque is strong enough to hold it.
struct NearlyUpright : ShortPendulum {
  SystemSpec spec() const {
    SystemSpec near_top = ShortPendulum::spec();
    near_top.start[0] = 0.05;
    return near_top;
  }
};

// Ten times as long as a plan is.
TEST(TaskController, StaysAtTheTopAsLongAsItIsAskedWhereItsHorizonRecedes) {
  const System system = NearlyUpright{};
  const SystemSpec& spec = system.spec();
  const NoiseLevels noise{Vector::Constant(3, 1e-3), Vector::Constant(2, 0.01)};
  const ControlByTruth truth(system, noise);
  const Plan plan = best_plan(truth, spec);
  for (const int every : {1, 5, 20}) {
    TaskController controller{
        truth, {spec.start, Matrix::Zero(2, 2)}, plan.actions, {.replan = every, .receding = true}};
    SimulatedPlant plant(system, noise, RandomStream(3, "receding"));
    Vector measured = plant.reset(spec.start);
    for (int t = 0; t < 400; ++t) {
      const Vector action = controller.step(measured);
      ASSERT_TRUE(spec.action_bounds.contains(action));
      measured = plant.step(action);
      if (t > 20) {
        ASSERT_LT(std::abs(plant.state()[0]), 0.3) << "step " << t << " of every " << every;
      }
    }
  }
}

TEST(TaskController, RefusesToRecedeWithAPlanThatIsNearlyDoneBeforeTheNext) {
  const System system = ShortPendulum{};
  const ControlByTruth truth(system, {});
  const Matrix actions = Matrix::Zero(1, 10);
  const StateEstimate start{system.spec().start, Matrix::Zero(2, 2)};
  for (const int every : {0, 6})
    EXPECT_THROW(TaskController(truth, start, actions, {.replan = every, .receding = true}),
                 std::invalid_argument);
}

TEST(TaskController, KeepsTheBoundsOfItsActions) {
  const System system = ShortPendulum{};
  const ControlByTruth truth(system, {Vector::Constant(3, 0.1), Vector::Constant(2, 0.2)});
  const Plan plan = best_plan(truth, system.spec());
  TaskController controller = controller_of(truth, system.spec(), plan.actions, 3);
  const Trajectory done = carried_out(system, plan.actions, -2, &controller);
  EXPECT_GT(controller.replanned(), 0) << "what was planned leads nowhere any more";
  for (Index t = 0; t < done.steps(); ++t)
    EXPECT_TRUE(system.spec().action_bounds.contains(done.actions.col(t))) << t;
}

}  // namespace
}  // namespace rhc
