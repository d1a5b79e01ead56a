#include "rhc/report/compare_report.h"

#include <gtest/gtest.h>

#include "rhc/core/version.h"

namespace rhc {
namespace {

// Cost, log-likelihood, rmse and coverage after one and two episodes; the cost's limit is 100.
RunSummary made_up(std::uint64_t seed, const std::vector<double>& costs) {
  RunSummary run;
  run.path = "runs/r" + std::to_string(seed);
  run.config.seed = seed;
  run.config.episodes = static_cast<int>(costs.size());
  run.manifest.rhc = "1.0";
  run.manifest.status = "finished";
  run.manifest.seconds = 10 * static_cast<double>(seed);
  run.rows.push_back({.episode = 0, .rmse = 1, .task_cost_limit = 100});
  for (std::size_t k = 0; k < costs.size(); ++k) {
    MetricsRow row{.episode = static_cast<int>(k) + 1,
                   .rmse = costs[k] / 1000,
                   .scores = Scores{},
                   .task_cost = costs[k],
                   .task_cost_limit = 100};
    row.scores->log_likelihood = -costs[k];
    row.scores->coverage95 = 0.9;
    run.rows.push_back(row);
  }
  return run;
}

const std::vector<RunSummary> kThree = {made_up(1, {500, 100}), made_up(2, {300, 120}),
                                        made_up(4, {100.5, 180, 7})};

TEST(CompareReport, HasTheNumbersOfTheLastEpisodeThatAllHave) {
  const Json data = compare_report_data(kThree);
  EXPECT_EQ(data["kind"], "compare");
  EXPECT_EQ(data["version"], version());
  ASSERT_EQ(data["systems"].size(), 1u);
  ASSERT_EQ(data["systems"][0]["groups"].size(), 1u);
  const Json& final = data["systems"][0]["groups"][0]["final"];
  EXPECT_EQ(final["episode"], 2);
  EXPECT_EQ(final["task_cost"].dump(), R"({"median":120.0,"decile1":104.0,"decile9":168.0})");
  EXPECT_EQ(final["log_likelihood"]["median"], -120);
  EXPECT_EQ(final["rmse"]["median"], 0.12);
  EXPECT_EQ(final["coverage95"]["median"], 0.9);
  EXPECT_EQ(final["episodes_to_1_percent"], 2) << "of 2, never and 1";
  EXPECT_EQ(final["seconds"], 20);
}

TEST(CompareReport, HasCurvesOverAllEpisodes) {
  const Json curves = compare_report_data(kThree)["systems"][0]["groups"][0]["curves"];
  EXPECT_EQ(curves["task_cost"].dump(),
            R"({"episode":[1,2,3],"median":[300.0,120.0,7.0],"decile1":[140.4,104.0,7.0],)"
            R"("decile9":[460.0,168.0,7.0],"count":[3,3,1]})");
  EXPECT_EQ(curves["rmse"]["episode"].dump(), "[0,1,2,3]");
}

TEST(CompareReport, NamesTheRunsOfAGroup) {
  const Json group = compare_report_data(kThree)["systems"][0]["groups"][0];
  EXPECT_EQ(group["label"], "rhc-evr");
  EXPECT_EQ(group["runs"].dump(),
            R"([{"name":"r1","seed":1},{"name":"r2","seed":2},{"name":"r4","seed":4}])");
}

TEST(CompareReport, HasLimitAndBestAchievableOfASystem) {
  std::vector<RunSummary> runs = kThree;
  runs[0].rows.clear();
  runs[1].best_achievable = Scores{1, 2, 3, 4, 5};
  const Json system = compare_report_data(runs)["systems"][0];
  EXPECT_EQ(system["limit"], 100);
  EXPECT_EQ(system["best_achievable"]["rmse"], 1);
}

TEST(CompareReport, PutsSystemsApartEachWithThePapersCurves) {
  std::vector<RunSummary> runs(3, made_up(1, {500, 100}));
  runs[1].config.system = "mountain-car";
  runs[2].config.system = "cartpole";
  const Json data = compare_report_data(runs);
  ASSERT_EQ(data["systems"].size(), 3u);
  EXPECT_EQ(data["systems"][0]["name"], "pendulum");
  EXPECT_EQ(data["systems"][0]["paper"].size(), 4u);
  EXPECT_EQ(data["systems"][1]["paper"].size(), 0u) << "the paper has no numbers of it";
  EXPECT_EQ(data["systems"][2]["paper"].size(), 4u);
  EXPECT_EQ(data["systems"][0]["paper"][0]["label"], "paper, RHC US");
  EXPECT_EQ(data["systems"][0]["paper"][0]["median"][0], 40400);
  EXPECT_EQ(data["systems"][0]["paper"][0]["count"][0], 20);
}

TEST(CompareReport, OfRunsWithoutEvaluationHasNulls) {
  std::vector<RunSummary> runs = kThree;
  for (RunSummary& run : runs)
    for (MetricsRow& row : run.rows) row = {.episode = row.episode};
  const Json system = compare_report_data(runs)["systems"][0];
  EXPECT_TRUE(system["limit"].is_null());
  const Json& final = system["groups"][0]["final"];
  for (const char* key : {"task_cost", "log_likelihood", "rmse", "coverage95"})
    EXPECT_TRUE(final[key].is_null()) << key;
  EXPECT_TRUE(final["episodes_to_1_percent"].is_null());
}

TEST(CompareReport, TakesRunsThatHaveNoRows) {
  std::vector<RunSummary> runs = kThree;
  runs[1].rows.clear();
  const Json final = compare_report_data(runs)["systems"][0]["groups"][0]["final"];
  EXPECT_EQ(final["episode"], 0);
  EXPECT_TRUE(final["task_cost"].is_null());
  EXPECT_NE(compare_table(compare_report_data(runs)).find("rhc-evr"), std::string::npos);
}

TEST(CompareReport, OfNothingIsEmpty) {
  const Json data = compare_report_data({});
  EXPECT_TRUE(data["systems"].empty());
  EXPECT_TRUE(data["warnings"].empty());
}

TEST(CompareReport, WarnsOfDamage) {
  std::vector<RunSummary> runs = kThree;
  runs[2].damaged = {"runs/r4/metrics.jsonl:3: not valid JSON"};
  EXPECT_EQ(compare_report_data(runs)["warnings"].dump(),
            R"(["damaged: runs/r4/metrics.jsonl:3: not valid JSON"])");
}

TEST(CompareTable, HasALineAGroupWithTheSameNumbers) {
  std::vector<RunSummary> runs = kThree;
  runs.push_back(made_up(1, {500}));
  runs.back().config.method = "random";
  EXPECT_EQ(compare_table(compare_report_data(runs)),
            "system         method                   seeds episode    task cost   9th decile    "
            "log-lik       rmse  cover95   to 1 %\n"
            "pendulum       rhc-evr                      3       2       120.00       168.00       "
            "-120       0.12    0.900        2\n"
            "pendulum       random                       1       1       500.00       500.00       "
            "-500        0.5    0.900    never\n");
}

// Numbers whose difference is no number any more.
TEST(CompareTable, HasADashWhereANumberIsNotFinite) {
  std::vector<RunSummary> runs = {kThree[0], kThree[1]};
  runs[0].rows[2].scores->log_likelihood = -1.7e308;
  runs[1].rows[2].scores->log_likelihood = 1.7e308;
  EXPECT_NE(compare_table(compare_report_data(runs)).find(" - "), std::string::npos);
}

}  // namespace
}  // namespace rhc
