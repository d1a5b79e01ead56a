#include <nlohmann/json.hpp>

#include "tests/apps/small_run.h"

namespace rhc {
namespace {

// The whole run, as it lies on disk.
std::map<std::string, std::string> content_of(const std::filesystem::path& path) {
  std::map<std::string, std::string> content;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    content[entry.path().string()] = entry.is_regular_file() ? slurp(entry.path()) : "";
  return content;
}

TEST(Evaluate, PrintsTheTableAndThatAllIsTheSame) {
  const TemporaryDirectory dir;
  const auto path = small_run(dir);
  const auto before = content_of(path);
  const Outcome outcome = run({"evaluate", "run"}, dir);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "task cost")) << outcome.out;
  EXPECT_TRUE(outcome.out.ends_with("the same to the last bit as what is stored\n"));
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(content_of(path), before) << "nothing is written unless asked for";
}

TEST(Evaluate, WritesWhatARunWasNotJudgedBy) {
  const TemporaryDirectory dir;
  small_run(dir);
  ASSERT_EQ(run(explore_small("pendulum", "bare",
                              {"--episodes", "2", "task=false", "test_trajectories=0"}),
                dir)
                .code,
            0);
  const Outcome outcome =
      run({"evaluate", "bare", "--write", "task=true", "test_trajectories=100"}, dir);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "settings changed: task = true, test_trajectories = 100"));
  EXPECT_TRUE(contains(outcome.out, "\nwritten into bare\n")) << outcome.out;
  for (const char* file : {"config.toml", "checkpoint", "best_achievable.json", "tasks/0002.csv"})
    EXPECT_EQ(slurp(dir.path() / "bare" / file), slurp(dir.path() / "run" / file)) << file;
  EXPECT_EQ(run({"inspect", "bare"}, dir).code, 0);
  EXPECT_TRUE(contains(run({"evaluate", "bare"}, dir).out, "the same to the last bit"));
}

TEST(Evaluate, SaysHowFarAColumnIsOff) {
  const TemporaryDirectory dir;
  small_run(dir);
  const Outcome outcome = run({"evaluate", "run", "test_trajectories=99"}, dir);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "largest relative difference to what is stored:\n  rmse"))
      << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "task_cost")) << outcome.out;
}

TEST(Evaluate, PrintsJsonOnRequest) {
  const TemporaryDirectory dir;
  small_run(dir);
  std::istringstream lines(run({"evaluate", "run", "--json"}, dir).out);
  std::vector<std::string> events;
  nlohmann::json comparison;
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json told = nlohmann::json::parse(line);
    events.push_back(told["event"]);
    if (events.back() == "comparison") comparison = told;
  }
  EXPECT_EQ(events, (std::vector<std::string>{"begin", "best_achievable", "row", "row", "row",
                                              "comparison", "end"}));
  EXPECT_EQ(comparison["same"], true);
  EXPECT_EQ(comparison["largest_relative_difference"], nlohmann::json::object());
}

TEST(Evaluate, RefusesSettingsThatWouldBeAnotherRun) {
  const TemporaryDirectory dir;
  const auto path = small_run(dir);
  const auto before = content_of(path);
  const Outcome refused = run({"evaluate", "run", "--write", "features=90"}, dir);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "setting 'features' decides what the run did")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "an evaluation can change: task, task_starts")) << refused.err;
  const Outcome unknown = run({"evaluate", "run", "task_start=3"}, dir);
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.err, "did you mean 'task_starts'?")) << unknown.err;
  EXPECT_EQ(content_of(path), before);
}

TEST(Evaluate, WritesIntoNoRunThatAnotherProcessWrites) {
  const TemporaryDirectory dir, elsewhere;
  const Program program(explore_small("pendulum", "run", {"--episodes", "100000"}), dir);
  ASSERT_TRUE(appears(dir.path() / "run/episodes/0002.csv"));
  const Outcome refused = run({"evaluate", dir.path() / "run", "--write"}, elsewhere);
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait().code, 130);
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(contains(refused.err, "is being written by process ")) << refused.err;
}

TEST(Evaluate, NamesTheEpisodeItCannotUse) {
  const TemporaryDirectory dir;
  const auto path = small_run(dir);
  std::ofstream(path / "episodes/0001.csv") << "step\n";
  const Outcome refused = run({"evaluate", "run"}, dir);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "run/episodes/0001.csv")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "`rhc resume run --repair`")) << refused.err;
}

TEST(Evaluate, NeedsACheckpointOnlyToWrite) {
  const TemporaryDirectory dir;
  const auto path = small_run(dir);
  std::ofstream(path / "checkpoint") << "nonsense";
  const Outcome fine = run({"evaluate", "run"}, dir);
  EXPECT_EQ(fine.code, 0);
  EXPECT_TRUE(contains(fine.out, "the same to the last bit")) << fine.out;
  EXPECT_TRUE(contains(fine.err, "damaged, which does not matter here: run/checkpoint"));
  const Outcome refused = run({"evaluate", "run", "--write"}, dir);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "`rhc resume run --repair` makes one")) << refused.err;
}

TEST(Evaluate, NamesARunOfANewerProgram) {
  const TemporaryDirectory dir;
  const auto path = small_run(dir);
  replace_in(path / "manifest.json", "\"format_version\": 1", "\"format_version\": 2");
  const Outcome refused = run({"evaluate", "run"}, dir);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "run/manifest.json: written in format 2")) << refused.err;
}

}  // namespace
}  // namespace rhc
