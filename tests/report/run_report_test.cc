#include "rhc/report/run_report.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/core/version.h"
#include "rhc/describe/config_file.h"
#include "rhc/describe/settings.h"
#include "rhc/store/trajectory_csv.h"
#include "rhc/system/pendulum.h"
#include "tests/repeats.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

Json data_of(const std::filesystem::path& path) {
  const RunRecord run = read_run(path);
  return run_report_data(run, make_system(run.config.system), {});
}

std::vector<Json> lines_of(const std::filesystem::path& file) {
  std::vector<Json> lines;
  std::istringstream text(slurp(file));
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

// A run made once, and copies of it that may be damaged.
class RunReport : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TemporaryDirectory;
    Config config = small_config("pendulum", 3);
    config.seed = 7;
    config.noise.observation = {0.01, 0.02, 0.5};
    explored(dir_->path() / "run", config);
  }
  static void TearDownTestSuite() { delete dir_; }

  static std::filesystem::path run() { return dir_->path() / "run"; }
  static std::filesystem::path copy() {
    const auto to = dir_->path() / "copy";
    std::filesystem::remove_all(to);
    std::filesystem::copy(run(), to, std::filesystem::copy_options::recursive);
    return to;
  }

  static inline TemporaryDirectory* dir_;
};

TEST_F(RunReport, HasTheMetricsAndTheBestAchievableOfTheFiles) {
  const Json data = data_of(run());
  Json stored = Json(lines_of(run() / "metrics.jsonl"));
  for (Json& row : stored) {
    if (!row.contains("left_out")) row["left_out"] = 0;
    for (const char* key : {"log_likelihood_coherent", "information_by_output", "task_cost_closed",
                            "task_cost_closed_limit"})
      if (!row.contains(key)) row[key] = nullptr;
  }
  // In whatever order.
  EXPECT_EQ(nlohmann::json::parse(data["metrics"].dump()), nlohmann::json::parse(stored.dump()));
  EXPECT_EQ(data["best_achievable"], Json::parse(slurp(run() / "best_achievable.json")));
}

TEST_F(RunReport, HasTheManifestOfTheFile) {
  EXPECT_EQ(data_of(run())["manifest"], Json::parse(slurp(run() / "manifest.json")));
}

TEST_F(RunReport, SaysWhatWhereAndBy) {
  const Json data = data_of(run());
  EXPECT_EQ(data["kind"], "run");
  EXPECT_EQ(data["name"], "run");
  EXPECT_EQ(data["version"], version());
  EXPECT_TRUE(data["live"].is_null());
  EXPECT_TRUE(data["problems"].empty());
  EXPECT_EQ(data["system"]["name"], "pendulum");
  EXPECT_EQ(data["system"]["horizon"], 100);
  EXPECT_DOUBLE_EQ(data["system"]["time_step"].get<double>(), 0.08);
  EXPECT_EQ(data["system"]["limits"]["upper"].dump(), "[null,null,null]") << "no limits";
}

TEST_F(RunReport, ListsEverySettingWithItsDefault) {
  const Json data = data_of(run());
  const Config config = read_run(run()).config;
  ASSERT_EQ(data["settings"].size(), settings().size());
  for (std::size_t i = 0; i < settings().size(); ++i) {
    EXPECT_EQ(data["settings"][i]["key"], settings()[i].key);
    EXPECT_EQ(data["settings"][i]["value"], settings()[i].show(config));
    if (settings()[i].key != "features") continue;
    EXPECT_EQ(data["settings"][i]["value"], "30");
    EXPECT_EQ(data["settings"][i]["default"], "80") << "what a pendulum gets, not the table's 0";
  }
}

TEST_F(RunReport, WithoutEvaluationHasNullsAndNoTasks) {
  const auto path =
      explored(dir_->path() / "bare", without_evaluation(small_config("cartpole", 2)));
  const Json data = data_of(path);
  EXPECT_TRUE(data["best_achievable"].is_null());
  EXPECT_TRUE(data["metrics"][2]["task_cost"].is_null());
  EXPECT_TRUE(data["tasks"].empty());
  EXPECT_EQ(data["episodes"].size(), 2u);
}

