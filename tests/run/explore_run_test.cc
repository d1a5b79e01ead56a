#include "rhc/run/explore_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "rhc/core/error.h"
#include "rhc/run/evaluate_run.h"
#include "rhc/store/model_file.h"
#include "rhc/store/trajectory_csv.h"
#include "rhc/system/pendulum.h"
#include "rhc/system/registry.h"
#include "tests/damage.h"
#include "tests/repeats.h"
#include "tests/run_files.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

Config small(const std::string& system, int episodes) {
  Config config;
  config.system = system;
  config.episodes = episodes;
  config.model.features = 40;
  config.model.forecast_features = 60;
  config.judge.test_trajectories = 300;
  config.judge.test_steps = 4;
  config.judge.best_achievable_transitions = 200;
  config.model.evidence_starts = 8;
  config.plan.starts = 4;
  config.judge.task_starts = 4;
  config.judge.task_hops = config.judge.limit_hops = config.judge.task_draws = 0;
  return config;
}

std::string timeless(const std::filesystem::path& run) {
  return without_seconds(slurp(run / "metrics.jsonl"));
}

TEST(ExploreRun, LeavesAWholeRun) {
  const TemporaryDirectory dir;
  for (const std::string& name : paper_system_names()) {
    const Config config = small(name, 3);
    const System system = make_system(name);
    RunDirectory run(dir.path() / name, config);
    const RunResult result = explore_run(system, run, 2, {});
    EXPECT_FALSE(result.interrupted);
    ASSERT_EQ(result.rows.size(), 4u);
    EXPECT_EQ(result.rows[0].episode, 0);
    EXPECT_FALSE(result.rows[0].scores.has_value());
    EXPECT_EQ(result.rows[3].episode, 3);

    Index learned = 0;
    for (int e = 1; e <= 3; ++e) {
      const Trajectory t = read_trajectory(
          run.path() / "episodes" / ("000" + std::to_string(e) + ".csv"), system.spec());
      EXPECT_EQ(t.steps(), result.rows[static_cast<std::size_t>(e)].steps);
      EXPECT_EQ(t.observations.col(0), system.observe(system.spec().start));
      learned += transitions_of(t, system.spec().limits).count();
    }
    EXPECT_EQ(result.rows[3].transitions, learned);
    EXPECT_EQ(read_model(run.path() / "model.json").count(), learned);
    EXPECT_GT(*result.rows[3].evidence, *result.rows[1].evidence) << "more data, more evidence";
    EXPECT_TRUE(std::isfinite(result.rows[3].scores->log_likelihood));
    EXPECT_TRUE(std::isfinite(*result.rows[3].task_cost));
    // Four starts without hops find the limit only roughly.
    EXPECT_GT(*result.rows[3].task_cost, 0.9 * *result.rows[3].task_cost_limit);
    EXPECT_GT(*result.rows[3].information_planned, 0);
    EXPECT_GT(*result.rows[3].information_gained, 0);
    EXPECT_EQ(nlohmann::json::parse(slurp(run.path() / "manifest.json"))["status"], "finished");
    EXPECT_TRUE(std::filesystem::exists(run.path() / "best_achievable.json"));
  }
}

TEST(ExploreRun, GivesTheSameBytesOnAnyNumberOfThreads) {
  const TemporaryDirectory dir;
  const Config config = small("pendulum", 3);
  const System system = make_system("pendulum");
  for (const int threads : {1, 2, 5}) {
    RunDirectory run(dir.path() / std::to_string(threads), config);
    explore_run(system, run, threads, {});
  }
  for (const char* other : {"2", "5"}) {
    EXPECT_EQ(timeless(dir.path() / "1"), timeless(dir.path() / other));
    for (const char* file : {"model.json", "episodes/0003.csv", "best_achievable.json"})
      EXPECT_EQ(slurp(dir.path() / "1" / file), slurp(dir.path() / other / file)) << file;
  }
}

