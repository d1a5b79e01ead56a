#include "rhc/study/aggregate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rhc/core/random.h"
#include "rhc/describe/settings.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

// A finished run whose task cost after episode k is costs[k]; a negative one is none.
RunSummary made_up(std::uint64_t seed, const std::vector<double>& costs) {
  RunSummary run;
  run.path = "runs/" + std::to_string(seed);
  run.config.seed = seed;
  run.config.episodes = static_cast<int>(costs.size()) - 1;
  run.manifest.rhc = "1.0";
  run.manifest.status = "finished";
  for (std::size_t k = 0; k < costs.size(); ++k) {
    MetricsRow row{.episode = static_cast<int>(k), .task_cost_limit = 100};
    if (costs[k] >= 0) row.task_cost = costs[k];
    run.rows.push_back(row);
  }
  return run;
}

std::vector<Group> groups_of(const std::vector<RunSummary>& runs) {
  std::vector<std::string> warnings;
  return group_runs(runs, warnings);
}

std::vector<std::string> warnings_about(const std::vector<RunSummary>& runs) {
  std::vector<std::string> warnings;
  group_runs(runs, warnings);
  return warnings;
}

Curve cost_curve(const Group& group) { return curve_of(group, learning_metrics()[0].second); }

// numpy.quantile([4, 1, 3, 2], [0.1, 0.5, 0.9]) is [1.3, 2.5, 3.7];
// tests/oracles/check_quantiles.py compares thousands of lists.
TEST(Quantile, IsInterpolatedBetweenValuesInAnyOrder) {
  const std::vector<double> values = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(values, 0.1), 1.3);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 3.7);
}

TEST(Quantile, ReachesFromTheLeastToTheLargest) {
  const std::vector<double> values = {3, -7, 12};
  EXPECT_EQ(quantile(values, 0), -7);
  EXPECT_EQ(quantile(values, 1), 12);
}

TEST(Quantile, OfOneValueIsThatValue) {
  for (const double probability : {0.0, 0.1, 0.5, 1.0}) EXPECT_EQ(quantile({7}, probability), 7);
}

TEST(Quantile, OfNothingIsNotANumber) { EXPECT_TRUE(std::isnan(quantile({}, 0.5))); }

TEST(Quantile, OfSomethingUnknownIsUnknown) {
  const double unknown = std::nan("");
  for (const std::vector<double>& values :
       {std::vector{unknown}, {1, unknown, 2}, {unknown, 1, 2, 3, 4}})
    EXPECT_TRUE(std::isnan(quantile(values, 0.5)));
}

TEST(Quantile, TakesInfinitiesAsNumbersBeyondAllOthers) {
  EXPECT_EQ(quantile({1, kInfinity, 2}, 0.5), 2);
  EXPECT_EQ(quantile({1, kInfinity, kInfinity}, 0.5), kInfinity);
  EXPECT_EQ(quantile({kInfinity, kInfinity}, 0.3), kInfinity);
  EXPECT_EQ(quantile({1, kInfinity}, 0.5), kInfinity) << "halfway to infinity";
  EXPECT_EQ(quantile({-kInfinity, 1, 2}, 0.5), 1);
}

TEST(Quantile, GrowsWithTheProbabilityAndStaysInsideTheValues) {
  const int cases = repeats(300, 30000);
  for (int i = 0; i < cases; ++i) {
    RandomStream randomness(static_cast<std::uint64_t>(i), "quantile");
    std::vector<double> values(1 + randomness.below(12));
    for (double& v : values) v = std::exp(randomness.uniform(-20, 20)) * randomness.normal();
    double before = *std::min_element(values.begin(), values.end());
    for (double p = 0; p <= 1; p += 0.05) {
      const double q = quantile(values, p);
      EXPECT_GE(q, before - 1e-12 * std::abs(before)) << "seed " << i;
      before = q;
    }
    EXPECT_LE(before, *std::max_element(values.begin(), values.end())) << "seed " << i;
  }
}

