// What version 0.1 left behind is read, and gone on with (tests/data/v0.1).
#include <gtest/gtest.h>

#include <cmath>

#include "rhc/core/text.h"
#include "rhc/core/version.h"
#include "rhc/format/csv_table.h"
#include "rhc/format/json.h"
#include "rhc/store/lab_notes.h"
#include "rhc/store/manifest.h"
#include "tests/apps/program.h"
#include "tests/run_files.h"

namespace rhc {
namespace {

// What is computed anew may differ so much from what is stored: machines with other vector
// instructions round differently, and searches amplify that.
constexpr double kTolerance = 1e-6;

const std::filesystem::path kOld = std::filesystem::path(RHC_TEST_DATA) / "v0.1";

// Columns by their names without units, a cell a row.
using Columns = std::map<std::string, std::vector<std::string>>;

Columns named_columns(const std::filesystem::path& csv) {
  std::istringstream text(slurp(csv));
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> names = cells_of(line);
  Columns columns;
  while (std::getline(text, line)) {
    const std::vector<std::string> cells = cells_of(line);
    for (std::size_t i = 0; i < names.size(); ++i)
      columns[names[i].substr(0, names[i].find(" ["))].push_back(i < cells.size() ? cells[i] : "");
  }
  return columns;
}

// Of the largest number of a column, for others may be rounding alone.
double largest_in(const std::vector<std::string>& cells) {
  double largest = 0;
  for (const std::string& cell : cells)
    largest = std::max(largest, std::abs(parse_number(cell).value_or(0)));
  return largest;
}

// Every column that was there is there still, and says the same. A later version may add some.
void expect_same_columns(const std::filesystem::path& now, const std::filesystem::path& before,
                         double tolerance) {
  SCOPED_TRACE(before);
  const Columns columns = named_columns(now);
  for (const auto& [name, cells] : named_columns(before)) {
    // Its gains took no notice of the bounds, and its bands were too narrow.
    if (name.starts_with("gain_")) continue;
    if (name.ends_with("_sd") || name.ends_with("_low") || name.ends_with("_high")) continue;
    ASSERT_TRUE(columns.contains(name)) << name;
    const std::vector<std::string>& found = columns.at(name);
    ASSERT_EQ(found.size(), cells.size()) << name;
    for (std::size_t row = 0; row < cells.size(); ++row) {
      const auto a = parse_number(found[row]), b = parse_number(cells[row]);
      if (a && b)
        EXPECT_NEAR(*a, *b, tolerance * largest_in(cells)) << name << ", row " << row;
      else
        EXPECT_EQ(found[row], cells[row]) << name << ", row " << row;
    }
  }
}

// The same of rows of metrics; what a clock measured is passed over.
void expect_same_rows(const std::string& now, const std::string& before, double tolerance) {
  std::istringstream now_lines(now), before_lines(before);
  std::string now_line;
  for (std::string line; std::getline(before_lines, line);) {
    ASSERT_TRUE(std::getline(now_lines, now_line)) << "a row is missing: " << line;
    const Json row = Json::parse(now_line), stored = Json::parse(line);
    for (const auto& [key, value] : stored.items()) {
      if (key.ends_with("_seconds")) continue;
      ASSERT_TRUE(row.contains(key)) << key;
      if (value.is_number())
        EXPECT_NEAR(row[key].get<double>(), value.get<double>(),
                    tolerance * std::abs(value.get<double>()))
            << key << " in " << line;
      else
        EXPECT_EQ(row[key], value) << key << " in " << line;
    }
  }
  EXPECT_FALSE(std::getline(now_lines, now_line)) << "a row too many: " << now_line;
}

std::string first_lines(const std::string& text, int count) {
  std::size_t end = 0;
  for (int i = 0; i < count; ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

class OldRuns : public testing::Test {
 protected:
  std::filesystem::path copy_of(const std::string& name) const {
    std::filesystem::copy(kOld / name, dir_.path() / name,
                          std::filesystem::copy_options::recursive);
    return dir_.path() / name;
  }

  // Fails where it ends with another exit code than 0.
  Outcome done(const std::vector<std::string>& words) const {
    Outcome outcome = run(words, dir_);
    EXPECT_EQ(outcome.code, 0) << words[0] << ": " << outcome.err;
    return outcome;
  }

  std::filesystem::path file(const std::string& name) const { return dir_.path() / name; }

  TemporaryDirectory dir_;
};

TEST_F(OldRuns, AreInspectedWithoutAChange) {
  for (const auto& [name, status] : {std::pair<std::string, std::string>{"finished", "finished"},
                                     {"interrupted", "interrupted"},
                                     {"laboratory", "open"}}) {
    const Files before = all_files(copy_of(name));
    const Json seen = Json::parse(done({"inspect", name, "--json"}).out);
    EXPECT_EQ(seen["status"], status);
    EXPECT_EQ(seen["rhc"], "0.1.0");
    done({"inspect", name});
    EXPECT_EQ(difference(all_files(file(name)), before), "");
  }
}

TEST_F(OldRuns, AreExported) {
  copy_of("finished");
  done({"export", "finished", "--out", "steps.csv"});
  expect_same_columns(file("steps.csv"), kOld / "expected/finished.csv", 0);
  done({"export", "finished", "--metrics", "--out", "metrics.csv"});
  expect_same_columns(file("metrics.csv"), kOld / "expected/finished-metrics.csv", 0);
  done({"export", "finished", "--format", "npz", "--out", "steps.npz"});
}

#if RHC_WITH_REPORT
TEST_F(OldRuns, AreReportedAndCompared) {
  for (const char* name : {"finished", "interrupted", "laboratory"}) {
    copy_of(name);
    done({"report", name, "--out", "page.html"});
    EXPECT_TRUE(contains(slurp(file("page.html")), "\"version\":")) << name;
  }
  done({"compare", "finished", "interrupted", "--out", "both.html"});
  EXPECT_TRUE(contains(slurp(file("both.html")), "mountain-car"));
}
#endif

TEST_F(OldRuns, AreEvaluatedToWhatIsStored) {
  copy_of("finished");
  std::istringstream lines(done({"evaluate", "finished", "--json"}).out);
  bool compared = false;
  for (std::string line; std::getline(lines, line);) {
    const Json event = Json::parse(line);
    if (event["event"] != "comparison") continue;
    compared = true;
    for (const auto& [key, value] : event["largest_relative_difference"].items())
      EXPECT_LT(value.get<double>(), kTolerance) << key;
  }
  EXPECT_TRUE(compared);
}

TEST_F(OldRuns, GoOnToWhereVersion01WouldHaveEnded) {
  const Files before = all_files(copy_of("interrupted"));
  done({"resume", "interrupted", "--quiet"});
  const std::string metrics = slurp(file("interrupted/metrics.jsonl"));
  EXPECT_EQ(first_lines(metrics, 3), before.at("metrics.jsonl")) << "what was learned is kept";
  EXPECT_EQ(slurp(file("interrupted/episodes/0002.csv")), before.at("episodes/0002.csv"));
  expect_same_rows(metrics, slurp(kOld / "expected/resumed-metrics.jsonl"), kTolerance);
  expect_same_columns(file("interrupted/episodes/0003.csv"), kOld / "expected/resumed-0003.csv",
                      kTolerance);
  const Manifest manifest = read_manifest(file("interrupted/manifest.json"));
  EXPECT_EQ(manifest.status, "finished");
  EXPECT_EQ(manifest.rhc, version()) << "of the process that wrote last";
  done({"inspect", "interrupted"});
}

TEST_F(OldRuns, AreExtended) {
  const Files before = all_files(copy_of("finished"));
  done({"resume", "finished", "--episodes", "4", "--quiet"});
  const std::string metrics = slurp(file("finished/metrics.jsonl"));
  EXPECT_EQ(first_lines(metrics, 4), before.at("metrics.jsonl"));
  EXPECT_EQ(read_manifest(file("finished/manifest.json")).episodes_done, 4);
  done({"inspect", "finished"});
}

TEST_F(OldRuns, LaboratoriesAreAskedForThePlansOfVersion01) {
  copy_of("laboratory");
  done({"ask", "laboratory", "--out", "asked.csv"});
  expect_same_columns(file("asked.csv"), kOld / "expected/asked.csv", kTolerance);
  EXPECT_EQ(named_columns(file("asked.csv")).at("torque"),
            named_columns(kOld / "expected/asked.csv").at("torque"))
      << "what is under way stays as it was asked for";
  done({"ask", "laboratory", "--start", "3.0,0.1", "--out", "elsewhere.csv"});
  EXPECT_EQ(named_columns(file("elsewhere.csv")).size(),
            named_columns(kOld / "expected/asked-elsewhere.csv").size())
      << "its margins are other ones, so that it is another plan";
}

TEST_F(OldRuns, LaboratoriesKeepTheirTimes) {
  copy_of("laboratory");
  const LabNotes before = parse_notes(slurp(file("laboratory/experiments.json")), "notes");
  for (int i = 0; i < 3; ++i) {
    const Outcome asked = run({"ask", "laboratory", "--out", "asked.csv"}, dir_);
    EXPECT_FALSE(contains(asked.err, "experiments.json")) << asked.err;
  }
  const LabNotes after = parse_notes(slurp(file("laboratory/experiments.json")), "notes");
  ASSERT_EQ(after.count(), before.count());
  for (int n = 1; n <= after.count(); ++n) {
    EXPECT_EQ(after[n].asked, before[n].asked);
    EXPECT_EQ(after[n].told, before[n].told);
  }
}

TEST_F(OldRuns, LaboratoriesAreToldAndForget) {
  copy_of("laboratory");
  const Outcome told = done({"tell", "laboratory", kOld / "expected/measured.csv"});
  EXPECT_TRUE(contains(told.out, "experiment 4: 20 steps; 48 transitions in all")) << told.out;
  done({"ask", "laboratory", "--out", "next.csv"});
  EXPECT_EQ(named_columns(file("next.csv")).size(),
            named_columns(kOld / "expected/asked-next.csv").size())
      << "its margins are other ones, so that it is another plan";
  const Outcome forgotten = done({"forget", "laboratory", "2"});
  EXPECT_TRUE(contains(forgotten.out, "experiment 2 is taken back; 40 transitions are left"))
      << forgotten.out;
  std::vector<ExperimentState> states;
  for (const ExperimentNote& note :
       parse_notes(slurp(file("laboratory/experiments.json")), "notes").experiments)
    states.push_back(note.state);
  EXPECT_EQ(states, (std::vector{ExperimentState::told, ExperimentState::forgotten,
                                 ExperimentState::forgotten, ExperimentState::told,
                                 ExperimentState::asked}));
  done({"inspect", "laboratory"});
}

TEST_F(OldRuns, LaboratoriesSolveTheirTask) {
  copy_of("laboratory");
  done({"solve", "laboratory", "--out", "solved.csv"});
  expect_same_columns(file("solved.csv"), kOld / "expected/solved.csv", kTolerance);
}

TEST_F(OldRuns, SweepsAreCollectedToTheSameTables) {
  const std::filesystem::path sweep = copy_of("sweep");
  for (const char* table : {"results.csv", "curves.csv"}) std::filesystem::remove(sweep / table);
  done({"sweep", "status", "sweep"});
  done({"sweep", "collect", "sweep"});
  for (const char* table : {"results.csv", "curves.csv"})
    expect_same_columns(sweep / table, kOld / "sweep" / table, 0);
}

// Runs of two versions must not be mixed, so that only the same one adds to a sweep.
TEST_F(OldRuns, SweepsGoOnOrSayWhoCan) {
  const std::filesystem::path sweep = copy_of("sweep");
  const Files before = all_files(sweep / "runs");
  std::string grid = slurp(kOld / "sweep.toml");
  grid.replace(grid.find("\"1\""), 3, "\"1-2\"");
  dir_.write("more.toml", grid);
  const Outcome outcome =
      run({"sweep", "more.toml", "--out", "sweep", "--jobs", "1", "--quiet"}, dir_);
  Files after = all_files(sweep / "runs");
  if (std::string(version()) == "0.1.0") {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(after.contains("mountain-car-rhc-us-2/model.json"));
    std::erase_if(after, [&](const auto& entry) { return !before.contains(entry.first); });
  } else {
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(contains(outcome.err, "was begun by rhc 0.1.0")) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "Finish it with the former, or choose another directory"))
        << outcome.err;
  }
  EXPECT_EQ(difference(after, before), "") << "what was there is as it was";
}

}  // namespace
}  // namespace rhc