TEST_F(RunReport, OfNoEpisodesIsAReport) {
  const Json data = data_of(explored(dir_->path() / "none", small_config("cartpole", 0)));
  EXPECT_EQ(data["manifest"]["status"], "finished");
  EXPECT_EQ(data["metrics"].size(), 1u);
  EXPECT_TRUE(data["episodes"].empty());
  EXPECT_EQ(data["planes"].size(), 6u);
  EXPECT_TRUE(data["planes"][0]["maps"].empty());
}

TEST_F(RunReport, OfARunThatHasJustBegunIsAReport) {
  const RunDirectory begun(dir_->path() / "begun", small_config("pendulum", 5));
  const Json data = data_of(begun.path());
  EXPECT_EQ(data["manifest"]["status"], "running");
  EXPECT_TRUE(data["metrics"].empty());
  EXPECT_TRUE(data["problems"].empty());
}

TEST_F(RunReport, FollowsARunFromEpisodeToEpisode) {
  const Config config = without_evaluation(small_config("mountain-car", 3));
  RunDirectory going(dir_->path() / "going", config);
  RunEvents events;
  int rows = 0;
  events.on_row = [&](const MetricsRow& row) {
    const Json data = data_of(going.path());
    EXPECT_EQ(data["manifest"]["status"], "running");
    EXPECT_EQ(data["manifest"]["episodes_done"], row.episode);
    EXPECT_EQ(data["metrics"].size(), static_cast<std::size_t>(row.episode) + 1);
    EXPECT_EQ(data["episodes"].size(), static_cast<std::size_t>(row.episode));
    EXPECT_TRUE(data["problems"].empty()) << data["problems"];
    ++rows;
  };
  explore_run(make_system(config.system), going, 1, events);
  EXPECT_EQ(rows, 4);
  EXPECT_EQ(data_of(going.path())["manifest"]["status"], "finished");
}

TEST_F(RunReport, OfARunThatWasKilledSaysSo) {
  {
    RunDirectory left(dir_->path() / "killed", small_config("pendulum", 5));
    left.commit({.episode = 0}, std::nullopt, {});
  }
  EXPECT_EQ(data_of(dir_->path() / "killed")["manifest"]["status"], "killed");
}

TEST_F(RunReport, OfADamagedRunNamesItsProblems) {
  for (const char* file :
       {"metrics.jsonl", "beliefs.jsonl", "checkpoint", "best_achievable.json", "episodes/0001.csv",
        "episodes/0003.csv", "predictions/0002.csv", "tasks/0003.csv"})
    for (const char* text : {"\xff{garbage\n\n", "{}\n{}\n{}\n"}) {
      const auto damaged = copy();
      std::ofstream(damaged / file) << text;
      Json data;
      ASSERT_NO_THROW(data = data_of(damaged)) << file << ": " << text;
      std::string problems;
      for (const Json& problem : data["problems"]) problems += problem.get<std::string>() + "\n";
      EXPECT_NE(problems.find(file), std::string::npos) << file << ": " << text << problems;
      EXPECT_EQ(data["metrics"].size(), 4u) << file << ": the checkpoint has them, too";
    }
}

TEST_F(RunReport, OfARunWithoutSomeOfItsFilesIsAReport) {
  for (const char* file : {"metrics.jsonl", "beliefs.jsonl", "checkpoint", "best_achievable.json",
                           "episodes", "predictions", "tasks", "model.json"}) {
    const auto damaged = copy();
    std::filesystem::remove_all(damaged / file);
    EXPECT_NO_THROW(data_of(damaged)) << file;
  }
}

TEST_F(RunReport, WithAnyFileCutOffAnywhereIsAReportOrRefused) {
  const std::uint64_t seed = 1;
  RandomStream randomness(seed, "cut off");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(run()))
    if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(run()));
  std::sort(files.begin(), files.end());
  for (int i = 0; i < repeats(40, 1000); ++i) {
    const auto damaged = copy();
    const auto& file = files[randomness.below(files.size())];
    const auto size = std::filesystem::file_size(damaged / file);
    std::filesystem::resize_file(damaged / file, randomness.below(size + 1));
    try {
      const Json data = data_of(damaged);
      EXPECT_EQ(data["kind"], "run");
    } catch (const InputError& refused) {
      EXPECT_TRUE(file == "manifest.json" || file == "config.toml")
          << file << ": " << refused.what() << ", seed " << seed << ", case " << i;
    }
  }
}

