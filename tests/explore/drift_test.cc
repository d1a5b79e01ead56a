#include "rhc/explore/drift.h"

#include <gtest/gtest.h>

#include "rhc/model/fit_regression.h"
#include "tests/explore/test_machine.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

Transitions seen_of(const TestMachine& machine, std::uint64_t seed, double largest = 1) {
  return transitions_of(machine.episode(seed, 80, largest), Box::unbounded(2));
}

Regression fitted_to(const std::vector<Transitions>& episodes) {
  FeatureDraws draws{draw_features(60, 4, RandomStream(1, "features"))};
  for (std::uint64_t j = 0; j < 2; ++j)
    draws.by_output.push_back(draw_features(40, 4, RandomStream(j, "features of an output")));
  return fit_regression(draws, concatenate(episodes), Sharing::evidence, {.starts = 4}).regression;
}

std::optional<Drift> drift_of(const std::vector<Transitions>& episodes) {
  return drift_in(episodes, fitted_to(episodes));
}

// So much of its gain at each of some episodes.
std::vector<Transitions> of_gains(const std::vector<double>& gains, std::uint64_t seed = 1) {
  std::vector<Transitions> episodes;
  for (const double gain : gains)
    episodes.push_back(seen_of({.gain = gain}, 100 * seed + episodes.size()));
  return episodes;
}

TEST(DriftIn, FindsAGainThatFallsSlowly) {
  std::vector<double> gains;
  for (int e = 0; e < 12; ++e) gains.push_back(1 - 0.025 * e);
  const auto drift = drift_of(of_gains(gains));
  ASSERT_TRUE(drift);
  EXPECT_LT(drift->error_near, drift->error_far);
}

TEST(DriftIn, FindsAChangeAllAtOnce) {
  const auto drift = drift_of(of_gains({1, 1, 1, 1, 1, 0.75, 0.75, 0.75, 0.75, 0.75}));
  ASSERT_TRUE(drift);
}

TEST(DriftIn, NamesWhatHasChanged) {
  std::vector<Transitions> episodes;
  for (std::uint64_t e = 0; e < 10; ++e) {
    episodes.push_back(seen_of({}, e));
    // The angle's sensor slips, and nothing else changes.
    episodes.back().outputs.row(1) *= 1 - 0.03 * static_cast<double>(e);
  }
  const auto drift = drift_of(episodes);
  ASSERT_TRUE(drift);
  EXPECT_EQ(drift->output, 1);
}

TEST(DriftIn, IsNoneWhereNothingChanges) {
  for (int seed = 1; seed <= repeats(5, 100); ++seed)
    EXPECT_FALSE(drift_of(of_gains(std::vector<double>(10, 1), static_cast<std::uint64_t>(seed))))
        << seed;
}

// A machine that is driven harder every time shows what nobody has seen, and is what it was.
TEST(DriftIn, IsNoneWhereOnlyTheRegionIsNew) {
  for (int seed = 1; seed <= repeats(5, 100); ++seed) {
    std::vector<Transitions> episodes;
    for (std::uint64_t e = 0; e < 10; ++e)
      episodes.push_back(seen_of({}, 100 * static_cast<std::uint64_t>(seed) + e,
                                 0.1 + 0.1 * static_cast<double>(e)));
    EXPECT_FALSE(drift_of(episodes)) << seed;
  }
}

TEST(DriftIn, WaitsForEnoughEpisodes) {
  std::vector<Transitions> episodes = of_gains({1, 0.9, 0.8, 0.7, 0.6});
  EXPECT_FALSE(drift_of(episodes));
  episodes.push_back({Matrix(4, 0), Matrix(2, 0)});
  EXPECT_FALSE(drift_of(episodes)) << "an episode without a transition tells nothing";
}

}  // namespace
}  // namespace rhc