TEST(ExploreRun, EveryMethodTeachesMoreThanRandomActions) {
  const TemporaryDirectory dir;
  const auto entropy_of = [&](const std::string& method) {
    Config config = small("pendulum", 3);
    config.method = method;
    config.judge.task = false;
    config.judge.test_trajectories = 0;
    RunDirectory run(dir.path() / method, config);
    explore_run(make_system("pendulum"), run, 1, {});
    // Compared by the same hyperparameters: those that random exploration left.
    Regression fresh = read_model(dir.path() / "random" / "model.json").prior();
    const System system = make_system("pendulum");
    for (int e = 1; e <= 3; ++e)
      fresh.learn(transitions_of(
          read_trajectory(run.path() / "episodes" / ("000" + std::to_string(e) + ".csv"),
                          system.spec()),
          system.spec().limits));
    return fresh.parameter_entropy();
  };
  const double random = entropy_of("random");
  for (const char* method : {"rhc-us", "rhc-info", "rhc-evr"})
    EXPECT_LT(entropy_of(method), random - 10) << method;
}

TEST(ExploreRun, InformationGainedIsTheDropOfTheEntropy) {
  const TemporaryDirectory dir;
  Config config = small("pendulum", 2);
  config.model.refit = 0;
  config.judge.task = false;
  config.judge.test_trajectories = 0;
  RunDirectory run(dir.path() / "run", config);
  std::vector<double> entropy;
  RunEvents events;
  events.on_model = [&](int, const DynamicsModel& model) {
    entropy.push_back(model.regression.parameter_entropy());
  };
  const auto rows = explore_run(make_system("pendulum"), run, 1, events).rows;
  EXPECT_NEAR(*rows[2].information_gained, entropy[0] - entropy[1], 1e-6 * std::abs(entropy[0]));
  ASSERT_EQ(rows[2].information_by_output.size(), 3u);
  EXPECT_NEAR(rows[2].information_by_output[0] + rows[2].information_by_output[1] +
                  rows[2].information_by_output[2],
              *rows[2].information_gained, 1e-9 * *rows[2].information_gained);
  EXPECT_TRUE(rows[1].information_by_output.empty()) << "nothing was believed before";
  EXPECT_FALSE(rows[2].evidence.has_value()) << "nothing was fitted after the first episode";
}

// A pendulum that is switched off where it turns too fast.
class SwitchedOff final : public Plant {
 public:
  Vector reset(const Vector& state) override { return seen_ = plant_.reset(state); }
  Vector step(const Vector& action) override { return seen_ = plant_.step(action); }
  bool ended() const override { return std::abs(seen_[2]) > 2.5; }

 private:
  SimulatedPlant plant_{Pendulum{}, {}, RandomStream(1, "plant")};
  Vector seen_;
};

Config of_switched_off() {
  Config config = tiny_config("pendulum");
  config.episodes = 4;
  config.judge.task = false;
  return config;
}

TEST(ExploreRun, LearnsALimitWhereThePlantEndsEpisodes) {
  const TemporaryDirectory dir;
  SwitchedOff plant;
  std::vector<std::string> remarks;
  RunEvents events;
  events.on_remark = [&](const std::string& remark) { remarks.push_back(remark); };
  RunDirectory run(dir.path() / "run", of_switched_off());
  explore_run(make_system("pendulum"), run, 1, events, &plant);
  const RunRecord record = read_run(dir.path() / "run");
  const LearnedLimits learned = learned_limits(ends_seen(record));
  ASSERT_TRUE(learned.any());
  ASSERT_FALSE(remarks.empty());
  EXPECT_NE(remarks[0].find(": the plant ended it; plans stay where "), std::string::npos)
      << remarks[0];
  EXPECT_TRUE(
      differences(record, evaluate_run(make_system("pendulum"), record, record.config, 1, {}))
          .empty());
  for (const auto& episode : record.episodes)
    EXPECT_EQ(episode->ended, std::abs(episode->observations(2, episode->steps())) > 2.5);
}

