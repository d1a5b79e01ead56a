#include "rhc/io/metrics.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace rhc {
namespace {

TEST(MetricsJson, WritesNullWhereNothingIsKnown) {
  const auto json = metrics_json({.rmse = 1.5});
  EXPECT_EQ(json["episode"], 0);
  EXPECT_EQ(json["rmse"], 1.5);
  for (const char* key :
       {"log_likelihood", "log_likelihood_one_step", "log_likelihood_paper", "coverage95",
        "evidence", "task_cost", "task_cost_predicted", "task_cost_limit", "information_planned",
        "information_gained", "plan_status"})
    EXPECT_TRUE(json.contains(key) && json[key].is_null()) << key;
}

TEST(MetricsJson, WritesEveryScoreUnderItsName) {
  MetricsRow row{.episode = 3, .steps = 100, .transitions = 300, .rmse = 0.1};
  row.task_cost = 19344.5;
  row.task_cost_predicted = 19344.25;
  row.task_cost_limit = 19344.0;
  row.information_planned = 8.5;
  row.information_gained = 8.25;
  row.plan_status = "converged";
  row.scores = Scores{0.1, 2, 3, 4, 0.95};
  row.evidence = -7.25;
  row.plan_seconds = 1;
  row.fit_seconds = 2;
  row.evaluate_seconds = 3;
  EXPECT_EQ(
      metrics_json(row).dump(),
      R"({"episode":3,"steps":100,"transitions":300,"rmse":0.1,"log_likelihood":2.0,)"
      R"("log_likelihood_one_step":3.0,"log_likelihood_paper":4.0,"coverage95":0.95,)"
      R"("evidence":-7.25,"task_cost":19344.5,"task_cost_predicted":19344.25,)"
      R"("task_cost_limit":19344.0,"information_planned":8.5,"information_gained":8.25,)"
      R"("plan_status":"converged","plan_seconds":1.0,"fit_seconds":2.0,"evaluate_seconds":3.0})");
}

TEST(MetricsJson, TurnsNanIntoNull) {
  MetricsRow row{.rmse = 0};
  row.evidence = -std::numeric_limits<double>::infinity();
  EXPECT_TRUE(nlohmann::json::parse(metrics_json(row).dump())["evidence"].is_null());
}

}  // namespace
}  // namespace rhc
