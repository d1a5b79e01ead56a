#include "rhc/store/run_record.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rhc/core/error.h"
#include "rhc/describe/config_file.h"
#include "rhc/store/lock.h"
#include "tests/repeats.h"
#include "tests/sealed.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

// A run of three episodes, spoilt by a test.
class RunRecordTest : public testing::Test {
 protected:
  RunRecordTest() : run(dir.path() / "run") { copy_sample_run(run); }

  // The manifest as 0.1 wrote it: a test changes it, and what it knows of others.
  void unseal() const {
    auto json = nlohmann::ordered_json::parse(unsealed(read("manifest.json")));
    json.erase("metrics_checksum");
    write("manifest.json", json.dump(2));
  }

  std::string read(const std::string& file) const { return slurp(run / file); }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(run / file, std::ios::binary) << text;
  }
  void replace(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read(file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write(file, text.replace(at, from.size(), to));
  }
  std::vector<std::string> lines(const std::string& file) const {
    std::istringstream text(read(file));
    std::vector<std::string> result;
    for (std::string line; std::getline(text, line);) result.push_back(line + "\n");
    return result;
  }
  // What the record calls damaged, with `run/` for the directory's path.
  std::vector<std::string> damage() const {
    std::vector<std::string> found = read_run(run).damaged;
    for (std::string& text : found)
      if (const auto at = text.find(run.string()); at != std::string::npos)
        text.replace(at, run.string().size(), "run");
    return found;
  }

  using Texts = std::vector<std::string>;
  TemporaryDirectory dir;
  const std::filesystem::path run;
};

TEST_F(RunRecordTest, HoldsAllOfAFinishedRun) {
  const RunRecord record = read_run(run);
  EXPECT_EQ(record.damaged, Texts{});
  EXPECT_EQ(record.recovered, Texts{});
  EXPECT_EQ(record.status(), "finished");
  EXPECT_EQ(record.owner, std::nullopt);
  EXPECT_EQ(record.episodes_done(), 3);
  ASSERT_EQ(record.rows.size(), 4u);
  ASSERT_EQ(record.beliefs.size(), 3u);
  ASSERT_EQ(record.episodes.size(), 3u);
  EXPECT_EQ(record.episodes[2]->steps(), record.rows[3].steps);
  EXPECT_EQ(record.checkpoint->count("episode"), 3);
  EXPECT_TRUE(record.best_achievable.has_value());
  EXPECT_EQ(config_toml(record.config), read("config.toml"));
}

TEST_F(RunRecordTest, NamesAnEpisodeThatIsMissing) {
  for (const char* file : {"episodes/0003.csv", "episodes/0001.csv"}) {
    std::filesystem::rename(run / file, dir.path() / "away");
    EXPECT_EQ(damage(), Texts{std::string("run/") + file + ": the file is missing"});
    std::filesystem::rename(dir.path() / "away", run / file);
  }
}

TEST_F(RunRecordTest, NamesAnEpisodeThatWasChanged) {
  replace("episodes/0002.csv", "\n50,", "\n51,");
  EXPECT_EQ(damage(), Texts{"run/episodes/0002.csv: the file was changed after it was written"});
  EXPECT_FALSE(read_run(run).episodes[1].has_value()) << "its numbers cannot be trusted";
}

TEST_F(RunRecordTest, NamesAnEpisodeThatWasAppendedTo) {
  write("episodes/0002.csv", read("episodes/0002.csv") + "\n");
  EXPECT_EQ(damage(), Texts{"run/episodes/0002.csv: the file was changed after it was written"});
  write("episodes/0002.csv", read("episodes/0002.csv") + "101,0,0\n");
  EXPECT_EQ(damage(), Texts{"run/episodes/0002.csv:104: 3 cells, but the header names 5 columns "
                            "(step, cos, sin, thetadot, action)"});
}

TEST_F(RunRecordTest, NamesAnEpisodeThatIsEmptyOnce) {
  write("episodes/0002.csv", "");
  EXPECT_EQ(damage(), Texts{"run/episodes/0002.csv: the file is empty"});
}

TEST_F(RunRecordTest, NamesACheckpointThatIsMissing) {
  std::filesystem::remove(run / "checkpoint");
  EXPECT_EQ(damage(), Texts{"run/checkpoint: the file is missing"});
}