TEST(ExploreRun, GoesOnAfterAnEndedEpisodeWithTheSameBytes) {
  const TemporaryDirectory dir;
  Config config = of_switched_off();
  const System system = make_system("pendulum");
  for (const int replan : {0, 30}) {
    config.plan.replan = replan;
    const auto whole = dir.path() / ("whole" + std::to_string(replan)),
               stopped = dir.path() / ("stopped" + std::to_string(replan));
    SwitchedOff plant;
    {
      RunDirectory run(whole, config);
      explore_run(system, run, 1, {}, &plant);
    }
    config.episodes = 2;
    {
      RunDirectory run(stopped, config);
      explore_run(system, run, 1, {}, &plant);
    }
    config.episodes = 4;
    RunDirectory run = RunDirectory::reopen(stopped, 4, false);
    explore_run(system, run, 1, {}, &plant);
    EXPECT_EQ(timeless(whole), timeless(stopped));
    for (const char* file : {"episodes/0003.csv", "episodes/0004.csv", "predictions/0004.csv",
                             "model.json", "checkpoint"})
      EXPECT_EQ(slurp(whole / file), slurp(stopped / file)) << file << ", replan " << replan;
  }
}

TEST(ExploreRun, WithoutEvaluationOnlyLearns) {
  const TemporaryDirectory dir;
  Config config = small("mountain-car", 1);
  config.judge.task = false;
  config.judge.test_trajectories = 0;
  RunDirectory run(dir.path() / "run", config);
  const auto rows = explore_run(make_system("mountain-car"), run, 1, {}).rows;
  EXPECT_FALSE(rows[1].rmse || rows[1].task_cost || rows[1].task_cost_limit);
  EXPECT_FALSE(std::filesystem::exists(run.path() / "best_achievable.json"));
}

TEST(ExploreRun, DependsOnTheSeed) {
  const TemporaryDirectory dir;
  Config config = small("pendulum", 1);
  RunDirectory one(dir.path() / "1", config);
  explore_run(make_system("pendulum"), one, 1, {});
  config.seed = 2;
  RunDirectory two(dir.path() / "2", config);
  explore_run(make_system("pendulum"), two, 1, {});
  EXPECT_NE(timeless(one.path()), timeless(two.path()));
  EXPECT_EQ(slurp(one.path() / "best_achievable.json"), slurp(two.path() / "best_achievable.json"));
}

TEST(ExploreRun, StopsBetweenEpisodesWithEverythingKept) {
  const TemporaryDirectory dir;
  const Config config = small("pendulum", 9);
  RunDirectory run(dir.path() / "run", config);
  int rows = 0;
  const RunResult result = explore_run(make_system("pendulum"), run, 1,
                                       {.on_phase = {},
                                        .on_best_achievable = {},
                                        .on_row = [&](const MetricsRow&) { ++rows; },
                                        .on_model = {},
                                        .stop_requested = [&] { return rows == 3; }});
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.rows.back().episode, 2);
  EXPECT_TRUE(std::filesystem::exists(run.path() / "episodes" / "0002.csv"));
  EXPECT_FALSE(std::filesystem::exists(run.path() / "episodes" / "0003.csv"));
  const auto manifest = nlohmann::json::parse(slurp(run.path() / "manifest.json"));
  EXPECT_EQ(manifest["status"], "interrupted");
  EXPECT_EQ(manifest["episodes_done"], 2);
}

// A plant that breaks in its second episode: the first one stays.
struct Breaking : Pendulum {
  Vector step(const Vector& state, const Vector& action) const {
    if (++*steps > 150) return Vector::Constant(2, std::nan(""));
    return Pendulum::step(state, action);
  }
  SystemSpec spec() const {
    SystemSpec s = Pendulum::spec();
    s.region = {Vector::Zero(2), Vector::Zero(2)};
    return s;
  }
  std::shared_ptr<int> steps = std::make_shared<int>(0);
};

