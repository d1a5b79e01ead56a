#include "rhc/report/reproduce_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "rhc/report/reproduce_report.h"
#include "tests/report/many_runs.h"

namespace rhc {
namespace {

std::string tables_of(const std::vector<RunSummary>& runs) {
  return reproduce_tables(reproduce_report_data(runs, std::nullopt, 1));
}

RunSummary twenty_of_pendulum(const std::string& method, std::uint64_t seed, double last) {
  std::vector<double> costs(20, 300);
  costs[19] = last;
  return run_with_costs("pendulum", method, seed, costs);
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(ReproduceTables, HaveTheFinalNumbers) {
  const std::string text =
      tables_of({twenty_of_pendulum("rhc-us", 1, 100), twenty_of_pendulum("rhc-us", 2, 120),
                 twenty_of_pendulum("rhc-us", 3, 140)});
  for (const char* line : {"| system   | method    | runs | episode |      task cost |    "
                           "log-likelihood |  rmse | cover95 |",
                           "| pendulum | reference |      |         |            100 |          "
                           "     250 | 0.001 |    0.95 |",
                           "| pendulum | rhc-us    |    3 |      20 | 120 [104, 136] | -120 [-136, "
                           "-104] |  0.12 |     0.9 |"})
    EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
}

TEST(ReproduceTables, HaveEpisodesUntilTheLimit) {
  const std::string text =
      tables_of({twenty_of_pendulum("rhc-us", 1, 100), twenty_of_pendulum("rhc-us", 2, 100),
                 twenty_of_pendulum("random", 1, 200), twenty_of_pendulum("random", 2, 100)});
  EXPECT_TRUE(
      has_line(text, "| pendulum | rhc-us |     20 |     [20, 20] |               2 of 2 |"))
      << text;
  EXPECT_TRUE(
      has_line(text, "| pendulum | random |   > 20 | [> 20, > 20] |               1 of 2 |"))
      << text;
}

TEST(ReproduceTables, HaveRunTimesBesideThePapers) {
  RunSummary slow = twenty_of_pendulum("max", 1, 200);
  slow.manifest.seconds = 7200;
  RunSummary slower = twenty_of_pendulum("rhc-info", 1, 200);
  slower.manifest.seconds = 150;
  const std::string text = tables_of(
      {twenty_of_pendulum("rhc-evr", 1, 100), twenty_of_pendulum("rhc-us", 2, 100), slow, slower});
  for (const char* line :
       {"| system   | method   | runs | episodes |    mean |  median |         paper | ratio |",
        "| pendulum | rhc-evr  |    1 |       20 |    10 s |    10 s | could not run |     - |",
        "| pendulum | rhc-info |    1 |       20 | 2.5 min | 2.5 min |     not in it |     - |",
        "| pendulum | rhc-us   |    1 |       20 |    20 s |    20 s |         0.8 h |   144 |",
        "| pendulum | max      |    1 |       20 |  2.00 h |  2.00 h |       11.17 h |  5.58 |"})
    EXPECT_TRUE(has_line(text, line)) << text;
}

// Readable as plain text, too.
TEST(ReproduceTables, HaveLinesOfOneLengthInEachTable) {
  RunSummary another = twenty_of_pendulum("rhc-us", 1, 300);
  another.config.model.features = 90;
  std::istringstream text(
      tables_of({twenty_of_pendulum("rhc-us", 1, 100), another, twenty_of_pendulum("max", 1, 7)}));
  std::size_t length = 0, tables = 0;
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with('|')) {
      length = 0;
      continue;
    }
    if (length == 0) ++tables;
    if (length == 0) length = line.size();
    EXPECT_EQ(line.size(), length) << line;
    EXPECT_LE(line.size(), 160u) << line;
  }
  EXPECT_EQ(tables, 3u);
}

TEST(ReproduceTables, SayHowTheRunsWereMadeAndWhatToMind) {
  std::vector<RunSummary> runs = {twenty_of_pendulum("rhc-us", 1, 100),
                                  twenty_of_pendulum("rhc-us", 2, 100)};
  runs[1].manifest.status = "interrupted";
  const std::string text = tables_of(runs);
  EXPECT_NE(text.find("2 runs, 1 of them finished, 30 s of work in all.\n"
                      "rhc 1.0; compiler GNU 12; CPU Abacus.\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(has_line(text, "- runs/pendulum-rhc-us-2: interrupted after episode 20 of 20"));
  EXPECT_NE(text.find("Figure 2 is missing. There is no run of the pendulum"), std::string::npos);
}

TEST(ReproduceTables, HaveDashesForWhatWasNotMeasured) {
  RunSummary run = twenty_of_pendulum("rhc-us", 1, 100);
  run.best_achievable.reset();
  for (MetricsRow& row : run.rows) row = {.episode = row.episode};
  const std::string text = tables_of({run});
  EXPECT_TRUE(has_line(text,
                       "| pendulum | rhc-us    |    1 |      20 |         - |              - | "
                       "   - |       - |"))
      << text;
  EXPECT_EQ(text.find("within 1 %"), std::string::npos);
}

TEST(ReproduceTables, OfNothingAreWords) {
  EXPECT_NE(tables_of({}).find("0 runs, 0 of them finished"), std::string::npos);
}

TEST(ReproduceTables, KeepABarInANameInsideItsCell) {
  const std::string text = tables_of({run_with_costs("my|system", "rhc-us", 1, {100})});
  EXPECT_NE(text.find("| my\\|system | rhc-us "), std::string::npos) << text;
}

}  // namespace
}  // namespace rhc
