// Ended at any moment, and resumed: nothing that was on disk is lost, and in the end every byte is
// that of a run which was left alone.
#include <gtest/gtest.h>

#include "rhc/core/random.h"
#include "rhc/store/model_file.h"
#include "rhc/store/run_record.h"
#include "rhc/store/trajectory_csv.h"
#include "tests/apps/program.h"
#include "tests/repeats.h"
#include "tests/run_files.h"

namespace rhc {
namespace {

// Every method on every system, and the settings that keep most from one episode to the next.
const std::vector<Words> kRuns = {
    {"pendulum", "--method", "rhc-evr", "--episodes", "5"},
    {"mountain-car", "--method", "random", "--episodes", "6", "refit=never"},
    {"cartpole", "--method", "rhc-us", "--episodes", "4", "redraw_features=true"},
    {"pendulum", "--preset", "paper", "--episodes", "4"},
    {"mountain-car", "--method", "rhc-evr", "--episodes", "5", "refit=2", "redraw_features=true"},
    {"cartpole", "--method", "random", "--episodes", "5", "observation_noise=0.01"},
    {"pendulum", "--method", "rhc-us", "--episodes", "5", "refit=2", "plan_hops=2"},
    {"mountain-car", "--method", "rhc-us", "--episodes", "5", "process_noise=0.001"},
    {"cartpole", "--method", "rhc-evr", "--episodes", "4", "task=false"},
    {"pendulum", "--method", "random", "--episodes", "6", "task=false", "test_trajectories=0"},
    {"cartpole", "--preset", "paper", "--episodes", "3"},
    {"pendulum", "--method", "rhc-info", "--episodes", "4", "task_hops=2", "task_draws=4"},
#if RHC_WITH_TORCH
    {"cartpole", "--method", "sac-pe", "--episodes", "4"},
    {"pendulum", "--method", "sac-ig", "--episodes", "4", "refit=2"},
    {"mountain-car", "--method", "max", "--episodes", "4", "max_members=3", "max_hidden=[8]",
     "max_updates=40", "max_actors=2", "max_steps=200", "max_warm_up=1", "max_policy_batch=16"},
#endif
};

// A run that nobody disturbs, and how long it takes.
struct Undisturbed {
  Files files;
  double milliseconds;
};

const Undisturbed& undisturbed(std::size_t which) {
  static std::map<std::size_t, Undisturbed> all;
  if (!all.contains(which)) {
    const TemporaryDirectory dir;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(run(tiny(kRuns[which]), dir).code, 0);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    all[which] = {lasting_files(dir.path() / "r"), took.count()};
  }
  return all[which];
}

// Processes that follow each other in one run, each sent a signal after a random time.
class Chain {
 public:
  Chain(std::size_t which, std::uint64_t seed)
      : which_(which), run_(dir_.path() / "r"), randomness_(seed, "chain", which) {}

  const std::filesystem::path& path() const { return run_; }
  const TemporaryDirectory& directory() const { return dir_; }

  // Goes on with the run, or begins it where there is none yet.
  Outcome go_on(int signal, const Words& options = {}) {
    ++processes_;
    Words words = {"resume", "r"};
    if (!std::filesystem::exists(run_ / "manifest.json")) words = tiny(kRuns[which_]);
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--quiet", "--threads", processes_ % 2 ? "1" : "2"});
    const Program program(words, dir_);
    // Longer from process to process, so that there is an end on a machine that is busy.
    const double longest = undisturbed(which_).milliseconds * (0.35 + 0.03 * processes_);
    std::this_thread::sleep_for(
        std::chrono::duration<double, std::milli>(randomness_.uniform(0, longest)));
    program.signal(signal);
    return program.wait();
  }