TEST(ExploreRun, KeepsWhatItHasWhenTheSystemBreaks) {
  const TemporaryDirectory dir;
  Config config = small("pendulum", 5);
  config.judge.task = false;
  config.judge.test_trajectories = 2;
  config.judge.test_steps = 3;
  config.judge.best_achievable_transitions = 0;
  RunDirectory run(dir.path() / "run", config);
  const std::string message = message_of<InputError>([&] { explore_run(Breaking{}, run, 1, {}); });
  EXPECT_EQ(message,
            "system 'pendulum' returned an observation that is not finite in episode 2, step 45");
  EXPECT_TRUE(std::filesystem::exists(run.path() / "episodes" / "0001.csv"));
  const auto manifest = nlohmann::json::parse(slurp(run.path() / "manifest.json"));
  EXPECT_EQ(manifest["status"], "failed: " + message);
  EXPECT_EQ(manifest["episodes_done"], 1);
}

// The pendulum, by somebody who fails at these calls, counted over resets and steps.
struct Flaky : Plant {
  explicit Flaky(std::set<int> when) : failing(std::move(when)) {}
  Vector reset(const Vector& state) override {
    fail_when_due();
    ++resets;
    return plant.reset(state);
  }
  Vector step(const Vector& action) override {
    fail_when_due();
    return plant.step(action);
  }
  void fail_when_due() {
    if (failing.contains(++calls)) throw PlantFailure("it fell over");
  }

  SimulatedPlant plant{Pendulum{}, {}, RandomStream(1, "plant")};
  std::set<int> failing;
  int calls = 0, resets = 0;
};

TEST(ExploreRun, KeepsWhatWasMeasuredBeforeThePlantFailed) {
  const TemporaryDirectory dir;
  Config config = small("pendulum", 3);
  config.judge.test_trajectories = 0;
  config.judge.task = false;
  RunDirectory run(dir.path() / "run", config);
  Flaky plant({30});  // a reset and 28 steps come before
  std::vector<std::string> remarks;
  RunEvents events;
  events.on_remark = [&](const std::string& text) { remarks.push_back(text); };
  const auto rows = explore_run(make_system("pendulum"), run, 1, events, &plant).rows;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1].steps, 28);
  EXPECT_EQ(rows[1].transitions, 28);
  EXPECT_EQ(rows[1].trouble, "ended after 28 of 100 steps");
  EXPECT_EQ(rows[2].trouble, "");
  EXPECT_EQ(rows[2].steps, 100);
  EXPECT_EQ(remarks,
            std::vector<std::string>{"episode 1 ended after 28 of 100 steps: it fell over"});
  EXPECT_EQ(plant.resets, 3);
}

TEST(ExploreRun, EndsWhereThePlantStops) {
  struct Stopping : Flaky {
    Stopping() : Flaky(std::set<int>{}) {}
    Vector step(const Vector& action) override {
      if (calls > 120) throw PlantStop("the door is open");
      return Flaky::step(action);
    }
  } plant;
  const TemporaryDirectory dir;
  RunDirectory run(dir.path() / "run", small("pendulum", 3));
  const RunResult result = explore_run(make_system("pendulum"), run, 1, {}, &plant);
  EXPECT_EQ(result.stopped, "the door is open");
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.rows.back().episode, 1);
  EXPECT_FALSE(std::filesystem::exists(run.path() / "episodes" / "0002.csv"));
  EXPECT_EQ(read_trajectory(run.path() / "unfinished" / "0002.csv", Pendulum{}.spec()).steps(), 19);
  const auto manifest = nlohmann::json::parse(slurp(run.path() / "manifest.json"));
  EXPECT_EQ(manifest["status"], "stopped: the door is open");
}

// A plant that fails before it was measured changes nothing but the time that it takes.
TEST(ExploreRun, AnEpisodeWithoutAStepIsDoneAgain) {
  for (const char* method : {"random", "rhc-evr"}) {
    const TemporaryDirectory dir;
    Config config = small("pendulum", 2);
    config.method = method;
    config.judge.test_trajectories = 0;
    config.judge.task = false;
    Flaky well({}), failing({1, 2, 4});
    int remarks = 0;
    RunEvents events;
    events.on_remark = [&](const std::string& text) {
      ++remarks;
      EXPECT_EQ(text, "episode 1 did not begin, and is done again: it fell over");
    };
    RunDirectory one(dir.path() / "well", config), other(dir.path() / "failing", config);
    explore_run(make_system("pendulum"), one, 1, {}, &well);
    explore_run(make_system("pendulum"), other, 1, events, &failing);
    EXPECT_EQ(remarks, 3);
    EXPECT_EQ(difference(lasting_files(one.path()), lasting_files(other.path())), "") << method;
  }
}

