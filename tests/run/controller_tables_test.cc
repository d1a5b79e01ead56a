#include "rhc/run/controller_tables.h"

#include <gtest/gtest.h>

#include "rhc/model/forecast.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

class ControllerTablesOfARun : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const TemporaryDirectory dir;
    copy_sample_run(dir.path() / "run");
    solution_.emplace(
        solve_run(read_run(dir.path() / "run"), {.task = {.target = {{"theta", 180, "deg"}}},
                                                 .horizon = 30,
                                                 .starts = 2,
                                                 .hops = 0,
                                                 .draws = 0}));
    tables_.emplace(controller_tables(*solution_));
  }
  static void TearDownTestSuite() {
    tables_.reset();
    solution_.reset();
  }

  static std::optional<Solution> solution_;
  static std::optional<ControllerTables> tables_;
};

std::optional<Solution> ControllerTablesOfARun::solution_;
std::optional<ControllerTables> ControllerTablesOfARun::tables_;

// What the tables say of the motion, by hand: one step at an input of the model.
Vector moved(const ControllerMotion& motion, const Vector& input) {
  Vector change = motion.offset;
  if (motion.linear.size() > 0) change += motion.linear * input;
  for (const ControllerSines& sines : motion.sines)
    for (Index m = 0; m < sines.phase.size(); ++m)
      for (std::size_t k = 0; k < sines.outputs.size(); ++k)
        change[sines.outputs[k]] += sines.weight(m, static_cast<Index>(k)) *
                                    std::sin(sines.frequency.row(m).dot(input) + sines.phase[m]);
  return change;
}

TEST_F(ControllerTablesOfARun, MoveAsTheModelPredicts) {
  const Matrix& states = tables_->plan.states;
  for (Index t = 0; t < 30; t += 7) {
    Vector input(4);
    input << states.col(t), tables_->plan.controls.col(t);
    const Vector change = solution_->model.regression.predict(input).mean;
    EXPECT_LT((moved(tables_->motion, input) - change).norm(), 1e-9 * (1 + change.norm()));
  }
}

TEST_F(ControllerTablesOfARun, FollowThePlanThatWasSolved) {
  EXPECT_EQ(tables_->plan.controls, solution_->plan.actions);
  EXPECT_LT((tables_->plan.states - solution_->plan.states).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_F(ControllerTablesOfARun, SpreadByNoiseAndDoubtOfEachStep) {
  Vector input(4);
  input << tables_->plan.states.col(12), tables_->plan.controls.col(12);
  const Vector expected =
      solution_->model.process_noise().cwiseAbs2() + solution_->model.doubt(input);
  EXPECT_LT((tables_->spread.col(12) - expected).norm(), 1e-12 * expected.norm());
}

// Hanging, where nothing pushes, is where a pendulum rests.
TEST_F(ControllerTablesOfARun, HoldTheSystemWhereItRests) {
  ASSERT_GT(tables_->plan.held_gain.size(), 0);
  const Vector& rest = tables_->plan.held_state;
  EXPECT_NEAR(rest[0], -1, 1e-2);
  EXPECT_NEAR(tables_->plan.held_control[0], 0, 0.2);
  Vector input(4);
  input << rest, tables_->plan.held_control;
  Vector next = rest + moved(tables_->motion, input);
  next.head(2).normalize();
  EXPECT_LT((next - rest).norm(), 1e-5);
}

}  // namespace
}  // namespace rhc