TEST_F(RunRecordTest, NamesACheckpointThatWasCutOffOrChanged) {
  const std::string whole = read("checkpoint");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, whole.size() / 2, whole.size() - 1}) {
    write("checkpoint", whole.substr(0, size));
    ASSERT_EQ(damage().size(), 1u) << size;
    EXPECT_TRUE(damage()[0].starts_with("run/checkpoint: ")) << damage()[0];
  }
  std::string flipped = whole;
  flipped[whole.size() / 3] ^= 4;
  write("checkpoint", flipped);
  EXPECT_EQ(damage(), Texts{"run/checkpoint: the file is damaged (its checksum does not fit)"});
}

TEST_F(RunRecordTest, NamesACheckpointOfAnotherRun) {
  Config config = tiny_config("pendulum", 1);
  config.seed = 2;
  explore(dir.path() / "other", config);
  std::filesystem::copy_file(dir.path() / "other/checkpoint", run / "checkpoint",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(damage().empty());
}

TEST_F(RunRecordTest, NamesSettingsThatWereChanged) {
  replace("config.toml", "\nseed = 1\n", "\nseed = 2\n");
  ASSERT_EQ(damage().size(), 1u);
  EXPECT_TRUE(damage()[0].starts_with("run/config.toml: the settings were changed")) << damage()[0];
}

TEST_F(RunRecordTest, ReadsEpisodesByTheSystemThatTheyAreOf) {
  replace("config.toml", "system = 'pendulum'", "system = 'cartpole'");
  ASSERT_EQ(damage().size(), 1u) << "only the settings were changed";
  EXPECT_TRUE(damage()[0].starts_with("run/config.toml: the settings were changed")) << damage()[0];
  EXPECT_TRUE(read_run(run).episodes[0].has_value());
}

TEST_F(RunRecordTest, NamesSettingsThatCannotBeRead) {
  replace("config.toml", "\nfeatures = 20\n", "\nfeatures = many\n");
  ASSERT_EQ(damage().size(), 1u);
  EXPECT_TRUE(damage()[0].starts_with("run/config.toml:")) << damage()[0];
  EXPECT_EQ(read_run(run).config.model.features, 20) << "the checkpoint knows them";
  EXPECT_EQ(read_run(run).config.episodes, 3);
}

TEST_F(RunRecordTest, TakesSettingsWhoseCommentsWereChanged) {
  write("config.toml", "# my best run\n" + read("config.toml"));
  EXPECT_EQ(damage(), Texts{});
}

TEST_F(RunRecordTest, TakesAnotherNumberOfEpisodes) {
  replace("config.toml", "\nepisodes = 3\n", "\nepisodes = 9\n");
  EXPECT_EQ(damage(), Texts{});
}

TEST_F(RunRecordTest, NamesARowThatWasChanged) {
  for (const std::size_t row : {0u, 2u, 3u}) {
    Texts rows = lines("metrics.jsonl");
    const std::string whole = read("metrics.jsonl");
    const std::size_t at = rows[row].find("\"rmse\":") + 7;
    rows[row][at] = rows[row][at] == '1' ? '2' : '1';
    write("metrics.jsonl", rows[0] + rows[1] + rows[2] + rows[3]);
    EXPECT_EQ(damage(), Texts{"run/metrics.jsonl:" + std::to_string(row + 1) +
                              ": the row was changed after it was written"});
    write("metrics.jsonl", whole);
  }
}

TEST_F(RunRecordTest, NamesARowThatIsMissingBetweenOthers) {
  const Texts rows = lines("metrics.jsonl");
  write("metrics.jsonl", rows[0] + rows[2] + rows[3]);
  EXPECT_EQ(damage(), Texts{"run/metrics.jsonl: the row of episode 1 is missing"});
}

TEST_F(RunRecordTest, NamesARowThatIsNoJson) {
  const Texts rows = lines("metrics.jsonl");
  write("metrics.jsonl", rows[0] + "{\"episode\":1\n" + rows[2] + rows[3]);
  ASSERT_EQ(damage().size(), 1u);
  EXPECT_TRUE(damage()[0].starts_with("run/metrics.jsonl:2: not valid JSON")) << damage()[0];
}

TEST_F(RunRecordTest, NamesABeliefThatWasChanged) {
  replace("beliefs.jsonl", "\"transitions\":200", "\"transitions\":201");
  EXPECT_EQ(damage(), Texts{"run/beliefs.jsonl:2: the row was changed after it was written"});
}

TEST_F(RunRecordTest, NamesABeliefThatIsThereTwice) {
  write("beliefs.jsonl", read("beliefs.jsonl") + lines("beliefs.jsonl")[2]);
  EXPECT_EQ(damage(), Texts{"run/beliefs.jsonl:4: there is a row too many"});
}

TEST_F(RunRecordTest, NamesABestAchievableThatIsNoJson) {
  write("best_achievable.json", "{");
  ASSERT_EQ(damage().size(), 1u);
  EXPECT_EQ(damage()[0], "run/best_achievable.json: the file was changed after it was written");
}

TEST_F(RunRecordTest, NamesResultsThatWereChangedOrRemoved) {
  for (const char* file : {"tasks/0002.csv", "predictions/0003.csv", "best_achievable.json"}) {
    const std::string whole = read(file), name = std::string("run/") + file;
    const std::size_t at = whole.find_last_of("12345678");
    std::string other = whole;
    ++other[at];
    write(file, other);
    EXPECT_EQ(damage(), Texts{name + ": the file was changed after it was written"});
    std::filesystem::remove(run / file);
    EXPECT_EQ(damage(), Texts{name + ": the file is missing"});
    write(file, whole);
    EXPECT_EQ(damage(), Texts{});
  }
}

TEST_F(RunRecordTest, HoldsNoFileThatWasChanged) {
  EXPECT_TRUE(read_run(run).holds("tasks/0002.csv"));
  write("tasks/0002.csv", read("tasks/0002.csv") + "\n");
  EXPECT_FALSE(read_run(run).holds("tasks/0002.csv"));
  EXPECT_FALSE(read_run(run).holds("tasks/0009.csv"));
}

TEST_F(RunRecordTest, TakesTheRightRowsWhereTheFileHasOthers) {
  const double cost = *read_run(run).rows[2].task_cost;
  replace("metrics.jsonl", "\"task_cost\":" + Json(cost).dump(), "\"task_cost\":0.5");
  EXPECT_EQ(read_run(run).rows[2].task_cost, cost);
  const RunSummary summary = read_summary(run);
  EXPECT_EQ(summary.rows[2].task_cost, cost) << "a summary is checked, too";
  EXPECT_EQ(summary.damaged.size(), 1u);
}

TEST_F(RunRecordTest, NamesTimesThatWereChanged) {
  Texts rows = lines("metrics.jsonl");
  const std::size_t at = rows[2].find("\"fit_seconds\":") + 14;
  rows[2].insert(at, "7");
  write("metrics.jsonl", rows[0] + rows[1] + rows[2] + rows[3]);
  EXPECT_EQ(damage(), Texts{"run/metrics.jsonl: the times were changed after they were written"});
  EXPECT_EQ(read_run(run).rows[2].fit_seconds, 0) << "they are not known any more";
}

TEST_F(RunRecordTest, NamesADescriptionThatTheRunNeverHad) {
  write("system.toml", "name = 'other'\n");
  EXPECT_EQ(damage(),
            Texts{"run/system.toml: the run is of a bundled system, and has no such file"});
  EXPECT_EQ(read_run(run).spec.name, "pendulum");
}

TEST_F(RunRecordTest, LeavesOutRowsThatAnOlderCheckpointDoesNotKnow) {
  const TemporaryDirectory other;
  explore(other.path() / "run", tiny_config("pendulum", 1));
  std::filesystem::copy_file(other.path() / "run/checkpoint", run / "checkpoint",
                             std::filesystem::copy_options::overwrite_existing);
  const RunSummary summary = read_summary(run);
  EXPECT_EQ(summary.rows.size(), 2u);
  EXPECT_FALSE(summary.has_all_rows());
  ASSERT_EQ(summary.recovered.size(), 1u);
  EXPECT_TRUE(summary.recovered[0].starts_with("the checkpoint is of episode 1: later rows"));
}

TEST_F(RunRecordTest, NamesAllThatIsDamaged) {
  std::filesystem::remove(run / "episodes/0001.csv");
  replace("episodes/0003.csv", "\n7,", "\n8,");
  replace("config.toml", "\nseed = 1\n", "\nseed = 2\n");
  EXPECT_EQ(damage().size(), 3u);
}

TEST_F(RunRecordTest, MendsALastRowThatWasCutOff) {
  const std::string whole = read("metrics.jsonl");
  const std::size_t last = lines("metrics.jsonl")[3].size();
  const Json expected = metrics_json(read_run(run).rows[3].without_seconds());
  for (std::size_t cut = 2; cut <= last; cut += 1 + cut / 3) {
    write("metrics.jsonl", whole.substr(0, whole.size() - cut));
    const RunRecord record = read_run(run);
    EXPECT_EQ(record.damaged, Texts{}) << cut;
    EXPECT_FALSE(record.recovered.empty()) << cut;
    ASSERT_EQ(record.rows.size(), 4u) << cut;
    EXPECT_EQ(metrics_json(record.rows[3]), expected) << cut;
  }
}

TEST_F(RunRecordTest, TakesALastRowWithoutItsEndOfLine) {
  const std::string whole = read("metrics.jsonl");
  write("metrics.jsonl", whole.substr(0, whole.size() - 1));
  EXPECT_EQ(damage(), Texts{});
  EXPECT_EQ(read_run(run).rows.size(), 4u);
}

TEST_F(RunRecordTest, MendsALastBeliefThatWasCutOff) {
  const std::string whole = read("beliefs.jsonl");
  const Json expected = belief_json(read_run(run).beliefs[2]);
  for (const std::size_t cut : {2u, 40u, 200u}) {
    write("beliefs.jsonl", whole.substr(0, whole.size() - cut));
    const RunRecord record = read_run(run);
    EXPECT_EQ(record.damaged, Texts{}) << cut;
    EXPECT_EQ(record.recovered, (Texts{"beliefs.jsonl: its last line was cut off and is left out",
                                       "beliefs.jsonl: row 3 was taken from the checkpoint"}));
    ASSERT_EQ(record.beliefs.size(), 3u) << cut;
    EXPECT_EQ(belief_json(record.beliefs[2]), expected) << cut;
  }
}

TEST_F(RunRecordTest, MendsMetricsThatAreGone) {
  std::filesystem::remove(run / "metrics.jsonl");
  std::filesystem::remove(run / "beliefs.jsonl");
  const RunRecord record = read_run(run);
  EXPECT_EQ(record.damaged, Texts{});
  EXPECT_EQ(record.recovered.size(), 4u + 3u) << "a remark for every row and belief";
  EXPECT_EQ(record.rows.size(), 4u);
  EXPECT_EQ(record.beliefs.size(), 3u);
}

// Whoever counts on every row must not be given fewer.
TEST_F(RunRecordTest, ResultsHaveTheRowsThatMetricsLackFromTheCheckpoint) {
  const std::string whole = read("metrics.jsonl"), first = lines("metrics.jsonl")[0];
  const auto rows = [&](const std::string& metrics) {
    write("metrics.jsonl", metrics);
    const RunSummary found = read_summary(run);
    EXPECT_TRUE(found.has_all_rows());
    EXPECT_EQ(found.rows.size(), 4u) << metrics;
    return found.remark;
  };
  const auto lacking = [&](int there) {
    return run.string() + ": metrics.jsonl has " + std::to_string(there) +
           " of 4 rows; what it lacks was taken from the checkpoint, without its times; `rhc "
           "resume " +
           run.string() + "` writes the file anew";
  };
  EXPECT_EQ(rows(whole), "");
  EXPECT_EQ(rows(whole.substr(0, whole.size() - 60)), lacking(3));
  EXPECT_EQ(rows(first), lacking(1));
  EXPECT_EQ(rows(""), lacking(0));
  std::filesystem::remove(run / "metrics.jsonl");
  EXPECT_EQ(read_summary(run).rows.size(), 4u);
}

TEST_F(RunRecordTest, ResultsSayWhichRowsAreNowhere) {
  std::filesystem::remove(run / "metrics.jsonl");
  std::filesystem::remove(run / "checkpoint");
  const RunSummary found = read_summary(run);
  EXPECT_FALSE(found.has_all_rows());
  EXPECT_EQ(found.remark, run.string() +
                              ": metrics.jsonl has 0 of 4 rows; what it lacks is not in the "
                              "checkpoint either; `rhc resume " +
                              run.string() + " --repair` makes it anew from the episodes");
}

// Its manifest still says that nothing is done.
TEST_F(RunRecordTest, ResultsOfARunThatWasKilledAreMendedToo) {
  unseal();
  replace("manifest.json", "finished", "running");
  replace("manifest.json", "\"episodes_done\": 3", "\"episodes_done\": 0");
  const std::string whole = read("metrics.jsonl");
  write("metrics.jsonl", whole.substr(0, whole.size() - 60));
  EXPECT_EQ(read_summary(run).rows.size(), 4u);
  std::filesystem::remove(run / "metrics.jsonl");
  EXPECT_EQ(read_summary(run).rows.size(), 4u);
}

TEST_F(RunRecordTest, ResultsOfARunThatHasNotDoneAnythingAreWhole) {
  unseal();
  replace("manifest.json", "finished", "interrupted");
  replace("manifest.json", "\"episodes_done\": 3", "\"episodes_done\": 0");
  for (const char* file : {"metrics.jsonl", "checkpoint"}) std::filesystem::remove(run / file);
  const RunSummary found = read_summary(run);
  EXPECT_TRUE(found.has_all_rows());
  EXPECT_EQ(found.remark, "");
}

TEST_F(RunRecordTest, SaysWhenAnotherVersionWroteTheRun) {
  unseal();
  std::string text = read("manifest.json");
  const std::size_t at = text.find("\"rhc\": \"") + 8;
  text.replace(at, text.find('"', at) - at, "0.0.1");
  write("manifest.json", text);
  const RunRecord record = read_run(run);
  ASSERT_EQ(record.remarks().size(), 1u);
  EXPECT_TRUE(record.remarks()[0].starts_with("the run was written by rhc 0.0.1, this is "));
}

TEST_F(RunRecordTest, SaysThatARunWasKilledWhenNobodyWritesIt) {
  unseal();
  replace("manifest.json", "\"finished\"", "\"running\"");
  EXPECT_EQ(read_run(run).status(), "killed");
  const Lock lock(run);
  EXPECT_EQ(read_run(run).status(), "running");
  EXPECT_TRUE(read_run(run).owner->starts_with("process " + std::to_string(getpid())));
}

TEST_F(RunRecordTest, RefusesWhatIsNoRun) {
  unseal();
  const auto refusal = [](const std::filesystem::path& path) {
    return message_of<InputError>([&] { read_run(path); });
  };
  EXPECT_NE(refusal(dir.path() / "none").find("is not a directory"), std::string::npos);
  EXPECT_NE(refusal(run / "config.toml").find("is not a directory"), std::string::npos);
  EXPECT_NE(refusal(dir.path()).find("holds no run"), std::string::npos);
  replace("manifest.json", "\"format_version\": 1", "\"format_version\": 2");
  EXPECT_NE(refusal(run).find("written in format 2"), std::string::npos);
  replace("manifest.json", "\"format_version\": 2", "\"format_version\": 1");
  std::filesystem::remove(run / "config.toml");
  EXPECT_EQ(refusal(run), "") << "the checkpoint has the settings, too";
  std::filesystem::remove(run / "checkpoint");
  EXPECT_NE(refusal(run).find("config.toml"), std::string::npos);
}

// Reads again and again while another process explores, from the first file to the last.
TEST(RunRecord, IsNeverDamagedWhileAnotherProcessWrites) {
  for (int i = 0; i < repeats(3, 60); ++i) {
    const TemporaryDirectory dir;
    const std::filesystem::path run = dir.path() / "run";
    const pid_t writer = fork();
    if (writer == 0) {
      Config config = tiny_config(i % 2 ? "pendulum" : "mountain-car", 12);
      config.method = i % 3 ? "random" : "rhc-us";
      config.judge.task = false;
      explore(run, config);
      _exit(0);
    }
    int status = 0, reads = 0, rows = 0;
    bool ended = false;
    while (!ended) {
      ended = waitpid(writer, &status, WNOHANG) != 0;  // and one more read after the end
      if (!std::filesystem::exists(run / "manifest.json")) continue;
      const RunRecord record = read_run(run);
      ASSERT_EQ(record.damaged, std::vector<std::string>{}) << "read " << reads;
      ASSERT_EQ(record.recovered, std::vector<std::string>{}) << "read " << reads;
      ASSERT_NE(record.status(), "killed") << "read " << reads;
      ASSERT_GE(record.episodes_done(), rows) << "a row was seen, and then not";
      rows = record.episodes_done();
      ++reads;
    }
    EXPECT_EQ(status, 0);
    EXPECT_EQ(rows, 12);
    EXPECT_GT(reads, 12);
  }
}

}  // namespace
}  // namespace rhc