TEST(RunName, IsTheLastPartOfThePath) {
  EXPECT_EQ(run_name("runs/a"), "a");
  EXPECT_EQ(run_name("runs/a/"), "a");
  EXPECT_EQ(run_name("runs/a/."), "a");
  EXPECT_EQ(run_name("runs/b/../a"), "a");
  EXPECT_EQ(run_name("."), std::filesystem::current_path().filename());
}

// What `rhc explore` makes of the command's words; the program itself is tested in tests/apps.
Config understood(const std::string& command, const SystemSpec& spec) {
  std::vector<std::string> words;
  bool inside = false, fresh = true;
  for (const char c : command) {
    if (c == '\'') {
      inside = !inside;
    } else if (c == ' ' && !inside) {
      fresh = true;
    } else {
      if (fresh) words.emplace_back();
      fresh = false;
      words.back() += c;
    }
  }
  // A plant says its name itself.
  const bool plant = words[2] == "--command";
  EXPECT_EQ(words[0] + " " + words[1], "rhc explore");
  EXPECT_TRUE(plant || words[2] == spec.name) << command;
  Config config = preset("default", spec);
  for (std::size_t i = plant ? 2 : 3; i < words.size(); ++i) {
    if (words[i].starts_with("--")) {
      assign(config, words[i].substr(2), words[i + 1]);
      ++i;
    } else {
      assign(config, words[i]);
    }
  }
  config.model.features = features_for(config, spec);
  return config;
}

TEST(ReproducingCommand, OfADefaultRunIsShort) {
  const SystemSpec spec = make_system("pendulum").spec();
  Config config = preset("default", spec);
  config.model.features = features_for(config, spec);
  EXPECT_EQ(reproducing_command(config, spec), "rhc explore pendulum");
  config.seed = 9;
  config.episodes = 3;
  config.method = "random";
  EXPECT_EQ(reproducing_command(config, spec),
            "rhc explore pendulum --method random --episodes 3 --seed 9");
}

TEST(ReproducingCommand, GivesBackEveryConfig) {
  const std::vector<std::string> values = {"0",        "1",     "17",         "0.25",
                                           "1e-07",    "true",  "false",      "random",
                                           "rhc-us",   "each",  "never",      "paper",
                                           "evidence", "white", "last",       "discount",
                                           "[]",       "[0.5]", "[0.01,0.2]", "9223372036854775807",
                                           "[8]",      "cuda",  "./plant -v"};
  for (int seed = 0; seed < repeats(300, 10000); ++seed) {
    RandomStream randomness(static_cast<std::uint64_t>(seed), "configs");
    const auto names = paper_system_names();
    const SystemSpec spec = make_system(names[randomness.below(names.size())]).spec();
    Config config = preset(randomness.below(2) ? "paper" : "default", spec);
    for (int i = 0; i < 8; ++i) {
      const Setting& setting = settings()[randomness.below(settings().size())];
      Config changed = config;
      const std::string& value = values[randomness.below(values.size())];
      // No method has a name of two words.
      const bool fits = setting.key != "method" || (i == 0 && value.find(' ') == std::string::npos);
      if (setting.key != "system" && fits && setting.assign(changed, value)) config = changed;
    }
    config.model.features = features_for(config, spec);
    const std::string command = reproducing_command(config, spec);
    EXPECT_EQ(config_toml(understood(command, spec)), config_toml(config))
        << "seed " << seed << ": " << command;
  }
}

// The page without data is below 1.4 MB, so that it is below 3 with these.
constexpr std::size_t kMostBytes = 1'600'000;