TEST(Spread, IsMedianAndDeciles) {
  const Spread spread = spread_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  EXPECT_DOUBLE_EQ(spread.median, 5);
  EXPECT_DOUBLE_EQ(spread.decile1, 1);
  EXPECT_DOUBLE_EQ(spread.decile9, 9);
}

TEST(LearningMetrics, HaveTheNamesOfMetricsFiles) {
  MetricsRow row{.rmse = 1, .scores = Scores{}, .task_cost = 2};
  row.scores->log_likelihood = 3;
  row.scores->coverage95 = 0.5;
  const Json json = metrics_json(row);
  for (const auto& [name, metric] : learning_metrics())
    EXPECT_EQ(metric(row).value(), json.at(name).get<double>()) << name;
}

TEST(Groups, HoldRunsThatDifferInSeedAndLengthOnly) {
  const std::vector<RunSummary> runs = {made_up(1, {-1, 2, 3}), made_up(2, {-1, 2})};
  const std::vector<Group> groups = groups_of(runs);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].label, "rhc-evr");
  EXPECT_EQ(groups[0].runs, (std::vector<const RunSummary*>{&runs[0], &runs[1]}));
  EXPECT_TRUE(warnings_about(runs).empty());
}

TEST(Groups, AreApartWhereOneSettingDiffersAndTheLabelSaysWhich) {
  std::vector<RunSummary> runs(3, made_up(1, {-1, 2}));
  runs[1].config.model.features = 90;
  runs[2].config.model.features = 90;
  runs[2].config.model.refit = 0;
  const std::vector<Group> groups = groups_of(runs);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].label, "rhc-evr features=0 refit=each");
  EXPECT_EQ(groups[1].label, "rhc-evr features=90 refit=each");
  EXPECT_EQ(groups[2].label, "rhc-evr features=90 refit=never");
}

TEST(Groups, EverySettingButSeedAndEpisodesSetsRunsApart) {
  const auto another = [](const Setting& setting, Config& config) {
    for (const char* value : {"3", "7", "0.25", "true", "false", "random", "paper", "white", "last",
                              "[0.5]", "[8]", "1000", "cuda", "cartpole", "retry", "shared"}) {
      Config changed = config;
      if (setting.assign(changed, value) && setting.show(changed) != setting.show(config)) {
        config = changed;
        return true;
      }
    }
    return false;
  };
  for (const Setting& setting : settings()) {
    std::vector<RunSummary> runs(2, made_up(1, {-1, 2}));
    ASSERT_TRUE(another(setting, runs[1].config)) << setting.key;
    const bool together = setting.key == "seed" || setting.key == "episodes";
    EXPECT_EQ(groups_of(runs).size(), together ? 1u : 2u) << setting.key;
  }
}

TEST(Groups, OfOtherMethodsAndSystemsDoNotLengthenALabel) {
  std::vector<RunSummary> runs(3, made_up(1, {-1, 2}));
  runs[1].config.method = "random";
  runs[2].config.system = "cartpole";
  runs[2].config.model.features = 7;
  const std::vector<Group> groups = groups_of(runs);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].label, "rhc-evr");
  EXPECT_EQ(groups[1].label, "random");
  EXPECT_EQ(groups[2].label, "rhc-evr");
  EXPECT_EQ(groups[2].system, "cartpole");
}

TEST(Groups, KeepVersionsApartAndWarn) {
  std::vector<RunSummary> runs(2, made_up(1, {-1, 2}));
  runs[1].manifest.rhc = "2.0";
  EXPECT_EQ(groups_of(runs).size(), 2u);
  EXPECT_EQ(groups_of(runs)[1].label, "rhc-evr version=2.0");
  EXPECT_EQ(
      warnings_about(runs),
      std::vector<std::string>{"runs of different versions of rhc (1.0, 2.0) are kept apart"});
}

