#include "rhc/run/solve_run.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/format/files.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

class SolveRun : public testing::Test {
 protected:
  SolveRun() : run(dir.path() / "run") { copy_sample_run(run); }

  SolveSettings quick() const { return {.horizon = 25, .starts = 2, .hops = 0, .draws = 0}; }

  TemporaryDirectory dir;
  const std::filesystem::path run;
};

TEST_F(SolveRun, CostsWhatTheTaskTakesForThePlan) {
  SolveSettings settings = quick();
  settings.task.target = {{"theta", 90, "deg"}};
  settings.task.action_weight = {{"action", 0.5}};
  const Solution solution = solve_run(read_run(run), settings);
  const Plan& plan = solution.plan;
  double cost = 0;
  for (Index t = 0; t <= 25; ++t) {
    const auto seen = plan.states.col(t);
    cost += 100 * seen[0] * seen[0] + 100 * (seen[1] - 1) * (seen[1] - 1) + 0.1 * seen[2] * seen[2];
    if (t < 25) cost += 0.5 * plan.actions(0, t) * plan.actions(0, t);
  }
  EXPECT_NEAR(plan.objective, cost, 1e-9 * cost);
  EXPECT_EQ(solution.remarks.size(), 1u) << "cosine and sine are weighed alike";
  EXPECT_EQ(solution.corrected_by, (std::vector<std::string>{"cos", "sin", "thetadot"}));
  EXPECT_EQ(solution.gains.cols(), 3 * 25);
}

TEST_F(SolveRun, BeginsWhereTheSystemStands) {
  SolveSettings settings = quick();
  settings.before = standing_at(Eigen::Vector3d(0, 1, 2), 1);
  EXPECT_EQ(solve_run(read_run(run), settings).plan.states.col(0), Eigen::Vector3d(0, 1, 2));
}

TEST_F(SolveRun, PlansNothingWithADamagedRun) {
  write_atomically(run / "checkpoint", "nonsense");
  EXPECT_NE(message_of<InputError>([&] {
              solve_run(read_run(run), quick());
            }).find("is damaged, and nothing is planned with it"),
            std::string::npos);
}

TEST_F(SolveRun, SaysWhereNothingIsWeighed) {
  SolveSettings settings = quick();
  settings.task.weight = {{"theta", 0}, {"thetadot", 0}};
  EXPECT_NE(message_of<InputError>([&] {
              solve_run(read_run(run), settings);
            }).find("say what to aim at with --target"),
            std::string::npos);
}

}  // namespace
}  // namespace rhc
