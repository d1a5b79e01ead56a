#include "rhc/evaluate/best_achievable.h"

#include <gtest/gtest.h>

#include "rhc/model/fit_model.h"
#include "tests/model/random_exploration.h"

namespace rhc {
namespace {

TEST(BestAchievable, IsFarAheadOfRandomExploration) {
  for (const std::string& name : paper_system_names()) {
    const System system = make_system(name);
    const TestSet set = draw_test_set(system, {}, 500, 10, 1);
    const Scores line = best_achievable(system, {}, 60, 1000, {}, set);
    const FourierFeatures draw =
        draw_features(60, system.spec().inputs(), RandomStream(1, "features"));
    const Scores explored =
        score(fit_model(draw, explore_at_random(system, {}, 2, 1), {}).model, set, 1);
    EXPECT_LT(line.rmse, 0.5 * explored.rmse) << name;
    EXPECT_GT(line.log_likelihood, explored.log_likelihood) << name;
  }
}

TEST(BestAchievable, DoesNotDependOnARunsSeedOrThreads) {
  const System system = make_system("mountain-car");
  const TestSet set = draw_test_set(system, {}, 100, 5, 1);
  const Scores a = best_achievable(system, {}, 30, 300, {.threads = 1, .seed = 5}, set);
  const Scores b = best_achievable(system, {}, 30, 300, {.threads = 3, .seed = 9}, set);
  EXPECT_EQ(a.rmse, b.rmse);
  EXPECT_EQ(a.log_likelihood, b.log_likelihood);
}

}  // namespace
}  // namespace rhc
