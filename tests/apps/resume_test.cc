#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>

#include <algorithm>

#include "rhc/core/random.h"
#include "rhc/store/manifest.h"
#include "rhc/store/run_record.h"
#include "tests/apps/program.h"
#include "tests/repeats.h"
#include "tests/run_files.h"

namespace rhc {
namespace {

Words three_episodes() { return tiny({"pendulum", "--episodes", "3", "--quiet"}); }

// A copy of a finished run of three episodes, called `r`.
class ResumeTest : public testing::Test {
 protected:
  ResumeTest() : run_(dir_.path() / "r") {
    std::filesystem::copy(whole().path() / "r", run_, std::filesystem::copy_options::recursive);
  }

  static const TemporaryDirectory& whole() {
    static const TemporaryDirectory dir;
    static const int code = run(three_episodes(), dir).code;
    EXPECT_EQ(code, 0);
    return dir;
  }
  static Files whole_files() { return lasting_files(whole().path() / "r"); }

  Outcome resume(Words more = {}) const {
    more.insert(more.begin(), {"resume", "r"});
    return run(more, dir_);
  }
  std::string read(const std::string& file) const { return slurp(run_ / file); }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(run_ / file, std::ios::binary) << text;
  }
  void replace(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read(file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write(file, text.replace(at, from.size(), to));
  }

  // Refused with the file's name and not touched; repaired, it is as if nothing had happened.
  // `aside`: what the damaged file is called then.
  void expect_refused_and_repaired(const std::string& named, const std::string& aside = "") {
    const Files before = all_files(run_);
    const Outcome refused = resume();
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find(named), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("Nothing was touched"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("--repair"), std::string::npos) << refused.err;
    EXPECT_EQ(difference(all_files(run_), before), "");

    const Outcome repaired = resume({"--repair"});
    EXPECT_EQ(repaired.code, 0);
    EXPECT_NE(repaired.err.find("repairing: " + named), std::string::npos) << repaired.err;
    Files after = lasting_files(run_);
    if (!aside.empty()) {
      EXPECT_EQ(after[aside], before.at(aside.substr(0, aside.find(".damaged"))));
      after.erase(aside);
    }
    EXPECT_EQ(difference(after, whole_files()), "");
    EXPECT_EQ(resume().code, 0) << "what was repaired is whole";
  }

  TemporaryDirectory dir_;
  const std::filesystem::path run_;
};

TEST_F(ResumeTest, ExtendsAFinishedRunAsIfItHadBeenLonger) {
  const TemporaryDirectory longer;
  ASSERT_EQ(run(tiny({"pendulum", "--episodes", "5", "--quiet"}), longer).code, 0);
  const Outcome outcome = resume({"--episodes", "5"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(difference(lasting_files(run_), lasting_files(longer.path() / "r")), "");
  EXPECT_EQ(read_manifest(run_ / "manifest.json").episodes, 5);
}

TEST_F(ResumeTest, RefusesFewerEpisodesThanAreDone) {
  const Files before = all_files(run_);
  const Outcome outcome = resume({"--episodes", "2"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "rhc: --episodes 2: 'r' has 3 already\n");
  EXPECT_EQ(difference(all_files(run_), before), "");
}

TEST_F(ResumeTest, LeavesAFinishedRunAsItIs) {
  Files before = all_files(run_);
  const Outcome outcome = resume();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("all 3 episodes are done; --episodes N goes on"), std::string::npos);
  Files after = all_files(run_);
  for (const char* file : {"manifest.json", "report.html"}) {
    before.erase(file);
    after.erase(file);
  }
  EXPECT_EQ(difference(after, before), "") << "not even the seconds may change";
  EXPECT_EQ(read_run(run_).status(), "finished");
}

TEST_F(ResumeTest, NamesAndRepairsAnEpisodeThatWasRemoved) {
  std::filesystem::remove(run_ / "episodes/0002.csv");
  expect_refused_and_repaired("r/episodes/0002.csv: the file is missing");
}

TEST_F(ResumeTest, NamesAndRepairsTheLastEpisodeThatWasRemoved) {
  std::filesystem::remove(run_ / "episodes/0003.csv");
  expect_refused_and_repaired("r/episodes/0003.csv: the file is missing");
}

TEST_F(ResumeTest, NamesAndRepairsAnEpisodeThatWasEdited) {
  std::string text = read("episodes/0001.csv");
  const std::size_t at = text.find_last_of("123456789");
  text[at] = text[at] == '1' ? '2' : '1';
  write("episodes/0001.csv", text);
  expect_refused_and_repaired("r/episodes/0001.csv: the file was changed",
                              "episodes/0001.csv.damaged");
}

TEST_F(ResumeTest, NamesAndRepairsAnEpisodeThatWasAppendedTo) {
  write("episodes/0003.csv", read("episodes/0003.csv") + "\n");
  expect_refused_and_repaired("r/episodes/0003.csv: the file was changed",
                              "episodes/0003.csv.damaged");
}

TEST_F(ResumeTest, NamesAndRepairsAnEpisodeThatIsNoTable) {
  write("episodes/0002.csv", read("episodes/0002.csv").substr(0, 700));
  expect_refused_and_repaired("r/episodes/0002.csv", "episodes/0002.csv.damaged");
}

TEST_F(ResumeTest, NamesAndRepairsACheckpointThatWasRemoved) {
  std::filesystem::remove(run_ / "checkpoint");
  expect_refused_and_repaired("r/checkpoint: the file is missing");
}

TEST_F(ResumeTest, NamesAndRepairsACheckpointThatWasCutOff) {
  const std::string text = read("checkpoint");
  write("checkpoint", text.substr(0, text.size() / 2));
  expect_refused_and_repaired("r/checkpoint: the file is damaged");
}

TEST_F(ResumeTest, NamesAndRepairsACheckpointWithAFlippedBit) {
  std::string text = read("checkpoint");
  text[text.size() / 2] ^= 1;
  write("checkpoint", text);
  expect_refused_and_repaired("r/checkpoint: the file is damaged");
}

TEST_F(ResumeTest, NamesChangedSettingsAndPutsThemBack) {
  replace("config.toml", "\nseed = 1\n", "\nseed = 2\n");
  expect_refused_and_repaired("r/config.toml: the settings were changed");
}

TEST_F(ResumeTest, PutsBackTheSystemAndLeavesTheEpisodesInPlace) {
  replace("config.toml", "system = 'pendulum'", "system = 'cartpole'");
  expect_refused_and_repaired("r/config.toml: the settings were changed");
}

TEST_F(ResumeTest, NamesSettingsThatCannotBeReadAndPutsThemBack) {
  replace("config.toml", "\nfeatures = 20\n", "\nfeatures = many\n");
  expect_refused_and_repaired("r/config.toml:");
}

TEST_F(ResumeTest, NamesAndRepairsARowThatWasEdited) {
  replace("metrics.jsonl", "\"episode\":2,\"steps\":100", "\"episode\":2,\"steps\":101");
  expect_refused_and_repaired("r/metrics.jsonl:3: the row was changed");
}

TEST_F(ResumeTest, NamesAndRepairsABeliefThatWasEdited) {
  replace("beliefs.jsonl", "\"transitions\":200", "\"transitions\":201");
  expect_refused_and_repaired("r/beliefs.jsonl:2: the row was changed");
}

TEST_F(ResumeTest, NamesAndRepairsABestAchievableThatWasCutOff) {
  write("best_achievable.json", read("best_achievable.json").substr(0, 40));
  expect_refused_and_repaired("r/best_achievable.json: the file was changed after it was written");
}

TEST_F(ResumeTest, RepairsAllAtOnce) {
  std::filesystem::remove(run_ / "episodes/0001.csv");
  std::filesystem::remove(run_ / "checkpoint");
  replace("metrics.jsonl", "\"episode\":2", "\"episode\":7");
  EXPECT_EQ(resume().code, 2);
  EXPECT_EQ(resume({"--repair"}).code, 0);
  EXPECT_EQ(difference(lasting_files(run_), whole_files()), "");
}

TEST_F(ResumeTest, RepairingARunThatIsWholeChangesNothing) {
  EXPECT_EQ(resume({"--repair"}).code, 0);
  EXPECT_EQ(difference(lasting_files(run_), whole_files()), "");
}

TEST_F(ResumeTest, MendsALastRowThatWasCutOffAndSaysSo) {
  const std::string text = read("metrics.jsonl");
  write("metrics.jsonl", text.substr(0, text.size() - 30));
  const Outcome outcome = resume();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("r: metrics.jsonl: its last line was cut off"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(difference(lasting_files(run_), whole_files()), "");
}

TEST_F(ResumeTest, RefusesARunOfANewerFormat) {
  replace("manifest.json", "\"format_version\": 1", "\"format_version\": 2");
  const Files before = all_files(run_);
  for (const Words& options : {Words{}, Words{"--repair"}}) {
    const Outcome outcome = resume(options);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err,
              "rhc: r/manifest.json: written in format 2, this program reads up to 1; use a newer "
              "rhc\n");
  }
  EXPECT_EQ(difference(all_files(run_), before), "");
}

TEST_F(ResumeTest, RefusesToDumpAProblemThatItWillNotMeet) {
  EXPECT_EQ(resume({"--dump-problem", "2"}).err,
            "rhc: --dump-problem 2: episode 2 of 'r' is done already\n");
  EXPECT_EQ(resume({"--dump-problem", "9"}).err,
            "rhc: --dump-problem 9 comes after the last of 3 episodes\n");
  EXPECT_EQ(read_run(run_).status(), "finished");
  EXPECT_EQ(resume({"--episodes", "4", "--dump-problem", "4"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(run_ / "problem-0004.json"));
}

TEST_F(ResumeTest, RefusesADirectoryWithoutARun) {
  std::filesystem::create_directory(dir_.path() / "empty");
  for (const char* path : {"empty", "none", "r/config.toml", ""}) {
    const Outcome outcome = run({"resume", path}, dir_);
    EXPECT_EQ(outcome.code, 2) << path;
    EXPECT_NE(outcome.err.find("name a run directory"), std::string::npos) << outcome.err;
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path() / "empty")) << "a lock was left";
}

TEST_F(ResumeTest, GoesOnWhenTheClockWentBack) {
  Manifest manifest = read_manifest(run_ / "manifest.json");
  manifest.started = "2999-12-31T23:59:59Z";
  manifest.status = "running";
  manifest.ended.reset();
  write("manifest.json", manifest_json(manifest));
  ASSERT_EQ(resume({"--episodes", "4"}).code, 0);
  const Manifest after = read_manifest(run_ / "manifest.json");
  EXPECT_EQ(after.status, "finished");
  EXPECT_EQ(after.started, "2999-12-31T23:59:59Z");
  EXPECT_GE(after.seconds, manifest.seconds);
  EXPECT_GE(manifest.seconds, 0);
}

// Without root's right to overlook permissions.
void become_ordinary() {
  if (geteuid() != 0) return;
  const bool dropped = prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) == 0 &&
                       prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH, 0, 0, 0) == 0;
  if (!dropped && setuid(65534) != 0) _exit(97);
}

using std::filesystem::perms;

TEST_F(ResumeTest, SaysWhenItMayNotWriteThere) {
  const Files before = all_files(run_);
  std::filesystem::permissions(run_, perms::owner_read | perms::owner_exec);
  const Outcome outcome = run({"resume", "r", "--episodes", "4"}, dir_, become_ordinary);
  std::filesystem::permissions(run_, perms::owner_all);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err,
            "rhc: cannot lock 'r': Permission denied; you need to be able to write there\n");
  EXPECT_EQ(difference(all_files(run_), before), "");
}

// What may not be read is not damaged: a repair would only make it worse.
TEST_F(ResumeTest, SaysWhenItMayNotReadAFile) {
  for (const char* file : {"episodes/0002.csv", "checkpoint", "metrics.jsonl", "beliefs.jsonl",
                           "best_achievable.json", "config.toml", "manifest.json"}) {
    std::filesystem::permissions(run_ / file, perms::none);
    for (const Words& words : {Words{"resume", "r"}, Words{"resume", "r", "--repair"}}) {
      const Outcome outcome = run(words, dir_, become_ordinary);
      EXPECT_EQ(outcome.code, 2) << file;
      EXPECT_EQ(outcome.err, std::string("rhc: cannot open 'r/") + file + "': Permission denied\n");
    }
    std::filesystem::permissions(run_ / file, perms::owner_all);
  }
  EXPECT_EQ(difference(all_files(run_), all_files(whole().path() / "r")), "");
}

TEST_F(ResumeTest, SaysWhenItMayNotReadTheEpisodes) {
  std::filesystem::permissions(run_ / "episodes", perms::none);
  const Outcome outcome = run({"resume", "r", "--repair"}, dir_, become_ordinary);
  std::filesystem::permissions(run_ / "episodes", perms::owner_all);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("cannot open 'r/episodes': Permission denied"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(difference(all_files(run_), all_files(whole().path() / "r")), "");
}

// A limit on the size of files stands for a full disk.
std::function<void()> disk_of(std::size_t bytes) {
  return [bytes] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
}

TEST(Resume, EndsARunThatFoundTheDiskFull) {
  const TemporaryDirectory undisturbed;
  const Words words = tiny({"mountain-car", "--episodes", "4", "--quiet"});
  ASSERT_EQ(run(words, undisturbed).code, 0);
  const Files whole = lasting_files(undisturbed.path() / "r");
  std::size_t largest = 0;
  for (const auto& [name, bytes] : whole) largest = std::max(largest, bytes.size());
  const std::size_t smallest = whole.at("config.toml").size();
  ASSERT_LT(smallest, largest);

  RandomStream randomness(1, "limits");
  for (int i = 0; i < repeats(5, 50); ++i) {
    const TemporaryDirectory dir;
    const std::size_t limit = smallest + randomness.below(largest - smallest);
    SCOPED_TRACE(testing::Message() << "files up to " << limit << " bytes, case " << i);
    const Outcome full = run(words, dir, disk_of(limit));
    ASSERT_EQ(full.code, 1);
    EXPECT_NE(full.err.find("free some space"), std::string::npos) << full.err;
    EXPECT_NE(full.err.find("kept; `rhc resume r` goes on"), std::string::npos) << full.err;
    const RunRecord record = read_run(dir.path() / "r");
    EXPECT_EQ(record.damaged, Words{});
    EXPECT_TRUE(record.status().starts_with("failed: cannot write")) << record.status();

    const Files before = lasting_files(dir.path() / "r");
    EXPECT_EQ(run({"resume", "r", "--quiet"}, dir, disk_of(limit)).code, 1) << "still full";
    for (const auto& [name, bytes] : before)
      if (name.starts_with("episodes/")) {
        EXPECT_EQ(slurp(dir.path() / "r" / name), bytes) << name;
      }
    ASSERT_EQ(run({"resume", "r", "--quiet"}, dir).code, 0) << "the limit is gone";
    EXPECT_EQ(difference(lasting_files(dir.path() / "r"), whole), "");
  }
}

TEST(Resume, IsRefusedWhileAnotherProcessWrites) {
  const TemporaryDirectory dir, elsewhere;
  const Program first(tiny({"pendulum", "--episodes", "100000", "--quiet"}), dir);
  ASSERT_TRUE(appears(dir.path() / "r/episodes/0002.csv"));
  const std::string path = (dir.path() / "r").string();
  for (const Words& words : {Words{"resume", path}, Words{"resume", path, "--repair"},
                             Words{"explore", "pendulum", "--out", path}}) {
    const Outcome second = run(words, elsewhere);
    EXPECT_EQ(second.code, 1);
    EXPECT_NE(second.err.find("is being written by process " + std::to_string(first.pid()) + " on"),
              std::string::npos)
        << second.err;
  }
  EXPECT_EQ(read_run(path).status(), "running");
  first.signal(SIGINT);
  EXPECT_EQ(first.wait().code, 130);
  EXPECT_EQ(read_run(path).damaged, Words{});
  EXPECT_EQ(read_run(path).status(), "interrupted");
}

// Whoever comes first goes on; the others are refused, or find everything done.
TEST(Resume, TakesOneOfManyThatStartTogether) {
  const TemporaryDirectory undisturbed, dir;
  const Words words = tiny({"pendulum", "--episodes", "6", "--quiet"});
  ASSERT_EQ(run(words, undisturbed).code, 0);
  ASSERT_EQ(run(tiny({"pendulum", "--episodes", "2", "--quiet"}), dir).code, 0);
  const std::string path = (dir.path() / "r").string();
  const TemporaryDirectory places[4];
  std::vector<Program> programs;
  for (const TemporaryDirectory& place : places)
    programs.emplace_back(Words{"resume", path, "--episodes", "6", "--quiet"}, place);
  int went_on = 0;
  for (const Program& program : programs) {
    const Outcome outcome = program.wait();
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 1) << outcome.err;
    went_on += outcome.code == 0;
  }
  EXPECT_GE(went_on, 1);
  EXPECT_EQ(difference(lasting_files(path), lasting_files(undisturbed.path() / "r")), "");
}

}  // namespace
}  // namespace rhc
