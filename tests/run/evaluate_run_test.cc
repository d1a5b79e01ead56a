#include "rhc/run/evaluate_run.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/describe/config_file.h"
#include "rhc/format/files.h"
#include "rhc/system/registry.h"
#include "tests/small_run.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

namespace fs = std::filesystem;

Config quick(int episodes) {
  Config config;
  config.episodes = episodes;
  config.model.features = 40;
  config.judge.test_trajectories = 200;
  config.judge.test_steps = 4;
  config.judge.best_achievable_transitions = 200;
  config.model.evidence_starts = 8;
  config.plan.starts = 4;
  config.judge.task_starts = 4;
  config.judge.task_hops = config.judge.limit_hops = 2;
  config.judge.task_draws = 0;
  return config;
}

// Stops after that episode.
RunEvents stop_after(int episode) {
  const auto done = std::make_shared<int>(-1);
  RunEvents events;
  events.on_row = [done](const MetricsRow& row) { *done = row.episode; };
  events.stop_requested = [done, episode] { return *done >= episode; };
  return events;
}

void resume(const fs::path& path, std::optional<int> episodes = std::nullopt) {
  RunDirectory run = RunDirectory::reopen(path, episodes, false);
  explore_run(make_system(run.config().system), run, 1, {});
}

NewEvaluation evaluate(const RunRecord& run, const Config& config, int threads = 1) {
  return evaluate_run(make_system(run.config.system), run, config, threads, {});
}

void reevaluate(const fs::path& path, const Config& config) {
  const Lock lock(path);
  const RunRecord run = read_run(path);
  Config changed = config;
  changed.episodes = run.config.episodes;
  replace_evaluation(lock, run, evaluate(run, changed));
}

std::string rows_without_seconds(const fs::path& path) {
  std::vector<MetricsRow> rows;
  for (const MetricsRow& row : read_run(path).rows) rows.push_back(row.without_seconds());
  return metrics_text(rows);
}

// Every file but those that hold times.
void expect_same_run(const fs::path& a, const fs::path& b) {
  EXPECT_EQ(rows_without_seconds(a), rows_without_seconds(b));
  EXPECT_EQ(read_run(a).damaged, std::vector<std::string>{});
  std::vector<fs::path> files[2];
  for (int i = 0; i < 2; ++i)
    for (const auto& entry : fs::recursive_directory_iterator(i == 0 ? a : b))
      if (entry.is_regular_file() && entry.path().filename() != "manifest.json" &&
          entry.path().filename() != "metrics.jsonl")
        files[i].push_back(fs::relative(entry.path(), i == 0 ? a : b));
  for (auto& list : files) std::sort(list.begin(), list.end());
  ASSERT_EQ(files[0], files[1]);
  for (const fs::path& file : files[0]) EXPECT_EQ(slurp(a / file), slurp(b / file)) << file;
}

TEST(EvaluateRun, ForgetsAsTheRunDid) {
  const TemporaryDirectory dir;
  Config config = quick(3);
  config.judge.task = false;
  config.model.forgetting = 1.5;
  const RunRecord run = read_run(explored(dir.path() / "run", config));
  EXPECT_TRUE(differences(run, evaluate(run, run.config)).empty());
  Config never = run.config;
  never.model.forgetting = 0;
  EXPECT_FALSE(differences(run, evaluate(run, never)).empty());
}

TEST(EvaluateRun, GivesWhatIsStoredToTheLastBitOnAnyNumberOfThreads) {
  const TemporaryDirectory dir;
  Config config = quick(3);
  config.system = "cartpole";
  config.noise.observation = {0.01};
  explore(dir.path() / "run", config);
  const RunRecord run = read_run(dir.path() / "run");
  for (const int threads : {1, 3})
    EXPECT_TRUE(differences(run, evaluate(run, config, threads)).empty());
}

TEST(EvaluateRun, FollowsRunsThatSeldomRefitAndRedrawTheirFeatures) {
  const TemporaryDirectory dir;
  Config config = quick(4);
  config.method = "random";
  config.model.refit = 2;
  config.model.redraw_features = true;
  explore(dir.path() / "run", config);
  const RunRecord run = read_run(dir.path() / "run");
  EXPECT_TRUE(differences(run, evaluate(run, config)).empty());
}

TEST(EvaluateRun, TakesOverWhatIsKnownOfPlans) {
  const TemporaryDirectory dir;
  explore(dir.path() / "run", quick(2));
  const RunRecord run = read_run(dir.path() / "run");
  const MetricsRow row = evaluate(run, run.config).rows[2];
  EXPECT_EQ(row.information_planned, run.rows[2].information_planned);
  EXPECT_EQ(row.plan_status, run.rows[2].plan_status);
  EXPECT_EQ(row.plan_seconds, run.rows[2].plan_seconds);
  EXPECT_TRUE(row.plan_status.has_value());
}

