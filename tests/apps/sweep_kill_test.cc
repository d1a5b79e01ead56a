// A sweep or one of its processes ended at any moment: no run is lost, none that was finished is
// touched again, and in the end every byte is that of a sweep which was left alone.
#include <gtest/gtest.h>

#include <set>

#include "rhc/core/random.h"
#include "rhc/study/sweep.h"
#include "tests/apps/sweeping.h"
#include "tests/describe/replaced.h"
#include "tests/repeats.h"
#include "tests/run_files.h"

namespace rhc {
namespace {

const std::string kSweep = tiny_sweep(
    "system = [\"mountain-car\", \"pendulum\"]\nmethod = [\"random\", \"rhc-us\"]\nseed = "
    "\"1-2\"\n",
    "episodes = 4\n");
constexpr std::size_t kSweepRuns = 8;

// A sweep that nobody disturbs, and how long it takes.
struct UndisturbedSweep {
  Files files;
  double milliseconds;
};

const UndisturbedSweep& undisturbed_sweep() {
  static const UndisturbedSweep found = [] {
    const Sweeping sweeping(kSweep);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(sweeping.sweep({"--quiet", "--jobs", "2"}).code, 0);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    return UndisturbedSweep{lasting_files_of_runs(sweeping.path()), took.count()};
  }();
  return found;
}

void sleep_for(double milliseconds) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
}

// The manifests of finished runs, each with its inode and time.
std::map<std::string, std::string> finished_runs(const Sweeping& sweeping) {
  std::map<std::string, std::string> found;
  if (!std::filesystem::exists(sweeping.path() / "sweep.json")) return found;
  const Sweep sweep = open_sweep(sweeping.path());
  for (const PlannedRun& run : sweep.plan.runs)
    if (status_of(sweep, run).state == RunState::finished)
      found[run.name] = identities(sweep.run_path(run)).at("manifest.json");
  return found;
}

void expect_as_undisturbed(const Sweeping& sweeping) {
  EXPECT_EQ(finished_runs(sweeping).size(), kSweepRuns);
  EXPECT_EQ(difference(lasting_files_of_runs(sweeping.path()), undisturbed_sweep().files), "");
  EXPECT_FALSE(std::filesystem::exists(sweeping.path() / "failures"));
  EXPECT_TRUE(none_left_at(sweeping.path()));
}

// Those that this process has started and that have not been waited for.
std::vector<pid_t> children_of(pid_t process) {
  const std::string id = std::to_string(process);
  std::istringstream text(slurp("/proc/" + id + "/task/" + id + "/children"));
  std::vector<pid_t> children;
  for (pid_t child; text >> child;) children.push_back(child);
  return children;
}

TEST(SweepKill, AtAnyMomentCostsNoByteOfARun) {
  const std::uint64_t seed = 1;
  int kills = 0, with_finished = 0;
  // More rounds where no kill came in the middle, for a busy machine is slower at one time than at
  // another.
  for (int round = 0; round < repeats(3, 20) || (with_finished == 0 && round < 60); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round << ", seed " << seed);
    RandomStream randomness(seed, "sweep kill", static_cast<std::uint64_t>(round));
    const Sweeping sweeping(kSweep);
    std::map<std::string, std::string> finished;
    int processes = 0;
    for (int code = -SIGKILL; code != 0; ++processes) {
      const Program program(Sweeping::words({"--jobs", "2"}), sweeping.directory());
      // Longer from process to process, so that there is an end on a machine that is busy.
      sleep_for(randomness.uniform(0, undisturbed_sweep().milliseconds * (0.5 + 0.1 * processes)));
      program.signal(SIGKILL);
      const Outcome outcome = program.wait();
      code = outcome.code;
      ASSERT_TRUE(code == 0 || code == -SIGKILL) << code << outcome.err;
      const auto now = finished_runs(sweeping);
      ASSERT_TRUE(all_kept(finished, now)) << "a finished run was touched";
      finished = now;
      kills += code != 0;
      with_finished += code != 0 && !now.empty() && now.size() < kSweepRuns;
    }
    expect_as_undisturbed(sweeping);
  }
  EXPECT_GT(with_finished, 0) << "no kill of " << kills << " came in the middle";
  RecordProperty("kills", kills);
}