 private:
  TemporaryDirectory dir_;
  std::size_t which_;
  std::filesystem::path run_;
  RandomStream randomness_;
  int processes_ = 0;
};

// What must hold of the files whenever a process was ended; the episodes on disk.
Files expect_whole(const std::filesystem::path& run, const Words& statuses) {
  Files episodes;
  if (!std::filesystem::exists(run / "manifest.json")) return episodes;
  const RunRecord record = read_run(run);
  EXPECT_EQ(record.damaged, Words{});
  EXPECT_EQ(record.recovered, Words{});
  EXPECT_NE(std::find(statuses.begin(), statuses.end(), record.status()), statuses.end())
      << record.status();
  // Every row has its episode; at most one episode waits for its row.
  const std::size_t rows = record.rows.size();
  EXPECT_LE(record.episodes.size(), rows);
  EXPECT_GE(record.episodes.size() + 1, rows);
  if (rows > 1) {
    EXPECT_NO_THROW(read_model(run / "model.json"));
  }
  for (const auto& [name, bytes] : all_files(run)) {
    if (!name.ends_with(".csv")) continue;
    if (name.starts_with("episodes/")) episodes[name] = bytes;
    if (name.starts_with("predictions/")) {
      EXPECT_NO_THROW(read_forecast(run / name, record.spec));
    } else {
      EXPECT_NO_THROW(read_trajectory(run / name, record.spec));
    }
  }
  return episodes;
}

TEST(Kill, AtAnyMomentCostsNoByte) {
  const std::uint64_t seed = 1;
  const int wanted = repeats(20, 400);
  const auto runs = repeats(6, static_cast<int>(kRuns.size()));
  const Words finished = {"finished"}, ended = {"killed", "finished"};  // it may have just said so
  int kills = 0, with_data = 0;
  for (std::size_t chain = 0; kills < wanted || chain < static_cast<std::size_t>(runs); ++chain) {
    const std::size_t which = chain * 7 % kRuns.size();  // few are of all kinds, and many are all
    SCOPED_TRACE(testing::Message() << "run " << which << ", seed " << seed + chain);
    Chain processes(which, seed + chain);
    Files episodes;
    for (int code = -SIGKILL; code != 0;) {
      code = processes.go_on(SIGKILL).code;
      ASSERT_TRUE(code == 0 || code == -SIGKILL) << "exit code " << code;
      const Files now = expect_whole(processes.path(), code == 0 ? finished : ended);
      ASSERT_TRUE(all_kept(episodes, now)) << "an episode changed or went, after " << kills;
      if (code != 0) {
        ++kills;
        with_data += !now.empty();
      }
      episodes = now;
    }
    ASSERT_EQ(difference(lasting_files(processes.path()), undisturbed(which).files), "");
  }
  EXPECT_GE(kills, wanted);
  EXPECT_GT(with_data, kills / 3) << "too many kills came before there was anything to lose";
  RecordProperty("kills", kills);
  RecordProperty("kills_with_data", with_data);
}

TEST(Kill, InTheMiddleOfARepairCostsNoByte) {
  const std::uint64_t seed = 101;
  for (std::size_t which = 0; which < static_cast<std::size_t>(repeats(2, 12)); ++which) {
    SCOPED_TRACE(testing::Message() << "run " << which << ", seed " << seed);
    Chain processes(which, seed);
    ASSERT_EQ(run(tiny(kRuns[which]), processes.directory()).code, 0);
    const Files before = all_files(processes.path());
    std::ofstream(processes.path() / "episodes/0002.csv", std::ios::app) << "one,more,line\n";
    for (int code = -SIGKILL; code != 0;) {
      code = processes.go_on(SIGKILL, {"--repair"}).code;
      ASSERT_TRUE(code == 0 || code == -SIGKILL) << "exit code " << code;
    }
    Files after = lasting_files(processes.path());
    EXPECT_EQ(after["episodes/0002.csv.damaged"],
              before.at("episodes/0002.csv") + "one,more,line\n");
    after.erase("episodes/0002.csv.damaged");
    EXPECT_EQ(difference(after, undisturbed(which).files), "");
  }
}

TEST(Interrupt, AtAnyMomentCostsNoByte) {
  const std::uint64_t seed = 201;
  int interrupted = 0, signals = 0;
  const int wanted = repeats(10, 150);
  for (std::size_t chain = 0; interrupted < wanted; ++chain) {
    ASSERT_LT(signals, 20 * wanted) << "hardly any signal meets a run";
    const std::size_t which = chain * 7 % kRuns.size();
    SCOPED_TRACE(testing::Message() << "run " << which << ", seed " << seed + chain);
    Chain processes(which, seed + chain);
    Files episodes;
    for (int code = -1; code != 0;) {
      const int signal = ++signals % 2 ? SIGTERM : SIGINT;
      const Outcome outcome = processes.go_on(signal);
      code = outcome.code;
      ASSERT_TRUE(code == 0 || code == 130 || code == -signal) << code << outcome.err;
      interrupted += code == 130;
      // One that was ended before it listened may not have said yet that it had begun.
      const Files now =
          expect_whole(processes.path(), code == 0     ? Words{"finished"}
                                         : code == 130 ? Words{"interrupted"}
                                                       : Words{"killed", "interrupted"});
      ASSERT_TRUE(all_kept(episodes, now)) << "an episode changed or went";
      episodes = now;
      if (code == 130) {
        EXPECT_NE(outcome.err.find("`rhc resume r` goes on"), std::string::npos) << outcome.err;
      }
    }
    ASSERT_EQ(difference(lasting_files(processes.path()), undisturbed(which).files), "");
  }
}

}  // namespace
}  // namespace rhc