TEST(EvaluateRun, JudgesLaterAsIfFromTheStart) {
  const TemporaryDirectory dir;
  explore(dir.path() / "whole", quick(3));
  explore(dir.path() / "later", without_evaluation(quick(3)));
  reevaluate(dir.path() / "later", quick(3));
  expect_same_run(dir.path() / "later", dir.path() / "whole");
}

TEST(EvaluateRun, LeavesARunThatGoesOnAsIfJudgedFromTheStart) {
  const TemporaryDirectory dir;
  explore(dir.path() / "whole", quick(4));
  explore(dir.path() / "later", without_evaluation(quick(4)), stop_after(2));
  reevaluate(dir.path() / "later", quick(4));
  resume(dir.path() / "later");
  expect_same_run(dir.path() / "later", dir.path() / "whole");
}

TEST(EvaluateRun, ForgetsWhatIsNoLongerAskedFor) {
  const TemporaryDirectory dir;
  explore(dir.path() / "bare", without_evaluation(quick(2)));
  explore(dir.path() / "judged", quick(2));
  reevaluate(dir.path() / "judged", without_evaluation(quick(2)));
  expect_same_run(dir.path() / "judged", dir.path() / "bare");
}

TEST(EvaluateRun, LeavesARowThatTheCheckpointDoesNotKnowToResume) {
  const TemporaryDirectory dir;
  explore(dir.path() / "whole", quick(3));
  const fs::path path = dir.path() / "killed";
  std::string early;
  RunEvents events;
  events.on_row = [&](const MetricsRow& row) {
    if (row.episode == 1) early = slurp(path / "checkpoint");
  };
  Config config = without_evaluation(quick(3));
  config.episodes = 2;
  explore(path, config, events);
  write_atomically(path / "checkpoint", early);  // as if killed just before the second was written
  ASSERT_EQ(read_run(path).rows.size(), 2u);

  config = quick(3);
  config.episodes = 2;
  reevaluate(path, config);
  EXPECT_EQ(read_run(path).rows.size(), 2u);
  resume(path, 3);
  expect_same_run(path, dir.path() / "whole");
}

// Replaces the evaluation up to a file: a directory in its place stands for a process that ends
// just there. False where nothing was in the way.
bool reevaluate_up_to(const std::string& file, const fs::path& path, const Config& config) {
  const Lock lock(path);
  const RunRecord run = read_run(path);
  Config changed = config;
  changed.episodes = run.config.episodes;
  const NewEvaluation evaluation = evaluate(run, changed);
  const TemporaryDirectory elsewhere;
  const bool replaced = fs::exists(path / file);
  if (replaced) fs::rename(path / file, elsewhere.path() / "file");
  fs::create_directory(path / file);
  bool cut_off = false;
  try {
    replace_evaluation(lock, run, evaluation);
  } catch (const IoError&) {
    cut_off = true;
  }
  if (!cut_off) return false;
  fs::remove(path / file);
  if (replaced) fs::rename(elsewhere.path() / "file", path / file);
  return true;
}

TEST(EvaluateRun, IsRightToReadersWhereverWritingItIsCutOff) {
  const TemporaryDirectory dir;
  explore(dir.path() / "whole", quick(3));
  explore(dir.path() / "half", without_evaluation(quick(3)), stop_after(2));
  std::string being_replaced;
  const auto go_on_from = [&](const fs::path& path, bool begun, const std::string& file) {
    const RunRecord run = read_run(path);
    EXPECT_EQ(run.damaged, std::vector<std::string>{}) << file;
    EXPECT_EQ(run.config.judge.task, begun) << "all of the old, or all of the new: " << file;
    EXPECT_EQ(run.rows.back().task_cost.has_value(), begun) << file;
    reevaluate(path, quick(3));
    resume(path);
    expect_same_run(path, dir.path() / "whole");
  };
  const fs::path path = dir.path() / "cut";
  for (const std::string file : {"checkpoint", "config.toml", "metrics.jsonl", "tasks/0002.csv"}) {
    fs::remove_all(path);
    fs::copy(dir.path() / "half", path, fs::copy_options::recursive);
    EXPECT_TRUE(reevaluate_up_to(file, path, quick(3))) << file;
    being_replaced = slurp(path / "checkpoint");
    go_on_from(path, file != "checkpoint", file);
  }

  // The line is removed first and written last, so nothing can be put in its way.
  fs::remove_all(path);
  fs::copy(dir.path() / "half", path, fs::copy_options::recursive);
  reevaluate(path, quick(3));
  fs::remove(path / "best_achievable.json");
  write_atomically(path / "checkpoint", being_replaced);
  write_atomically(path / "manifest.json", slurp(dir.path() / "half/manifest.json"));
  go_on_from(path, true, "best_achievable.json");
}

TEST(EvaluateRun, GoesOnAfterWritingWasCutOff) {
  const TemporaryDirectory dir;
  explore(dir.path() / "whole", quick(3));
  const fs::path path = dir.path() / "cut";
  explore(path, without_evaluation(quick(3)), stop_after(2));
  EXPECT_TRUE(reevaluate_up_to("config.toml", path, quick(3)));
  resume(path);
  EXPECT_EQ(rows_without_seconds(path), rows_without_seconds(dir.path() / "whole"));
  for (const char* file : {"config.toml", "checkpoint", "best_achievable.json"})
    EXPECT_EQ(slurp(path / file), slurp(dir.path() / "whole" / file)) << file;
}

