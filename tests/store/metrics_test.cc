#include "rhc/store/metrics.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

TEST(MetricsJson, WritesNullWhereNothingIsKnown) {
  const auto json = metrics_json({.rmse = 1.5});
  EXPECT_EQ(json["episode"], 0);
  EXPECT_EQ(json["rmse"], 1.5);
  for (const char* key :
       {"log_likelihood", "log_likelihood_one_step", "log_likelihood_paper", "coverage95",
        "evidence", "task_cost", "task_cost_predicted", "task_cost_limit", "information_planned",
        "information_gained", "plan_status", "trouble"})
    EXPECT_TRUE(json.contains(key) && json[key].is_null()) << key;
}

TEST(MetricsJson, WritesEveryScoreUnderItsName) {
  MetricsRow row{.episode = 3, .steps = 100, .transitions = 300, .rmse = 0.1};
  row.task_cost = 19344.5;
  row.task_cost_predicted = 19344.25;
  row.task_cost_limit = 19344.0;
  row.information_planned = 8.5;
  row.information_gained = 8.25;
  row.information_by_output = {5, 3.25};
  row.plan_status = "converged";
  row.trouble = "ended after 100 of 200 steps";
  row.scores = Scores{0.1, 2, 3, 4, 0.95};
  row.evidence = -7.25;
  row.plan_seconds = 1;
  row.fit_seconds = 2;
  row.evaluate_seconds = 3;
  EXPECT_EQ(metrics_json(row).dump(),
            R"({"episode":3,"steps":100,"transitions":300,"rmse":0.1,"log_likelihood":2.0,)"
            R"("log_likelihood_one_step":3.0,"log_likelihood_paper":4.0,"coverage95":0.95,)"
            R"("evidence":-7.25,"task_cost":19344.5,"task_cost_predicted":19344.25,)"
            R"("task_cost_limit":19344.0,"information_planned":8.5,"information_gained":8.25,)"
            R"("information_by_output":[5.0,3.25],)"
            R"("plan_status":"converged","trouble":"ended after 100 of 200 steps",)"
            R"("plan_seconds":1.0,"fit_seconds":2.0,"evaluate_seconds":3.0})");
}

TEST(MetricsJson, TurnsNanIntoNull) {
  MetricsRow row{.rmse = 0};
  row.evidence = -std::numeric_limits<double>::infinity();
  EXPECT_TRUE(nlohmann::json::parse(metrics_json(row).dump())["evidence"].is_null());
}

MetricsRow full_row() {
  MetricsRow row{.episode = 3, .steps = 100, .transitions = 300, .rmse = 0.1};
  row.task_cost = 1.0 / 3;
  row.task_cost_predicted = 1e-300;
  row.task_cost_limit = -0.0;
  row.information_planned = 8.5;
  row.information_gained = 8.25;
  row.information_by_output = {8, 0.25};
  row.plan_status = "converged";
  row.scores = Scores{0.1, 2, 3, 4, 0.95};
  row.evidence = -7.25;
  row.plan_seconds = 1;
  row.fit_seconds = 2;
  row.evaluate_seconds = 3;
  return row;
}

MetricsRow read_back(const MetricsRow& row) {
  return metrics_row({metrics_json(row).dump(), "here"});
}

// Version 0.1 knew no trouble: such a row does not come to say that there was none.
TEST(MetricsRow, OfAnOlderVersionStaysAsItIs) {
  Json old = metrics_json(full_row());
  old.erase("trouble");
  old.erase("information_by_output");
  const MetricsRow row = metrics_row({old.dump(), "here"});
  EXPECT_EQ(row.trouble, std::nullopt);
  EXPECT_TRUE(row.information_by_output.empty());
  EXPECT_EQ(metrics_json(row).dump(), old.dump());
  EXPECT_EQ(read_back(full_row()).trouble, "");
}

TEST(MetricsRow, IsWrittenAgainAsItWasRead) {
  MetricsRow undefined = full_row();
  undefined.scores->log_likelihood = -std::numeric_limits<double>::infinity();
  undefined.evidence = std::nan("");
  MetricsRow blind = full_row();
  blind.scores->coverage95 = std::nan("");
  for (const MetricsRow& row :
       {MetricsRow{}, MetricsRow{.rmse = 1.5}, MetricsRow{.steps = 9, .left_out = 4}, full_row(),
        undefined, blind})
    EXPECT_EQ(metrics_json(read_back(row)).dump(), metrics_json(row).dump());
}

TEST(MetricsRow, CountsWhatIsLeftOutWhereAnythingIs) {
  EXPECT_EQ(read_back({.steps = 9, .left_out = 4}).left_out, 4);
  EXPECT_FALSE(metrics_json({.steps = 9}).contains("left_out"));
  EXPECT_EQ(metrics_cells({.steps = 9})["left_out"], 0);
}

TEST(MetricsRow, NamesAKeyThatIsMissing) {
  const Json whole = metrics_json(full_row());
  for (const auto& [key, value] : whole.items()) {
    // Which 0.1 did not write.
    if (key == "trouble" || key == "information_by_output") continue;
    Json without = whole;
    without.erase(key);
    EXPECT_EQ(message_of<InputError>([&] {
                metrics_row({without.dump(), "here:4"});
              }),
              "here:4: \"" + key + "\" is missing");
  }
}

TEST(MetricsRow, WithoutSecondsKeepsAllElse) {
  const MetricsRow row = full_row().without_seconds();
  EXPECT_EQ(row.plan_seconds + row.fit_seconds + row.evaluate_seconds, 0);
  Json expected = metrics_json(full_row());
  for (const char* key : {"plan_seconds", "fit_seconds", "evaluate_seconds"}) expected[key] = 0.0;
  EXPECT_EQ(metrics_json(row).dump(), expected.dump());
}

}  // namespace
}  // namespace rhc
