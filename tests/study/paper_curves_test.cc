#include "rhc/study/paper_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "rhc/system/registry.h"

namespace rhc {
namespace {

TEST(PaperCurves, AreOfSystemsThatWeHave) {
  const auto known = paper_system_names();
  for (const PaperCurve& curve : paper_curves())
    EXPECT_NE(std::find(known.begin(), known.end(), curve.system), known.end()) << curve.system;
}

TEST(PaperCurves, AreOneForEachSystemAndMethod) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const PaperCurve& curve : paper_curves())
    EXPECT_TRUE(seen.emplace(curve.system, curve.method).second)
        << curve.system << " " << curve.method;
  for (const char* system : {"pendulum", "cartpole"})
    for (const char* method : {"rhc-us", "rand", "max", "sac-ig"})
      EXPECT_TRUE(seen.contains({system, method})) << system << " " << method;
  EXPECT_EQ(seen.size(), 8u);
}

TEST(PaperCurves, HaveTwentyRunsOfTwentyConsecutiveEpisodes) {
  for (const PaperCurve& curve : paper_curves()) {
    const Curve& cost = curve.task_cost;
    ASSERT_EQ(cost.episode.size(), 20u);
    for (std::size_t i = 1; i < cost.episode.size(); ++i)
      EXPECT_EQ(cost.episode[i], cost.episode[i - 1] + 1);
    EXPECT_EQ(cost.count, std::vector<int>(20, 20));
    EXPECT_EQ(cost.median.size(), 20u);
    EXPECT_EQ(cost.decile1.size(), 20u);
    EXPECT_EQ(cost.decile9.size(), 20u);
  }
}

TEST(PaperCurves, HaveMediansBetweenTheirDeciles) {
  for (const PaperCurve& curve : paper_curves())
    for (std::size_t i = 0; i < curve.task_cost.median.size(); ++i) {
      EXPECT_LE(curve.task_cost.decile1[i], curve.task_cost.median[i]);
      EXPECT_LE(curve.task_cost.median[i], curve.task_cost.decile9[i]);
      EXPECT_GT(curve.task_cost.decile1[i], 0);
    }
}

// The README's numbers: the best medians over the episodes.
TEST(PaperCurves, ReachWhatThePaperReports) {
  const auto best = [](const std::string& system) {
    double least = kInfinity;
    for (const PaperCurve& curve : paper_curves())
      if (curve.system == system)
        least = std::min(
            least, *std::min_element(curve.task_cost.median.begin(), curve.task_cost.median.end()));
    return std::round(least);
  };
  EXPECT_EQ(best("pendulum"), 19959);
  EXPECT_EQ(best("cartpole"), 18558);
}

}  // namespace
}  // namespace rhc