TEST(ExploreRun, InterruptedInTheMiddleOfAnEpisodeKeepsNothingOfIt) {
  struct Stopping : Flaky {
    Stopping() : Flaky(std::set<int>{}) {}
    Vector step(const Vector& action) override {
      if (calls > 120) throw Interrupted{};
      return Flaky::step(action);
    }
  } plant;
  const TemporaryDirectory dir;
  RunDirectory run(dir.path() / "run", small("pendulum", 3));
  const RunResult result = explore_run(make_system("pendulum"), run, 1, {}, &plant);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.rows.back().episode, 1);
  EXPECT_FALSE(std::filesystem::exists(run.path() / "episodes" / "0002.csv"));
}

TEST(ExploreRun, EndsAnEpisodeAtTheLimits) {
  const TemporaryDirectory dir;
  struct Runaway : Pendulum {
    SystemSpec spec() const {
      SystemSpec s = Pendulum::spec();
      s.limits.upper[2] = 0.2;
      s.limits.lower[2] = -0.2;
      s.region = {Eigen::Vector2d(3.1, 0), Eigen::Vector2d(3.2, 0)};
      return s;
    }
  };
  Config config = small("pendulum", 2);
  config.method = "random";
  config.judge.test_steps = 1;
  RunDirectory run(dir.path() / "run", config);
  const RunResult result = explore_run(Runaway{}, run, 1, {});
  for (std::size_t e = 1; e < result.rows.size(); ++e) {
    const MetricsRow& row = result.rows[e];
    EXPECT_LT(row.steps, 100);
    EXPECT_TRUE(row.trouble->starts_with("left the limits at step " + std::to_string(row.steps) +
                                         ": thetadot = "))
        << *row.trouble;
  }
  EXPECT_EQ(result.rows[2].transitions, result.rows[1].steps + result.rows[2].steps - 2)
      << "the step over the limit is kept but not learned from";
}

// Every place where a run can be told to stop is one where it does, in a chain of processes.
TEST(ExploreRun, StoppedAnywhereAndResumedLeavesTheSameBytes) {
  for (const auto& [method, replan] : {std::pair("random", 0), {"rhc-evr", 0}, {"rhc-evr", 30}}) {
    const TemporaryDirectory dir;
    Config config = tiny_config("pendulum", 3);
    config.method = method;
    config.plan.replan = replan;
    config.noise.observation = {0.01};
    const System system = make_system("pendulum");
    explore(dir.path() / "whole", config);
    { RunDirectory(dir.path() / "parts", config); }
    int processes = 0;
    for (bool interrupted = true; interrupted; ++processes) {
      ASSERT_LT(processes, 40) << "it never comes to an end";
      RunDirectory run = RunDirectory::reopen(dir.path() / "parts", {}, false);
      EXPECT_EQ(run.past().damaged, std::vector<std::string>{});
      // Stopped in or after its second phase, the next process in its third, ... to its sixth.
      int phases = 0;
      RunEvents events;
      events.on_phase = [&](int, Phase) { ++phases; };
      events.stop_requested = [&] { return phases > 1 + processes % 5; };
      interrupted = explore_run(system, run, 1, events).interrupted;
    }
    EXPECT_GT(processes, 4);
    EXPECT_EQ(difference(lasting_files(dir.path() / "whole"), lasting_files(dir.path() / "parts")),
              "")
        << method << " " << replan;
  }
}