TEST(SweepKill, OfItsProcessesCostsNoByteOfARun) {
  const std::uint64_t seed = 101;
  int kills = 0, told = 0;
  for (int round = 0; round < repeats(3, 20) || (told == 0 && round < 60); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round << ", seed " << seed);
    RandomStream randomness(seed, "worker kill", static_cast<std::uint64_t>(round));
    const Sweeping sweeping(kSweep);
    const Program program(Sweeping::words({"--jobs", "2"}), sweeping.directory());
    // A run that ends three processes without getting any further has failed, so two at most.
    for (int i = 0; i < 2; ++i) {
      sleep_for(randomness.uniform(5, 0.4 * undisturbed_sweep().milliseconds));
      const std::vector<pid_t> workers = children_of(program.pid());
      if (workers.empty()) continue;
      kill(workers[randomness.below(workers.size())], SIGKILL);
      ++kills;
    }
    const auto outcome = program.wait_a_minute();
    ASSERT_TRUE(outcome.has_value()) << "it waits for a process that is no more";
    ASSERT_EQ(outcome->code, 0) << outcome->err;
    told += contains(outcome->out, "was ended by signal 9 (Killed); another goes on with it");
    expect_as_undisturbed(sweeping);
  }
  EXPECT_GT(kills, 0);
  EXPECT_GT(told, 0) << "no kill of " << kills << " met a run";
  RecordProperty("kills", kills);
}

TEST(SweepKill, OfARunThatEndsEveryProcessIsNotedAfterThree) {
  // An episode is judged for minutes, so that no process gets any further, however late it is
  // killed.
  const Sweeping sweeping(
      replaced(tiny_sweep("system = \"pendulum\"\nmethod = \"random\"\nseed = 1\n"),
               "task_starts = 2\n", "task_starts = 1000000\n"));
  const Program program(Sweeping::words({"--jobs", "1"}), sweeping.directory());
  std::set<pid_t> killed;
  std::optional<int> status;
  for (int i = 0; i < 60000 && !status; ++i) {
    for (const pid_t child : children_of(program.pid()))
      if (killed.size() < 3 && killed.insert(child).second) kill(child, SIGKILL);
    int code = 0;
    if (waitpid(program.pid(), &code, WNOHANG) == program.pid()) status = WEXITSTATUS(code);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ASSERT_EQ(status, 1) << "it goes on for ever";
  EXPECT_EQ(killed.size(), 3u);
  const Sweep sweep = open_sweep(sweeping.path());
  EXPECT_EQ(status_of(sweep, sweep.plan.runs[0]).why,
            "its process was ended by signal 9 (Killed), 3 times without getting any further");
}

TEST(SweepKill, OfTheSweepLeavesNoProcessBehind) {
  const Sweeping sweeping(tiny_sweep("system = \"pendulum\"\nmethod = \"random\"\nseed = \"1-2\"\n",
                                     "episodes = 100000\n"));
  const Program program(Sweeping::words({"--jobs", "2"}), sweeping.directory());
  for (const char* run : {"pendulum-random-1", "pendulum-random-2"})
    ASSERT_TRUE(appears(sweeping.run_path(run) / "episodes/0002.csv"));
  EXPECT_EQ(children_of(program.pid()).size(), 2u);
  program.signal(SIGKILL);
  EXPECT_EQ(program.wait().code, -SIGKILL);
  EXPECT_TRUE(none_left_at(sweeping.path()));
  const Sweep sweep = open_sweep(sweeping.path());
  for (const PlannedRun& run : sweep.plan.runs)
    EXPECT_EQ(status_of(sweep, run).why, "interrupted") << "its process saved nothing";
}

}  // namespace
}  // namespace rhc