TEST(Groups, AreOfOneSystemOnlyWhereItIsDescribedTheSame) {
  std::vector<RunSummary> runs = {made_up(1, {-1, 2}), made_up(2, {-1, 2}), made_up(3, {-1, 2})};
  for (RunSummary& run : runs) run.config.system = "swing";
  runs[0].description = runs[2].description = "mass = 1";
  runs[1].description = "mass = 2";
  const std::vector<Group> groups = groups_of(runs);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].system, "swing#1");
  EXPECT_EQ(groups[0].runs, (std::vector<const RunSummary*>{&runs[0], &runs[2]}));
  EXPECT_EQ(groups[1].system, "swing#2");
  EXPECT_EQ(groups[1].label, "rhc-evr");
  EXPECT_EQ(warnings_about(runs),
            std::vector<std::string>{
                "different systems are called 'swing' and are kept apart: swing#1 is that of "
                "runs/1/system.toml, swing#2 is that of runs/2/system.toml; give them names of "
                "their own in the files that describe them"});
  runs[1].description = runs[0].description;
  EXPECT_EQ(groups_of(runs).size(), 1u);
  EXPECT_EQ(groups_of(runs)[0].system, "swing");
}

TEST(Groups, KeepABundledSystemApartFromADescribedOneOfItsName) {
  std::vector<RunSummary> runs(2, made_up(1, {-1, 2}));
  runs[0].description = "mass = 1";
  const std::vector<Group> groups = groups_of(runs);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].system, "pendulum#1");
  EXPECT_EQ(groups[1].system, "pendulum");
}

TEST(Groups, MixBuildsOfOneVersionAndWarn) {
  std::vector<RunSummary> runs = {made_up(1, {-1, 2}), made_up(2, {-1, 2}), made_up(3, {-1, 2})};
  runs[0].manifest.commit = runs[1].manifest.commit = "abc";
  EXPECT_EQ(groups_of(runs).size(), 1u);
  EXPECT_EQ(warnings_about(runs),
            std::vector<std::string>{"runs of rhc 1.0 were made by different builds of it, from "
                                     "the commits abc, unknown; they are mixed"});
  runs[2].manifest.commit = "abc";
  EXPECT_TRUE(warnings_about(runs).empty());
}

TEST(Groups, CountASeedOnceAndWarn) {
  std::vector<RunSummary> runs = {made_up(4, {-1, 2}), made_up(4, {-1, 3})};
  runs[1].path = "runs/again";
  const std::vector<Group> groups = groups_of(runs);
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].runs.size(), 1u);
  EXPECT_EQ(warnings_about(runs),
            std::vector<std::string>{
                "runs/again: seed 4 of pendulum rhc-evr is there already; it counts once"});
}

TEST(Groups, WarnOfRunsThatAreNotFinished) {
  std::vector<RunSummary> runs = {made_up(1, {-1, 2}), made_up(2, {-1, 2}), made_up(3, {-1, 2})};
  runs[0].manifest.status = runs[1].manifest.status = "running";
  runs[1].owner = "process 7";
  runs[1].config.episodes = 9;
  EXPECT_EQ(warnings_about(runs),
            (std::vector<std::string>{"runs/1: killed after episode 1 of 1",
                                      "runs/2: running after episode 1 of 9"}));
}

TEST(Groups, OfNoRunsAreNone) { EXPECT_TRUE(groups_of({}).empty()); }

TEST(Curve, IsOverTheRunsThatHaveAValueInThatEpisode) {
  const std::vector<RunSummary> runs = {made_up(1, {-1, 10, 4}), made_up(2, {-1, 20}),
                                        made_up(3, {-1, 60, -1, 8})};
  const Curve curve = cost_curve(groups_of(runs)[0]);
  EXPECT_EQ(curve.episode, (std::vector{1, 2, 3}));
  EXPECT_EQ(curve.count, (std::vector{3, 1, 1}));
  EXPECT_EQ(curve.median, (std::vector<double>{20, 4, 8}));
  EXPECT_DOUBLE_EQ(curve.decile1[0], 12);
  EXPECT_DOUBLE_EQ(curve.decile9[0], 52);
}

