#include "rhc/study/collect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/store/export.h"
#include "tests/small_run.h"
#include "tests/study/small_sweep.h"

namespace rhc {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// As RFC 4180 has it: a cell in quotes may hold commas.
Rows csv_rows(const std::string& text) {
  Rows rows;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    std::vector<std::string> cells(1);
    bool inside = false;
    for (const char c : line) {
      if (c == '"')
        inside = !inside;
      else if (c == ',' && !inside)
        cells.emplace_back();
      else
        cells.back() += c;
    }
    rows.push_back(cells);
  }
  return rows;
}

Rows results_of(const std::vector<RunSummary>& runs, int threads = 1) {
  const TemporaryDirectory dir;
  write_results(runs, dir.path() / "results.csv", threads);
  return csv_rows(slurp(dir.path() / "results.csv"));
}

std::size_t column(const Rows& rows, const std::string& name) {
  const auto found = std::find(rows[0].begin(), rows[0].end(), name);
  EXPECT_NE(found, rows[0].end()) << name;
  return static_cast<std::size_t>(found - rows[0].begin());
}

// One finished, one stopped after its first episode, one that has not begun.
class Collect : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TemporaryDirectory;
    sweep_ = new Sweep(
        begun(dir_->path() / "s", tiny_sweep("system = \"mountain-car\"\nmethod = \"random\"\n"
                                             "seed = \"1-3\"\n")));
    work(*sweep_, 0);
    work_until(*sweep_, 1, 1);
  }
  static void TearDownTestSuite() {
    delete sweep_;
    delete dir_;
  }

  static inline TemporaryDirectory* dir_;
  static inline Sweep* sweep_;
};

TEST_F(Collect, TakesEveryRunThatHasBegunInTheOrderOfThePlan) {
  const Collected collected = collect(*sweep_, 2);
  ASSERT_EQ(collected.runs.size(), 2u);
  EXPECT_TRUE(collected.left_out.empty());
  EXPECT_EQ(collected.runs[0].config.seed, 1u);
  EXPECT_EQ(collected.runs[0].status(), "finished");
  EXPECT_EQ(collected.runs[1].status(), "interrupted");
  EXPECT_EQ(collected.runs[1].rows.size(), 2u);
}

TEST_F(Collect, LeavesOutARunOfOtherSettingsAndNamesIt) {
  const TemporaryDirectory dir;
  const Sweep sweep = begun(dir.path() / "s");
  work(sweep, 0);
  Config other = sweep.plan.runs[1].config;
  other.model.caution = 2;
  explore(sweep.run_path(sweep.plan.runs[1]), other);
  const Collected collected = collect(sweep, 1);
  ASSERT_EQ(collected.runs.size(), 1u);
  EXPECT_EQ(collected.runs[0].config.seed, 1u);
  ASSERT_EQ(collected.left_out.size(), 1u);
  EXPECT_EQ(collected.left_out[0],
            "left out: '" + sweep.run_path(sweep.plan.runs[1]).string() +
                "' holds another run: caution is 2.0 there and 6.0 in the sweep");
}

TEST_F(Collect, LeavesOutARunThatCannotBeReadAndNamesIt) {
  const TemporaryDirectory dir;
  const Sweep sweep = begun(dir.path() / "s");
  work(sweep, 0);
  work(sweep, 1);
  std::ofstream(sweep.run_path(sweep.plan.runs[0]) / "manifest.json") << "{";
  const Collected collected = collect(sweep, 1);
  ASSERT_EQ(collected.runs.size(), 1u);
  EXPECT_EQ(collected.runs[0].config.seed, 2u);
  ASSERT_EQ(collected.left_out.size(), 1u);
  EXPECT_NE(collected.left_out[0].find("mountain-car-random-1/manifest.json"), std::string::npos)
      << collected.left_out[0];
}

TEST_F(Collect, TakesRowsThatAreLackingFromTheCheckpointAndSaysSo) {
  const TemporaryDirectory dir;
  const Sweep sweep = begun(dir.path() / "s");
  work(sweep, 0);
  const std::filesystem::path path = sweep.run_path(sweep.plan.runs[0]);
  std::filesystem::remove(path / "metrics.jsonl");
  const Collected collected = collect(sweep, 1);
  ASSERT_EQ(collected.runs.size(), 1u);
  EXPECT_EQ(collected.runs[0].rows.size(), 3u);
  EXPECT_TRUE(collected.runs[0].remark.starts_with(path.string() + ": metrics.jsonl has 0 of 3"))
      << collected.runs[0].remark;
}

TEST_F(Collect, LeavesOutARunWhoseRowsAreNowhereAndNamesIt) {
  const TemporaryDirectory dir;
  const Sweep sweep = begun(dir.path() / "s");
  work(sweep, 0);
  const std::filesystem::path path = sweep.run_path(sweep.plan.runs[0]);
  for (const char* file : {"metrics.jsonl", "checkpoint"}) std::filesystem::remove(path / file);
  const Collected collected = collect(sweep, 1);
  EXPECT_TRUE(collected.runs.empty());
  ASSERT_EQ(collected.left_out.size(), 1u);
  EXPECT_TRUE(collected.left_out[0].starts_with("left out: " + path.string() + ": metrics.jsonl"))
      << collected.left_out[0];
}

TEST_F(Collect, TakesNoRunThatThePlanDoesNotName) {
  const TemporaryDirectory dir;
  const Sweep sweep = begun(dir.path() / "s");
  work(sweep, 0);
  std::filesystem::copy(sweep.run_path(sweep.plan.runs[0]), sweep.path / "runs/by-hand",
                        std::filesystem::copy_options::recursive);
  EXPECT_EQ(collect(sweep, 1).runs.size(), 1u);
}

