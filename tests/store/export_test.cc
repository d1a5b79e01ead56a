#include "rhc/store/export.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rhc/core/error.h"
#include "rhc/system/pendulum.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

Trajectory one_step(double first) {
  return {Matrix{{first, 0.5}, {0, 1}, {0, -2.25}}, Matrix{{0.1}}};
}

// Two episodes, and one between them whose file is damaged.
RunRecord small_run() {
  RunRecord run;
  run.spec = Pendulum{}.spec();
  run.episodes = {one_step(1), std::nullopt, one_step(3)};
  run.rows = {{.rmse = 1.5}, {.episode = 1, .steps = 1}};
  run.rows[1].plan_status = "converged";
  run.rows[1].evidence = std::nan("");
  return run;
}

TEST(Export, WritesARowAStepAndBlanksWhereNobodyActs) {
  EXPECT_EQ(steps_as_csv(small_run()),
            "episode,step,cos,sin,thetadot,action\n"
            "1,0,1,0,0,0.1\n"
            "1,1,0.5,1,-2.25,\n"
            "3,0,3,0,0,0.1\n"
            "3,1,0.5,1,-2.25,\n");
}

TEST(Export, WritesAnObjectAStepAndNullWhereNobodyActs) {
  const std::string lines = steps_as_jsonl(small_run());
  EXPECT_TRUE(lines.starts_with(
      R"({"episode":1,"step":0,"cos":1.0,"sin":0.0,"thetadot":0.0,"action":0.1})"
      "\n"
      R"({"episode":1,"step":1,"cos":0.5,"sin":1.0,"thetadot":-2.25,"action":null})"
      "\n"))
      << lines;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 4);
}

TEST(Export, WritesEveryKeyOfTheMetricsAsAColumn) {
  const std::string csv = metrics_as_csv(small_run());
  std::istringstream lines(csv);
  std::string header, first, second;
  std::getline(lines, header);
  std::getline(lines, first);
  std::getline(lines, second);
  std::string expected;
  const Json columns = metrics_cells({});
  for (const auto& [name, value] : columns.items())
    expected += (expected.empty() ? "" : ",") + name;
  EXPECT_EQ(header, expected);
  EXPECT_EQ(first, "0,0,0,0,1.5,,,,,,,,,,,,,,,,,0,0,0");
  EXPECT_EQ(second, "1,1,0,0,,,,,,,,,,,,,,,,converged,,0,0,0")
      << "what is not finite is blank, too";
}

TEST(Export, LeavesBlankWhatARowOfAnOlderVersionDoesNotSay) {
  RunRecord run = small_run();
  run.rows[0].trouble = "ended after 1 of 2 steps";
  run.rows[1].trouble.reset();
  const std::string csv = metrics_as_csv(run);
  EXPECT_NE(csv.find(",,ended after 1 of 2 steps,0,0,0\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",converged,,0,0,0\n"), std::string::npos) << csv;
}

TEST(Export, WritesTheInformationOfAllOutputsIntoOneCell) {
  RunRecord run = small_run();
  run.rows[1].information_gained = 3.75;
  run.rows[1].information_by_output = {1.5, 2, 0.25};
  const std::string csv = metrics_as_csv(run);
  EXPECT_NE(csv.find(",3.75,1.5 2 0.25,converged,"), std::string::npos) << csv;
}

TEST(Export, WritesTheMetricsAsTheRunKeepsThem) {
  const RunRecord run = small_run();
  EXPECT_EQ(metrics_as_jsonl(run), metrics_text(run.rows));
}

TEST(Export, GivesTheSameBytesEveryTime) {
  EXPECT_EQ(run_as_npz(small_run()), run_as_npz(small_run()));
}

TEST(Export, HasAHeaderWhereThereIsNoEpisode) {
  RunRecord run = small_run();
  run.episodes.clear();
  run.rows.clear();
  EXPECT_EQ(steps_as_csv(run), "episode,step,cos,sin,thetadot,action\n");
  EXPECT_EQ(steps_as_jsonl(run), "");
  EXPECT_GT(run_as_npz(run).size(), 0u);
}

TEST(Export, NamesTheFormatsItKnows) {
  EXPECT_EQ(message_of<InputError>([] { export_run(small_run(), "csw", false); }),
            "unknown format 'csw'; did you mean 'csv'? (known: csv, jsonl, npz)");
}

}  // namespace
}  // namespace rhc