TEST(Curve, LeavesOutWhatIsNotFinite) {
  const std::vector<RunSummary> runs = {made_up(1, {-1, kInfinity}), made_up(2, {-1, 20})};
  const Curve curve = cost_curve(groups_of(runs)[0]);
  EXPECT_EQ(curve.count, std::vector{1});
  EXPECT_EQ(curve.median, std::vector<double>{20});
}

TEST(LastCommonEpisode, IsThatOfTheShortestRun) {
  std::vector<RunSummary> runs = {made_up(1, {-1, 10, 4}), made_up(2, {-1, 20})};
  EXPECT_EQ(last_common_episode(groups_of(runs)[0]), 1);
  runs[1].rows.clear();
  EXPECT_EQ(last_common_episode(groups_of(runs)[0]), 0);
  EXPECT_EQ(last_common_episode({}), 0);
}

// The limit of the made-up runs is 100.
TEST(EpisodesToLimit, IsTheMedianOfTheFirstTimesWithinOnePercent) {
  const std::vector<RunSummary> runs = {made_up(1, {-1, 300, 100.9, 500}),
                                        made_up(2, {-1, 100, 100}),
                                        made_up(3, {-1, 300, 101.1, 101.1, 101})};
  EXPECT_EQ(episodes_to_limit(groups_of(runs)[0]), 2);
}

TEST(EpisodesToLimit, BetweenTwoRunsIsTheirMean) {
  const std::vector<RunSummary> runs = {made_up(1, {-1, 300, 100}), made_up(2, {-1, 100, 100})};
  EXPECT_EQ(episodes_to_limit(groups_of(runs)[0]), 1.5);
}

TEST(EpisodesToLimit, IsNothingWhereMostHaveNotComeThatFar) {
  const std::vector<RunSummary> runs = {made_up(1, {-1, 100}), made_up(2, {-1, 300}),
                                        made_up(3, {-1, 300})};
  EXPECT_EQ(episodes_to_limit(groups_of(runs)[0]), std::nullopt);
  EXPECT_EQ(episodes_to_limit(groups_of({runs[0], runs[1]})[0]), std::nullopt);
  EXPECT_EQ(episodes_to_limit({}), std::nullopt);
}

TEST(EpisodesToLimit, IsNothingWithoutATask) {
  std::vector<RunSummary> runs = {made_up(1, {-1, -1, -1})};
  EXPECT_EQ(episodes_to_limit(groups_of(runs)[0]), std::nullopt);
  runs = {made_up(1, {-1, 50})};
  runs[0].rows[1].task_cost_limit.reset();
  EXPECT_EQ(episodes_to_limit(groups_of(runs)[0]), std::nullopt);
}

// First times of eleven runs: 2, 7, 1, 3, 3, 12, 5, 1, 4, 9 and 2. By numpy.quantile(...,
// [0.1, 0.5, 0.9]): 1, 3, 9.
TEST(ArrivalAtLimit, IsMedianAndDecilesOfTheFirstTimes) {
  std::vector<RunSummary> runs;
  for (const int first : {2, 7, 1, 3, 3, 12, 5, 1, 4, 9, 2}) {
    std::vector<double> costs(15, 150);
    costs[0] = -1;
    costs[static_cast<std::size_t>(first)] = 100;
    runs.push_back(made_up(runs.size() + 1, costs));
  }
  const auto arrival = arrival_at_limit(groups_of(runs)[0]);
  ASSERT_TRUE(arrival);
  EXPECT_DOUBLE_EQ(arrival->episodes.median, 3);
  EXPECT_DOUBLE_EQ(arrival->episodes.decile1, 1);
  EXPECT_DOUBLE_EQ(arrival->episodes.decile9, 9);
  EXPECT_EQ(arrival->arrived, 11);
}

