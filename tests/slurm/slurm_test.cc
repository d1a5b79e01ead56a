// A sweep on a real cluster, which is disturbed in every way that clusters are: no run is lost,
// none is done twice, and in the end every byte is that of a sweep which was left alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "rhc/core/random.h"
#include "rhc/core/text.h"
#include "rhc/plant/process.h"
#include "rhc/store/lock.h"
#include "rhc/store/manifest.h"
#include "rhc/study/sweep_plan.h"
#include "tests/apps/sweeping.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

using Json = nlohmann::ordered_json;

// Enough that the last of many kills still meets some at work.
const int kSeeds = repeats(2, 20);
const int kRuns = 4 * kSeeds;
const std::string kGrid = tiny_sweep(
    fmt::format("system = [\"pendulum\", \"mountain-car\"]\nmethod = [\"random\", \"rhc-us\"]\n"
                "seed = \"1-{}\"\n",
                kSeeds),
    "episodes = 30\n");

std::filesystem::path cluster() {
  return std::filesystem::path(std::getenv("SLURM_CONF")).parent_path();
}

std::string call(const std::vector<std::string>& command) {
  const ProcessResult result = run_process(command);
  EXPECT_EQ(result.code, 0) << command[0] << " " << command[1] << ": " << result.err;
  return result.out;
}

void ask_cluster(const char* verb) { call({RHC_CLUSTER_SCRIPT, verb, cluster().string()}); }

std::string host_name() { return std::string(trim(call({"hostname", "-s"}))); }

// Never 0 or less, which would be many.
void kill_process(long long process) {
  ASSERT_GT(process, 1);
  ::kill(static_cast<pid_t>(process), SIGKILL);
}

void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// What all runs of the grid leave where nothing disturbs them.
const Files& undisturbed() {
  static const Files files = [] {
    const Sweeping sweeping(kGrid);
    EXPECT_EQ(sweeping.sweep({"--quiet"}).code, 0);
    return lasting_files_of_runs(sweeping.path());
  }();
  return files;
}

class Slurm : public testing::Test {
 protected:
  void SetUp() override {
    for (const PlannedRun& planned : read_sweep(kGrid, "grid").runs) names_.push_back(planned.name);
    ASSERT_EQ(names_.size(), static_cast<std::size_t>(kRuns));
    // A test before this one may have left the node aside.
    ask_cluster("resume");
  }

  // Nothing of a test is left for the next.
  void TearDown() override { run({"sweep", "cancel", "s"}, sweeping_.directory()); }

  Outcome submit(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--launcher", "slurm"});
    return sweeping_.sweep(more);
  }

  Json status() const {
    const Outcome told = run({"sweep", "status", "s", "--json"}, sweeping_.directory());
    if (told.code != 0) throw std::runtime_error(fmt::format("{}: {}", told.code, told.err));
    return Json::parse(told.out);
  }

  // Up to two minutes, for a cluster takes its time.
  template <class F>
  testing::AssertionResult eventually(F&& condition) const {
    for (int i = 0; i < 600; ++i) {
      if (condition()) return testing::AssertionSuccess();
      sleep_ms(200);
    }
    return testing::AssertionFailure() << status().dump() << "\n" << call({"squeue", "-r"});
  }

  bool queue_is_empty() const {
    const Json now = status();
    return now["queue_problem"] == "" && now["tasks"].empty() && now["running"] == 0;
  }

  // What an administrator does after a controller has died: tasks that it started in its last
  // seconds it starts again, finds them there already, and puts them and the node aside.
  void put_right() const {
    ask_cluster("resume");
    const Json now = status();
    for (const auto& task : now["tasks"])
      if (contains(task["reason"], "held"))
        run_process({"scontrol", "release", task["job"].get<std::string>()});
  }

  testing::AssertionResult queue_runs_empty() const {
    return eventually([&] {
      put_right();
      return queue_is_empty();
    });
  }