TEST_F(Collect, HasALineForEveryRunAndEpisode) {
  const Rows rows = results_of(collect(*sweep_, 1).runs);
  ASSERT_EQ(rows.size(), 1u + 3 + 2);
  const std::size_t episode = column(rows, "episode");
  EXPECT_EQ(rows[1][0], "mountain-car-random-1");
  EXPECT_EQ(rows[3][episode], "2");
  EXPECT_EQ(rows[3][column(rows, "finished")], "yes");
  EXPECT_EQ(rows[5][0], "mountain-car-random-2");
  EXPECT_EQ(rows[5][episode], "1");
  EXPECT_EQ(rows[5][column(rows, "finished")], "no");
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
}

TEST_F(Collect, WritesNumbersThatReadBackExactly) {
  const std::vector<RunSummary> runs = collect(*sweep_, 1).runs;
  const Rows rows = results_of(runs);
  const std::size_t first = column(rows, "episode");
  std::size_t line = 1;
  for (const RunSummary& run : runs)
    for (const MetricsRow& row : run.rows) {
      std::size_t cell = first;
      const Json metrics = metrics_cells(row);
      for (const auto& [key, value] : metrics.items()) {
        const std::string& text = rows[line][cell++];
        if (value.is_number() && !std::isfinite(value.get<double>())) {
          EXPECT_EQ(text, "") << key;
        } else if (value.is_number()) {
          EXPECT_EQ(parse_number(text), value.get<double>()) << key;
        } else if (value.is_array()) {
          EXPECT_EQ(text, csv_cell(value)) << key;
        } else {
          EXPECT_EQ(text, value.is_null() ? "" : value.get<std::string>()) << key;
        }
      }
      ++line;
    }
  EXPECT_EQ(line, rows.size());
}

TEST_F(Collect, WritesTheSameBytesWhateverTheNumberOfThreads) {
  std::vector<RunSummary> runs;
  for (int i = 0; i < 300; ++i) {
    runs.push_back(collect(*sweep_, 1).runs[0]);
    runs.back().config.seed = static_cast<std::uint64_t>(i);
  }
  EXPECT_EQ(results_of(runs, 1), results_of(runs, 4));
  EXPECT_EQ(results_of(runs).size(), 1u + 3 * 300);
}

TEST_F(Collect, HasAColumnForWhatIsVariedAndQuotesCommas) {
  std::vector<RunSummary> runs = collect(*sweep_, 1).runs;
  runs[1].config.noise.observation = {0.25, 0.5};
  runs[1].config.sac.hidden = {8};
  const Rows rows = results_of(runs);
  EXPECT_EQ(Rows{rows[0]}[0][6], "observation_noise");
  EXPECT_EQ(rows[0][7], "sac_hidden");
  EXPECT_EQ(rows[0][8], "episode");
  EXPECT_EQ(rows[4][6], "[0.25,0.5]");
  EXPECT_EQ(rows[1][7], "[64,64]");
  EXPECT_EQ(rows[4][7], "[8]");
}

TEST_F(Collect, LeavesTheFormerResultsWhereItCannotWrite) {
  const TemporaryDirectory dir;
  std::filesystem::create_directory(dir.path() / "results.csv");
  EXPECT_NE(message_of<IoError>([&] {
              write_results({}, dir.path() / "results.csv", 1);
            }).find("cannot write '"),
            std::string::npos);
  const std::string file = (dir.path() / "none/results.csv").string();
  EXPECT_EQ(message_of<IoError>([&] { write_results({}, file, 1); }),
            "cannot create '" + file + "': No such file or directory");
}

TEST_F(Collect, CurvesAreThoseOfTheGroups) {
  const std::vector<RunSummary> runs = collect(*sweep_, 1).runs;
  std::vector<std::string> warnings;
  const std::vector<Group> groups = group_runs(runs, warnings);
  const Rows rows = csv_rows(curves_csv(groups));
  EXPECT_EQ(rows[0], (std::vector<std::string>{"system", "method", "group", "metric", "episode",
                                               "runs", "median", "decile1", "decile9"}));
  std::size_t line = 1;
  for (const auto& [name, metric] : learning_metrics()) {
    const Curve curve = curve_of(groups[0], metric);
    for (std::size_t i = 0; i < curve.episode.size(); ++i, ++line) {
      ASSERT_LT(line, rows.size());
      EXPECT_EQ(rows[line][0] + rows[line][1], "mountain-carrandom");
      EXPECT_EQ(rows[line][3], name);
      EXPECT_EQ(rows[line][4], std::to_string(curve.episode[i]));
      EXPECT_EQ(rows[line][5], std::to_string(curve.count[i]));
      EXPECT_EQ(parse_number(rows[line][6]), curve.median[i]);
      EXPECT_EQ(parse_number(rows[line][7]), curve.decile1[i]);
      EXPECT_EQ(parse_number(rows[line][8]), curve.decile9[i]);
    }
  }
  EXPECT_EQ(line, rows.size());
}

TEST_F(Collect, CurvesQuoteAGroupWithCommas) {
  std::vector<RunSummary> runs = collect(*sweep_, 1).runs;
  runs[1].config.sac.hidden = {8, 9};
  std::vector<std::string> warnings;
  const Rows rows = csv_rows(curves_csv(group_runs(runs, warnings)));
  EXPECT_EQ(rows[1][2], "random sac_hidden=[64,64]");
  EXPECT_EQ(rows.back()[2], "random sac_hidden=[8,9]");
  for (const auto& row : rows) EXPECT_EQ(row.size(), 9u);
}

}  // namespace
}  // namespace rhc