// numpy.quantile([1, 2, 4, 8], [0.1, 0.5, 0.9]) is [1.3, 3, 6.8].
TEST(ArrivalAtLimit, IsInterpolatedBetweenRuns) {
  const std::vector<RunSummary> runs = {made_up(1, {-1, 300, 300, 300, 100}), made_up(2, {-1, 100}),
                                        made_up(3, {-1, 300, 100.9}),
                                        made_up(4, {-1, 2e3, 300, 300, 300, 300, 300, 300, 101})};
  const auto arrival = arrival_at_limit(groups_of(runs)[0]);
  ASSERT_TRUE(arrival);
  EXPECT_DOUBLE_EQ(arrival->episodes.decile1, 1.3);
  EXPECT_DOUBLE_EQ(arrival->episodes.median, 3);
  EXPECT_DOUBLE_EQ(arrival->episodes.decile9, 6.8);
}

TEST(ArrivalAtLimit, OfRunsThatDidNotComeThereIsLaterThanAll) {
  const std::vector<RunSummary> runs = {made_up(1, {-1, 300, 100}), made_up(2, {-1, 300, 101.1}),
                                        made_up(3, {-1, 100}), made_up(4, {})};
  const auto arrival = arrival_at_limit(groups_of(runs)[0]);
  ASSERT_TRUE(arrival);
  EXPECT_EQ(arrival->arrived, 2);
  EXPECT_EQ(arrival->episodes.median, kInfinity) << "between the second run and never";
  EXPECT_DOUBLE_EQ(arrival->episodes.decile1, 1.3);
  EXPECT_EQ(arrival->episodes.decile9, kInfinity);
}

TEST(ArrivalAtLimit, IsNotAtACostThatIsNoNumber) {
  const std::vector<RunSummary> runs = {made_up(1, {-1, 300, 300})};
  std::vector<RunSummary> spoilt = runs;
  spoilt[0].rows[1].task_cost = std::nan("");
  EXPECT_EQ(arrival_at_limit(groups_of(spoilt)[0])->arrived, 0);
}

TEST(ArrivalAtLimit, IsNothingWithoutATask) {
  EXPECT_FALSE(arrival_at_limit(groups_of({made_up(1, {-1, -1})})[0]));
  EXPECT_FALSE(arrival_at_limit({}));
}

// 3, 5 and 13 seconds: their mean is 7, their median 5.
TEST(RunTime, IsMeanAndMedianOfTheFinishedRuns) {
  std::vector<RunSummary> runs;
  for (const double seconds : {5.0, 13.0, 3.0, 1000.0}) {
    runs.push_back(made_up(runs.size() + 1, {-1, 2, 3}));
    runs.back().manifest.seconds = seconds;
  }
  runs[3].manifest.status = "interrupted";
  const auto time = run_time(groups_of(runs)[0]);
  ASSERT_TRUE(time);
  EXPECT_DOUBLE_EQ(time->mean, 7);
  EXPECT_DOUBLE_EQ(time->median, 5);
  EXPECT_EQ(time->runs, 3);
  EXPECT_EQ(time->episodes, 2);
  EXPECT_TRUE(time->evaluated);
}

TEST(RunTime, KnowsNoLengthWhereLengthsDiffer) {
  const std::vector<RunSummary> runs = {made_up(1, {-1, 2}), made_up(2, {-1, 2, 3})};
  EXPECT_EQ(run_time(groups_of(runs)[0])->episodes, std::nullopt);
}

TEST(RunTime, SaysWhereRunsWereNotEvaluated) {
  for (const bool task : {true, false}) {
    std::vector<RunSummary> runs = {made_up(1, {-1, 2})};
    runs[0].config.judge.task = task;
    if (task) runs[0].config.judge.test_trajectories = 0;
    EXPECT_FALSE(run_time(groups_of(runs)[0])->evaluated);
  }
}

TEST(RunTime, IsNothingWhereNoRunIsFinished) {
  std::vector<RunSummary> runs = {made_up(1, {-1, 2})};
  runs[0].manifest.status = "failed: disk full";
  EXPECT_FALSE(run_time(groups_of(runs)[0]));
  EXPECT_FALSE(run_time({}));
}

}  // namespace
}  // namespace rhc