  // A task that works at this moment, and its run.
  struct Working {
    std::string job, run;
    pid_t process;
  };
  std::optional<Working> working() const {
    for (const std::string& name : names_) {
      const auto owner = lock_owner(sweeping_.run_path(name));
      if (!owner || !std::filesystem::exists(sweeping_.run_path(name) / "checkpoint")) continue;
      const auto words = split(*owner, ' ');
      const auto process = static_cast<pid_t>(parse_integer(words.at(1)).value_or(0));
      const Json now = status();
      for (const auto& task : now["tasks"])
        if (task["state"] == "RUNNING") return Working{task["job"], name, process};
    }
    return std::nullopt;
  }
  Working wait_for_work() const {
    std::optional<Working> found;
    EXPECT_TRUE(eventually([&] { return (found = working()).has_value(); }));
    return found.value_or(Working{});
  }

  // Submits again until all is done, as a person would, and compares.
  void finish_and_compare() const {
    for (int i = 0; i < 5 && status()["finished"] != kRuns; ++i) {
      ASSERT_EQ(submit().code, 0);
      ASSERT_TRUE(queue_runs_empty());
    }
    EXPECT_EQ(status()["finished"], kRuns) << status().dump();
    EXPECT_EQ(difference(lasting_files_of_runs(sweeping_.path()), undisturbed()), "");
  }

  Sweeping sweeping_{kGrid};
  std::vector<std::string> names_;
};

TEST_F(Slurm, DoesAWholeArray) {
  const Outcome submitted = submit({"--chunk", "3"});
  EXPECT_EQ(submitted.code, 0) << submitted.err;
  EXPECT_TRUE(contains(submitted.out, fmt::format("{} runs in {} tasks", kRuns, (kRuns + 2) / 3)))
      << submitted.out;
  ASSERT_TRUE(queue_runs_empty());
  EXPECT_EQ(status()["finished"], kRuns) << "by one submission";
  finish_and_compare();
  const Outcome collected = run({"sweep", "collect", "s"}, sweeping_.directory());
  EXPECT_EQ(collected.code, 0) << collected.err;
  EXPECT_TRUE(contains(submit().out,
                       fmt::format("nothing to submit: {0} of {0} runs are finished", kRuns)));
}

TEST_F(Slurm, SubmittedTwiceDoesEveryRunOnce) {
  submit();
  const Outcome again = submit();
  EXPECT_TRUE(contains(again.out, "nothing to submit")) << again.out;
  // The script by hand: two arrays that want the same runs.
  call({"sbatch", "--parsable", (sweeping_.path() / "slurm" / "0001" / "script.sh").string()});
  ASSERT_TRUE(queue_runs_empty());
  finish_and_compare();
  for (const std::string& name : names_)
    EXPECT_EQ(read_manifest(sweeping_.run_path(name) / "manifest.json").resumed, 0) << name;
}

TEST_F(Slurm, GoesOnWithATaskThatWasRequeued) {
  submit();
  const Working task = wait_for_work();
  call({"scontrol", "requeue", task.job});
  ASSERT_TRUE(queue_runs_empty());
  EXPECT_EQ(status()["finished"], kRuns) << "without a second submission";
  finish_and_compare();
}

TEST_F(Slurm, GoesOnWithATaskThatWasKilled) {
  submit();
  const Working task = wait_for_work();
  kill_process(task.process);
  ASSERT_TRUE(queue_runs_empty());
  const Json now = status();
  EXPECT_EQ(now["stopped"].get<int>() + now["finished"].get<int>(), kRuns) << now.dump();
  finish_and_compare();
}

TEST_F(Slurm, OutlivesANodeThatIsDownForAWhile) {
  submit();
  wait_for_work();
  call({"scontrol", "update", "nodename=" + host_name(), "state=down", "reason=test"});
  EXPECT_TRUE(eventually([&] { return status()["running"] == 0; }));
  // Refused where the node has come back by itself.
  run_process({"scontrol", "update", "nodename=" + host_name(), "state=resume"});
  ASSERT_TRUE(queue_runs_empty());
  finish_and_compare();
}