TEST(ExploreRun, StoppedWhileItLearnsAndResumedLeavesTheSameBytes) {
  const TemporaryDirectory dir;
  Config config = without_evaluation(tiny_config("pendulum", 2));
  config.noise.observation = {0.01};
  const System system = make_system("pendulum");
  explore(dir.path() / "whole", config);
  { RunDirectory(dir.path() / "parts", config); }
  int processes = 0, stopped = 0;
  for (bool interrupted = true; interrupted; ++processes) {
    ASSERT_LT(processes, 100) << "it never comes to an end";
    RunDirectory run = RunDirectory::reopen(dir.path() / "parts", {}, false);
    // Each process comes farther in its learning than the one before.
    bool learns = false;
    int asked = 0;
    RunEvents events;
    events.on_phase = [&](int, Phase phase) {
      learns = phase == Phase::learning;
      asked = 0;
    };
    events.stop_requested = [&] { return learns && ++asked > 1 + 12 * processes; };
    interrupted = explore_run(system, run, 1, events).interrupted;
    if (interrupted) ++stopped;
  }
  EXPECT_GE(stopped, 3);
  EXPECT_EQ(difference(lasting_files(dir.path() / "whole"), lasting_files(dir.path() / "parts")),
            "");
}

TEST(ExploreRun, ForgetsTheSameWhereItWasStopped) {
  const TemporaryDirectory dir;
  for (const int refit : {1, 2}) {
    Config config = without_evaluation(tiny_config("pendulum", 4));
    config.model.forgetting = 1.5;
    config.model.refit = refit;
    config.noise.observation = {0.01};
    const auto whole = explored(dir.path() / fmt::format("whole-{}", refit), config);
    config.episodes = 0;
    const auto parts = explored(dir.path() / fmt::format("parts-{}", refit), config);
    for (int episodes = 1; episodes <= 4; ++episodes) {
      RunDirectory run = RunDirectory::reopen(parts, episodes, false);
      explore_run(make_system("pendulum"), run, 1, {});
    }
    EXPECT_EQ(difference(lasting_files(whole), lasting_files(parts)), "") << refit;
  }
}

// One file of a finished run is spoilt at random. Whether that is noticed or does not matter: in
// the end there are the bytes that there were.
TEST(ExploreRun, RepairedAfterAnyDamageLeavesTheSameBytes) {
  const TemporaryDirectory dir;
  copy_sample_run(dir.path() / "whole");
  const Files whole = lasting_files(dir.path() / "whole");
  const char* files[] = {"config.toml", "metrics.jsonl",     "beliefs.jsonl",
                         "checkpoint",  "episodes/0001.csv", "episodes/0003.csv"};
  int noticed = 0;
  const int count = repeats(30, 1500);
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    const auto path = dir.path() / "run";
    std::filesystem::remove_all(path);
    copy_sample_run(path);
    RandomStream randomness(7, "damage", static_cast<std::uint64_t>(i));
    const std::string file = files[i % 6], before = slurp(path / file);
    dir.write("run/" + file, damaged(before, randomness));
    RunDirectory run = RunDirectory::reopen(path, 3, true);
    noticed += !run.past().damaged.empty();
    explore_run(make_system("pendulum"), run, 1, {});
    Files after = lasting_files(path);
    std::erase_if(after, [](const auto& f) { return f.first.ends_with(".damaged"); });
    ASSERT_EQ(difference(after, whole), "") << file;
  }
  EXPECT_GT(noticed, count / 3);
}

TEST(ExploreRun, TellsTheRowsOfEarlierProcessesAgain) {
  const TemporaryDirectory dir;
  const Config config = tiny_config("pendulum", 2);
  const System system = make_system("pendulum");
  explore(dir.path() / "run", config);
  RunDirectory run = RunDirectory::reopen(dir.path() / "run", 3, false);
  std::vector<int> told;
  bool best = false;
  RunEvents events;
  events.on_row = [&](const MetricsRow& row) { told.push_back(row.episode); };
  events.on_best_achievable = [&](const Scores&) { best = true; };
  const RunResult result = explore_run(system, run, 1, events);
  EXPECT_EQ(told, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_TRUE(best);
  EXPECT_EQ(result.rows.size(), 4u);
}

}  // namespace
}  // namespace rhc
