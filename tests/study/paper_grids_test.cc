#include "rhc/study/paper_grids.h"

#include <gtest/gtest.h>

#include <set>

#include "rhc/explore/explorer.h"
#include "rhc/study/sweep_plan.h"
#include "rhc/system/registry.h"

namespace rhc {
namespace {

std::set<std::string> methods_of(const SweepPlan& plan) {
  std::set<std::string> methods;
  for (const PlannedRun& run : plan.runs) methods.insert(run.config.method);
  return methods;
}

TEST(PaperGrid, IsTwentyRunsOfTwentyEpisodesOfAllMethodsOnAllSystems) {
  const SweepPlan plan = read_sweep(paper_grid(), "paper");
  EXPECT_EQ(plan.runs.size(), 420u);
  EXPECT_EQ(plan.runs.size(), 20 * method_names().size() * paper_system_names().size());
  for (const PlannedRun& run : plan.runs) EXPECT_EQ(run.config.episodes, 20) << run.name;
  const auto names = method_names();
  EXPECT_EQ(methods_of(plan), std::set<std::string>(names.begin(), names.end()));
}

TEST(PaperGrid, OfTheQuickKindIsAPartOfIt) {
  const SweepPlan quick = read_sweep(quick_grid(), "quick");
  EXPECT_EQ(quick.runs.size(), 54u);
  EXPECT_FALSE(methods_of(quick).contains("max")) << "it takes hours";
  std::set<std::string> all;
  for (const PlannedRun& run : read_sweep(paper_grid(), "paper").runs) all.insert(run.name);
  for (const PlannedRun& run : quick.runs) {
    EXPECT_TRUE(all.contains(run.name)) << run.name;
    EXPECT_EQ(run.config.episodes, 8);
    EXPECT_EQ(run.config.judge.test_trajectories, 1000);
  }
}

}  // namespace
}  // namespace rhc
