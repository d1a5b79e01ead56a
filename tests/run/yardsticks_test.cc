#include "rhc/run/yardsticks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "rhc/describe/settings.h"
#include "rhc/evaluate/best_achievable.h"
#include "rhc/evaluate/task_cost.h"
#include "rhc/format/json_checksum.h"
#include "rhc/store/lock.h"
#include "tests/run_files.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

Config some_config() { return tiny_config("mountain-car"); }

System some_system() { return make_system("mountain-car"); }

double limit_of(Yardsticks& yardsticks, const Config& config) {
  return yardsticks.task_cost_limit(config, make_system(config.system), 1).value();
}

Scores line_of(Yardsticks& yardsticks, const Config& config) {
  return yardsticks.best_achievable(config, make_system(config.system), 1).value();
}

// The file of this kind in a folder of yardsticks.
std::filesystem::path only_file(const std::filesystem::path& folder, const std::string& kind) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(kind)) found.push_back(entry.path());
  EXPECT_EQ(found.size(), 1u) << kind;
  return found.at(0);
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

TEST(Yardsticks, GiveTheNumbersThatAreComputedDirectly) {
  const TemporaryDirectory dir;
  const Config config = some_config();
  const System system = some_system();
  const NoiseLevels noise = noise_levels(config, system.spec());
  const TestSet set =
      draw_test_set(system, noise, config.judge.test_trajectories, config.judge.test_steps, 1);
  const Scores line = best_achievable(system, noise, config.model.features, 20,
                                      evidence_settings(config, system, 1), set);
  // In memory, to a folder, and from the folder.
  for (const std::filesystem::path& folder : {std::filesystem::path{}, dir.path(), dir.path()}) {
    Yardsticks yardsticks(folder);
    EXPECT_EQ(limit_of(yardsticks, config), task_cost_limit(system, 0, 1).value());
    EXPECT_EQ(scores_json(line_of(yardsticks, config)), scores_json(line));
    const auto given = yardsticks.test_set(config, system, 1);
    EXPECT_EQ(given->observations, set.observations);
    EXPECT_EQ(given->actions, set.actions);
    EXPECT_EQ(given->output_scale, set.output_scale);
  }
}

TEST(Yardsticks, DoNotDependOnTheNumberOfThreads) {
  const Config config = some_config();
  const System system = some_system();
  Yardsticks one, three;
  EXPECT_EQ(one.task_cost_limit(config, system, 1), three.task_cost_limit(config, system, 3));
  EXPECT_EQ(scores_json(one.best_achievable(config, system, 1).value()),
            scores_json(three.best_achievable(config, system, 3).value()));
}

TEST(Yardsticks, WithoutAFolderLeaveNoFile) {
  const TemporaryDirectory dir;
  std::filesystem::current_path(dir.path());
  Yardsticks yardsticks;
  limit_of(yardsticks, some_config());
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
  std::filesystem::current_path("/");
}

TEST(Yardsticks, LeaveAFileForEachAndNothingElse) {
  const TemporaryDirectory dir;
  Yardsticks yardsticks(dir.path() / "new");
  limit_of(yardsticks, some_config());
  line_of(yardsticks, some_config());
  EXPECT_EQ(all_files(dir.path()).size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "new/lock"));
}