// As if the first episodes had been repeated until there are so many.
RunRecord lengthened(const std::filesystem::path& path, int episodes) {
  RunRecord run = read_run(path);
  const int made = static_cast<int>(run.episodes.size());
  for (int e = made + 1; e <= episodes; ++e) {
    MetricsRow row = run.rows.back();
    row.episode = e;
    run.rows.push_back(row);
    run.episodes.push_back(run.episodes.back());
    run.beliefs.push_back(run.beliefs.back());
    run.beliefs.back().episode = e;
    for (const char* folder : {"predictions", "tasks"})
      if (std::filesystem::exists(path / folder / episode_file(made)))
        std::filesystem::copy(path / folder / episode_file(made), path / folder / episode_file(e));
  }
  return run;
}

TEST(RunReportSize, IsBoundedForManyEpisodes) {
  const TemporaryDirectory dir;
  for (const std::string& name : paper_system_names()) {
    const RunRecord run = lengthened(explored(dir.path() / name, small_config(name, 2)), 300);
    const Json data = run_report_data(run, make_system(name), {.threads = 2});
    EXPECT_LT(data.dump().size(), kMostBytes) << name;
    EXPECT_EQ(data["metrics"].size(), 301u) << name;
    EXPECT_EQ(data["episodes"].back()["episode"], 300) << name;
    EXPECT_GT(data["episodes"].size(), 5u) << name;
    EXPECT_EQ(data["planes"][0]["maps"].size(), data["episodes"].size()) << name;
  }
}

TEST(RunReportSize, IsBoundedForThousandsOfRows) {
  const TemporaryDirectory dir;
  RunRecord run =
      read_run(explored(dir.path() / "run", without_evaluation(small_config("pendulum", 1))));
  for (int e = 2; e <= 20000; ++e) {
    MetricsRow row = run.rows.back();
    row.episode = e;
    row.scores = Scores{-1.0 / e, -100.0 / e, -1e5 / e, -1e-5 / e, 1.0 / e};
    row.task_cost = row.task_cost_predicted = row.task_cost_limit = 1e4 / e;
    row.information_planned = row.information_gained = 1e2 / e;
    run.rows.push_back(row);
  }
  const Json data = run_report_data(run, make_system("pendulum"), {});
  EXPECT_LT(data.dump().size(), kMostBytes);
  EXPECT_EQ(data["metrics"].back()["episode"], 20000);
}

struct LongPendulum : Pendulum {
  SystemSpec spec() const {
    SystemSpec spec = Pendulum::spec();
    spec.horizon = 2000;
    return spec;
  }
};

TEST(RunReportSize, IsBoundedForLongEpisodes) {
  const TemporaryDirectory dir;
  const System system(LongPendulum{});
  const Config config = without_evaluation(small_config("pendulum", 1));
  RunDirectory directory(dir.path() / "run", config);
  explore_run(system, directory, 1, {});
  RunRecord run = read_run(directory.path());
  run.spec = system.spec();
  ASSERT_EQ(run.episodes[0]->steps(), 2000);
  const Matrix states = run.episodes[0]->observations;
  directory.write_prediction(1, run.spec, {states, 0.1 * states, run.episodes[0]->actions});
  directory.write_task(1, run.spec, *run.episodes[0]);
  for (int e = 2; e <= 50; ++e) {
    MetricsRow row = run.rows.back();
    row.episode = e;
    run.rows.push_back(row);
    run.episodes.push_back(run.episodes.back());
    directory.write_prediction(e, run.spec, {states, 0.1 * states, run.episodes[0]->actions});
    directory.write_task(e, run.spec, *run.episodes[0]);
  }
  const Json data = run_report_data(run, system, {});
  EXPECT_LT(data.dump().size(), kMostBytes);
  EXPECT_GE(data["episodes"].size(), 4u);
  EXPECT_EQ(data["tasks"].size(), data["episodes"].size());
  const std::size_t shown = data["episodes"][0]["observations"][0].size();
  EXPECT_GT(shown, 300u);
  // Time goes on as before, however many steps are left out.
  EXPECT_NEAR(static_cast<double>(shown - 1) * data["system"]["time_step"].get<double>(),
              2000 * system.spec().time_step, 4 * system.spec().time_step);
  EXPECT_EQ(data["system"]["horizon"], shown - 1);
}

}  // namespace
}  // namespace rhc
