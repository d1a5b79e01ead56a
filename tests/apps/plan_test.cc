#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/program.h"

namespace rhc {
namespace {

std::string problem_path(const std::string& name) {
  return std::string(RHC_TEST_DATA) + "/problem_" + name + ".json";
}

nlohmann::json planned(const std::vector<std::string>& words, const TemporaryDirectory& dir) {
  const Outcome outcome = run(words, dir);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

// The problems and the best of six IPOPT solutions each, rolled out, come from the paper's planner.
TEST(Plan, IsAsGoodAsTheBestOfSixIpoptStarts) {
  const TemporaryDirectory dir;
  for (const char* name : {"mountaincar", "pendulum", "cartpole"}) {
    const nlohmann::json result = planned({"plan", problem_path(name), "--objective", "us"}, dir);
    const double best = nlohmann::json::parse(slurp(problem_path(name)))["ipopt_best_of_six"];
    EXPECT_GT(result["objective"].get<double>(), 0.98 * best) << name;
    EXPECT_EQ(result["defect"], 0.0);
    EXPECT_EQ(result["actions"].size(), name == std::string("mountaincar") ? 130u : 100u);
    for (const double action : result["actions"]) EXPECT_LE(std::abs(action), 1);
  }
}

TEST(Plan, DoesNotDependOnTheNumberOfThreads) {
  const TemporaryDirectory dir;
  const auto with = [&](const char* threads) {
    nlohmann::json result =
        planned({"plan", problem_path("mountaincar"), "--threads", threads}, dir);
    result.erase("seconds");
    return result;
  };
  EXPECT_EQ(with("1"), with("3"));
}

TEST(Plan, DependsOnTheSeed) {
  const TemporaryDirectory dir;
  const auto with = [&](const char* seed) {
    return planned({"plan", problem_path("mountaincar"), "--starts", "2", "--seed", seed},
                   dir)["actions"];
  };
  EXPECT_NE(with("1"), with("2"));
}

TEST(Plan, SolvesWhatExploreDumps) {
  const TemporaryDirectory dir;
  ASSERT_EQ(run({"explore", "cartpole", "--no-evaluation", "--quiet", "--episodes", "2",
                 "--dump-problem", "2", "--out", "r", "features=40"},
                dir)
                .code,
            0);
  for (const char* objective : {"us", "info", "evr", "task"}) {
    const nlohmann::json result =
        planned({"plan", "r/problem-0002.json", "--objective", objective}, dir);
    EXPECT_GT(result["objective"].get<double>(), 0) << objective;
    EXPECT_LT(result["bound_violation"].get<double>(), 1e-5) << objective;
  }
}

TEST(Plan, IsPosedWithoutCircleAndLimitsWhereTheRunKeepsNeither) {
  const TemporaryDirectory dir;
  ASSERT_EQ(run({"explore", "cartpole", "--no-evaluation", "--quiet", "--episodes", "1",
                 "--dump-problem", "1", "--out", "r", "features=20", "stay_inside=false"},
                dir)
                .code,
            0);
  const nlohmann::json problem = nlohmann::json::parse(slurp(dir.path() / "r/problem-0001.json"));
  EXPECT_TRUE(problem["angles"].empty());
  for (const nlohmann::json& bound : problem["state_bounds"][1]) EXPECT_TRUE(bound.is_null());
}

TEST(Plan, CountsOnlyTheLastStepWhenAsked) {
  const TemporaryDirectory dir;
  const double all =
      planned({"plan", problem_path("mountaincar"), "--objective", "us"}, dir)["objective"];
  const double last =
      planned({"plan", problem_path("mountaincar"), "--objective", "us", "--weights", "last"},
              dir)["objective"];
  EXPECT_GT(last, 0);
  EXPECT_LT(last, all);
}

TEST(Plan, RefusesABadFileAndSaysWhere) {
  const TemporaryDirectory dir;
  const Outcome missing = run({"plan", "nowhere.json"}, dir);
  EXPECT_NE(missing.code, 0);
  EXPECT_NE(missing.err.find("nowhere.json"), std::string::npos);
  dir.write("bad.json", "{\"T\": 3}");
  const Outcome bad = run({"plan", "bad.json"}, dir);
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(bad.err, "rhc: bad.json: \"o_dim\" is missing\n");
}

TEST(Plan, SaysThatThereIsNoTask) {
  const TemporaryDirectory dir;
  const Outcome outcome = run({"plan", problem_path("mountaincar"), "--objective", "task"}, dir);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("there is no \"task\" to plan for"), std::string::npos);
}

}  // namespace
}  // namespace rhc