TEST_F(Slurm, OutlivesAControllerThatIsRestarted) {
  submit();
  wait_for_work();
  const auto controller = parse_integer(trim(slurp(cluster() / "controller.pid")));
  kill_process(controller.value_or(0));
  const Outcome without = run({"sweep", "status", "s"}, sweeping_.directory());
  EXPECT_EQ(without.code, 0) << "what is on the disk can be told";
  EXPECT_TRUE(contains(without.err, "cannot ask for the queue: squeue says:")) << without.err;
  const Outcome refused = submit();
  EXPECT_EQ(refused.code, 1) << "who does not know the queue must not add to it";
  EXPECT_TRUE(contains(refused.err, "squeue says:")) << refused.err;
  ask_cluster("controller");
  // What was submitted a moment ago it may have forgotten: the second submission notices.
  ASSERT_TRUE(queue_runs_empty());
  finish_and_compare();
}

TEST_F(Slurm, KeepsWhatWasDoneWhenItIsCancelled) {
  submit();
  wait_for_work();
  const Outcome cancelled = run({"sweep", "cancel", "s"}, sweeping_.directory());
  EXPECT_EQ(cancelled.code, 0) << cancelled.err;
  EXPECT_TRUE(contains(cancelled.out, "cancelled job")) << cancelled.out;
  ASSERT_TRUE(queue_runs_empty());
  EXPECT_LT(status()["finished"], kRuns);
  EXPECT_GT(status()["stopped"], 0) << "what ran has saved itself";
  finish_and_compare();
}