TEST(Yardsticks, AreNothingWhereTheConfigAsksForNone) {
  const TemporaryDirectory dir;
  Yardsticks yardsticks(dir.path());
  Config config = without_evaluation(some_config());
  EXPECT_EQ(yardsticks.task_cost_limit(config, some_system(), 1), std::nullopt);
  EXPECT_EQ(yardsticks.test_set(config, some_system(), 1), nullptr);
  EXPECT_FALSE(yardsticks.best_achievable(config, some_system(), 1).has_value());
  config = some_config();
  config.judge.best_achievable_transitions = 0;
  EXPECT_FALSE(yardsticks.best_achievable(config, some_system(), 1).has_value());
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

// A number that nobody would find shows where it came from.
TEST(Yardsticks, BelieveWhatAnotherProcessFound) {
  const TemporaryDirectory dir;
  { limit_of(*std::make_unique<Yardsticks>(dir.path()), some_config()); }
  const auto file = only_file(dir.path(), "limit-mountain-car-");
  Json json = Json::parse(slurp(file));
  json["value"] = 12345.5;
  json.erase("checksum");
  seal(json);
  write(file, json.dump());
  Yardsticks another(dir.path());
  EXPECT_EQ(limit_of(another, some_config()), 12345.5);
}

TEST(Yardsticks, AreFoundOnceByAProcess) {
  const TemporaryDirectory dir;
  Yardsticks yardsticks(dir.path());
  const double limit = limit_of(yardsticks, some_config());
  const std::string line = scores_json(line_of(yardsticks, some_config())).dump();
  for (const auto& [name, bytes] : all_files(dir.path())) write(dir.path() / name, "{}");
  EXPECT_EQ(limit_of(yardsticks, some_config()), limit);
  EXPECT_EQ(scores_json(line_of(yardsticks, some_config())).dump(), line);
  for (const auto& [name, bytes] : all_files(dir.path())) EXPECT_EQ(bytes, "{}") << name;
}

TEST(Yardsticks, AreFoundAnewWhereAFileIsDamagedOrOfSomethingElse) {
  const TemporaryDirectory dir;
  { line_of(*std::make_unique<Yardsticks>(dir.path()), some_config()); }
  { limit_of(*std::make_unique<Yardsticks>(dir.path()), some_config()); }
  const Files whole = all_files(dir.path());
  ASSERT_EQ(whole.size(), 2u);
  for (const auto& [name, bytes] : whole) {
    Json foreign = Json::parse(bytes), shapeless = foreign, empty = foreign;
    foreign["of"] = "another version";
    foreign["value"] = 12345.5;
    shapeless["value"] = "many";
    empty.erase("value");
    Json unsealed = Json::parse(bytes);
    unsealed.erase("checksum");
    Json other = Json::parse(bytes);
    other["value"] = 12345.5;
    for (const std::string& bad :
         {std::string(), bytes.substr(0, bytes.size() / 2), std::string("null"), std::string("[1]"),
          foreign.dump(), shapeless.dump(), empty.dump(), unsealed.dump(), other.dump()}) {
      write(dir.path() / name, bad);
      Yardsticks another(dir.path());
      limit_of(another, some_config());
      line_of(another, some_config());
      EXPECT_EQ(difference(all_files(dir.path()), whole), "") << "after " << bad;
    }
  }
}

TEST(Yardsticks, AreOfTheSettingsThatMatter) {
  const Config config = some_config();
  Yardsticks yardsticks;
  const Scores line = line_of(yardsticks, config);
  const auto set = yardsticks.test_set(config, some_system(), 1);
  const auto differs = [&](const char* setting) {
    Config other = config;
    assign(other, setting);
    const Scores another = line_of(yardsticks, other);
    EXPECT_NE(scores_json(another).dump(), scores_json(line).dump()) << setting;
    Yardsticks fresh;
    EXPECT_EQ(scores_json(another).dump(), scores_json(line_of(fresh, other)).dump()) << setting;
  };
  for (const char* setting :
       {"observation_noise=0.01", "process_noise=0.01", "features=25", "test_steps=4",
        "test_trajectories=30", "best_achievable_transitions=30", "system=pendulum"})
    differs(setting);
}

TEST(Yardsticks, OfATaskAreOfItsSystemAndTheHops) {
  const TemporaryDirectory dir;
  Yardsticks yardsticks(dir.path());
  Config config = some_config();
  limit_of(yardsticks, config);
  config.judge.limit_hops = 2;
  limit_of(yardsticks, config);
  EXPECT_EQ(all_files(dir.path()).size(), 2u);
  config.system = "pendulum";
  limit_of(yardsticks, config);
  EXPECT_EQ(all_files(dir.path()).size(), 3u);
}

TEST(Yardsticks, AreSharedByAllSeedsMethodsAndLengths) {
  const TemporaryDirectory dir;
  Yardsticks yardsticks(dir.path());
  const Config config = some_config();
  limit_of(yardsticks, config);
  line_of(yardsticks, config);
  const auto set = yardsticks.test_set(config, some_system(), 1);
  Config other = config;
  other.seed = 77;
  other.method = "random";
  other.episodes = 500;
  limit_of(yardsticks, other);
  line_of(yardsticks, other);
  EXPECT_EQ(all_files(dir.path()).size(), 2u);
  EXPECT_EQ(yardsticks.test_set(other, some_system(), 1), set) << "it was drawn a second time";
}

// Zero stands for the number that the system suggests.
TEST(Yardsticks, AreSharedWhereTheNumberOfFeaturesIsTheSuggestedOne) {
  Config suggested = some_config(), given = suggested;
  suggested.model.features = 0;
  given.model.features = features_for(suggested, some_system().spec());
  Yardsticks yardsticks;
  EXPECT_EQ(yardsticks.test_set(suggested, some_system(), 1),
            yardsticks.test_set(given, some_system(), 1));
}

TEST(Yardsticks, KeepAFewTestSetsAndDrawOthersAgain) {
  Yardsticks yardsticks;
  const auto set = [&](int steps) {
    Config config = some_config();
    config.judge.test_steps = steps;
    return yardsticks.test_set(config, some_system(), 1);
  };
  const std::weak_ptr<const TestSet> first = set(1);
  for (int steps = 2; steps <= 9; ++steps) EXPECT_EQ(set(steps), set(steps));
  EXPECT_TRUE(first.expired()) << "all are kept for ever";
  EXPECT_EQ(set(1)->steps(), 1);
}

TEST(Yardsticks, AreTheSameForManyProcessesAtOnce) {
  const TemporaryDirectory dir;
  Yardsticks alone;
  const double limit = limit_of(alone, some_config());
  const std::string line = scores_json(line_of(alone, some_config())).dump();
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      bool same = false;
      try {
        Yardsticks mine(dir.path() / "shared");
        same = limit_of(mine, some_config()) == limit &&
               scores_json(line_of(mine, some_config())).dump() == line;
      } catch (const std::exception&) {
      }
      _exit(same ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(Yardsticks, AreTheSameForManyThreadsAtOnceWhateverTheNumberOfThreads) {
  const TemporaryDirectory dir;
  std::vector<double> limits(4);
  std::vector<std::thread> threads;
  for (double& limit : limits)
    threads.emplace_back([&] {
      Yardsticks mine(dir.path() / "shared");
      limit = limit_of(mine, some_config());
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(limits, std::vector<double>(4, limits[0]));
}

// A process that was stopped in the middle of writing holds the folder for as long as it is there.
TEST(Yardsticks, DoNotWaitForAFolderThatAnotherHolds) {
  const TemporaryDirectory dir;
  const Lock held(dir.path());
  Yardsticks yardsticks(dir.path()), alone;
  EXPECT_EQ(limit_of(yardsticks, some_config()), limit_of(alone, some_config()));
  EXPECT_TRUE(all_files(dir.path()).empty());
}

}  // namespace
}  // namespace rhc