TEST(EvaluateRun, RefusesARunWithoutItsEpisodesAndNamesThem) {
  const TemporaryDirectory dir;
  explore(dir.path() / "run", without_evaluation(quick(2)));
  fs::remove(dir.path() / "run/episodes/0002.csv");
  const RunRecord run = read_run(dir.path() / "run");
  const std::string message = message_of<InputError>([&] { evaluate(run, run.config); });
  EXPECT_NE(message.find("0002.csv: the file is missing"), std::string::npos) << message;
  EXPECT_NE(message.find("--repair"), std::string::npos) << message;
}

TEST(EvaluateRun, TakesTheSettingsThatTheRunBeganWith) {
  const TemporaryDirectory dir;
  Config config = without_evaluation(quick(1));
  explore(dir.path() / "run", config);
  config.model.features = 41;
  write_atomically(dir.path() / "run/config.toml", config_toml(config));
  const RunRecord run = read_run(dir.path() / "run");
  EXPECT_EQ(run.damaged.size(), 1u) << "the change is named";
  EXPECT_TRUE(differences(run, evaluate(run, run.config)).empty());
}

TEST(EvaluateRun, MendsRowsThatWereChanged) {
  const TemporaryDirectory dir;
  const fs::path path = dir.path() / "run";
  explore(path, quick(2));
  RunRecord run = read_run(path);
  run.rows[1].rmse = *run.rows[1].rmse * 2;
  run.rows[2].information_planned = 0;
  write_atomically(path / "metrics.jsonl", metrics_text(run.rows));

  run = read_run(path);
  EXPECT_EQ(run.damaged.size(), 2u);
  EXPECT_TRUE(differences(run, evaluate(run, run.config)).empty()) << "the checkpoint has them";
  reevaluate(path, run.config);
  EXPECT_TRUE(read_run(path).damaged.empty());
}

TEST(EvaluateRun, SaysWhereTheColumnsDifferMost) {
  RunRecord stored;
  stored.rows = {{.episode = 0, .rmse = 1}, {.episode = 1, .rmse = 2}};
  NewEvaluation now;
  now.rows = {{.episode = 0, .rmse = 1.1}, {.episode = 1, .rmse = 1}};
  const std::vector<Difference> found = differences(stored, now);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].column, "rmse");
  EXPECT_EQ(found[0].episode, 1);
  EXPECT_DOUBLE_EQ(found[0].relative, 0.5);
}

TEST(EvaluateRun, SaysTheSameOfEpisodesThatLeftTheLimits) {
  const TemporaryDirectory dir;
  Config config = quick(3);
  config.system = "cartpole";
  config.plan.first_levels = 1;
  explore(dir.path() / "run", config);
  RunRecord run = read_run(dir.path() / "run");
  ASSERT_TRUE(run.rows[1].trouble->starts_with("left the limits at step ")) << *run.rows[1].trouble;
  EXPECT_EQ(evaluate(run, run.config).rows[1].trouble, run.rows[1].trouble);
  // What version 0.1 did not write does not differ.
  run.rows[1].trouble.reset();
  EXPECT_TRUE(differences(run, evaluate(run, run.config)).empty());
}

TEST(EvaluateRun, SaysWhereOnlyOneSideHasAValue) {
  RunRecord stored;
  stored.rows = {{.episode = 0, .rmse = 1}};
  NewEvaluation now;
  now.rows = {{.episode = 0}};
  now.best_achievable = Scores{1, 2, 3, 4, 5};
  const std::vector<Difference> found = differences(stored, now);
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[0].column, "rmse");
  EXPECT_EQ(found[0].relative, kInfinity);
  EXPECT_EQ(found[1].column, "best_achievable.rmse");
  EXPECT_FALSE(found[1].episode.has_value());
}

TEST(EvaluationSettings, AreTheOnlyOnesThatChange) {
  Config config;
  assign_evaluation(config, "test_steps=7");
  EXPECT_EQ(config.judge.test_steps, 7);
  for (const char* other : {"system=pendulum", "method=random", "episodes=3", "seed=1", "caution=1",
                            "refit=never", "plan_starts=3", "observation_noise=0.1"})
    EXPECT_NE(message_of<InputError>([&] { assign_evaluation(config, other); }), "") << other;
  EXPECT_NE(message_of<InputError>([&] {
              assign_evaluation(config, "features=90");
            }).find("'features' decides what the run did, so another value would be another run"),
            std::string::npos);
}

TEST(EvaluationSettings, SuggestTheNearestOfAnUnknownOne) {
  Config config;
  EXPECT_NE(message_of<InputError>([&] {
              assign_evaluation(config, "test_step=7");
            }).find("unknown setting 'test_step'; did you mean 'test_steps'?"),
            std::string::npos);
}

}  // namespace
}  // namespace rhc