TEST_F(Slurm, ShowsTheWordsOfASbatchThatRefuses) {
  const Outcome refused = submit({"--partition", "nowhere"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(contains(refused.err, "cannot submit the job array: sbatch says:")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "invalid partition")) << refused.err;
  EXPECT_TRUE(std::filesystem::is_empty(sweeping_.path() / "slurm")) << "nothing was submitted";
}

// What a directory may be called, and what is told of its tasks where sbatch reads it rightly.
TEST_F(Slurm, TakesAnyNameAndAnyCommentAsItIs) {
  const TemporaryDirectory dir;
  for (const std::string name :
       {"a b'c\"d$HOME`touch e`;touch f&g#h*%j", "- a\\b\\\\c'\"$HOME`touch e`;touch f%j\\"}) {
    const std::string comment = "it's \"a\" \\ $HOME `touch e`; #b %j";
    dir.write("s.toml", tiny_sweep("system = \"pendulum\"\nmethod = \"random\"\nseed = \"1-2\"\n",
                                   "episodes = 2\n[slurm]\noptions = ['''--comment=" + comment +
                                       "''', '--hold']\n"));
    const std::string out = "--out=" + name;
    const Outcome submitted = run({"sweep", "s.toml", out, "--launcher", "slurm", "--json"}, dir);
    ASSERT_EQ(submitted.code, 0) << submitted.err;
    const std::string job = Json::parse(submitted.out)["job"];
    EXPECT_TRUE(contains(call({"scontrol", "show", "job", job}), "Comment=" + comment + " "))
        << name;
    call({"scontrol", "release", job});
    const std::filesystem::path path = dir.path() / name;
    const auto finished = [&] {
      const Outcome told = run({"sweep", "status", "--json", "--", name}, dir);
      return told.code == 0 && Json::parse(told.out)["finished"] == 2;
    };
    EXPECT_TRUE(eventually(finished)) << name;
    EXPECT_FALSE(std::filesystem::is_empty(path / "slurm/0001/logs")) << name;
    for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
      EXPECT_FALSE(entry.path().filename() == "e" || entry.path().filename() == "f") << name;
  }
}

// Refused before sbatch is asked, which would have run the second line.
TEST_F(Slurm, RefusesWhatWouldBeALineOfItsScript) {
  const TemporaryDirectory dir;
  const auto write = [&](const std::string& slurm) {
    dir.write("s.toml", "[grid]\nsystem = \"pendulum\"\n[slurm]\n" + slurm);
  };
  write("options = [\"--comment=x\\ntouch harm\"]\n");
  const Outcome options = run({"sweep", "s.toml", "--out", "s", "--launcher", "slurm"}, dir);
  EXPECT_EQ(options.code, 2);
  EXPECT_TRUE(contains(options.err, "s.toml:4:12: the text '--comment=x\\ntouch harm'"))
      << options.err;

  write("");
  const Outcome word = run(
      {"sweep", "s.toml", "--out", "s", "--launcher", "slurm", "--account", "x\ntouch harm"}, dir);
  EXPECT_EQ(word.code, 2);
  EXPECT_TRUE(contains(word.err, "--account: cannot be 'x\\ntouch harm'; expected: one word"))
      << word.err;

  const Outcome path =
      run({"sweep", "s.toml", "--out", "s\ntouch harm", "--launcher", "slurm"}, dir);
  EXPECT_EQ(path.code, 2);
  EXPECT_TRUE(contains(path.err, "has a control character in its path; choose another"))
      << path.err;

  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
    left.insert(entry.path().filename().string());
  EXPECT_EQ(left, (std::set<std::string>{"err.txt", "out.txt", "s.toml"})) << "nothing was begun";
}

TEST_F(Slurm, SplitsWhatIsLongerThanAnArrayMayBe) {
  // Nobody does these runs: the queue is asked, and emptied. Should a controller that is killed
  // later have forgotten that, they still do not begin.
  sweeping_.directory().write(
      "s.toml",
      "[grid]\nsystem = [\"pendulum\"]\nmethod = [\"random\"]\nseed = \"1-2100\"\n"
      "[slurm]\noptions = [\"--begin=now+1day\"]\n");
  const Outcome submitted = submit();
  EXPECT_EQ(submitted.code, 0) << submitted.err;
  EXPECT_TRUE(contains(submitted.out, "1001 runs in 1001 tasks")) << submitted.out;
  EXPECT_TRUE(contains(submitted.out, "98 runs in 98 tasks")) << submitted.out;
  EXPECT_TRUE(contains(submit().out, "nothing to submit"));
  EXPECT_TRUE(contains(run({"sweep", "cancel", "s"}, sweeping_.directory()).out, "cancelled job"));
}

// A daemon that dies at a random moment, again and again.
void disturb(const char* daemon, RandomStream& chance) {
  sleep_ms(static_cast<int>(chance.uniform(200, 2500)));
  const auto process = parse_integer(trim(slurp(cluster() / (std::string(daemon) + ".pid"))));
  kill_process(process.value_or(0));
  sleep_ms(static_cast<int>(chance.uniform(0, 1500)));
  ask_cluster(daemon);
}

class SlurmDaemon : public Slurm, public testing::WithParamInterface<const char*> {};

TEST_P(SlurmDaemon, KilledAtAnyMomentLosesNoRunAndDoesNoneTwice) {
  const auto seed = static_cast<std::uint64_t>(std::random_device{}());
  SCOPED_TRACE(fmt::format("seed {}", seed));
  RandomStream chance(seed, "kills");
  submit();
  std::map<std::string, std::filesystem::file_time_type> done;
  for (int i = 0; i < repeats(3, 20); ++i) {
    disturb(GetParam(), chance);
    if (queue_is_empty()) submit();
    for (const std::string& name : names_) {
      const auto manifest = sweeping_.run_path(name) / "manifest.json";
      if (!std::filesystem::exists(manifest) || read_manifest(manifest).status != "finished")
        continue;
      const auto written = std::filesystem::last_write_time(manifest);
      EXPECT_EQ(done.emplace(name, written).first->second, written) << name << " was done again";
    }
  }
  ASSERT_TRUE(queue_runs_empty());
  finish_and_compare();
}

INSTANTIATE_TEST_SUITE_P(All, SlurmDaemon, testing::Values("controller", "node"),
                         [](const auto& which) { return std::string(which.param); });

}  // namespace
}  // namespace rhc
