#include "rhc/study/sweep_plan.h"

#include <gtest/gtest.h>

#include <set>

#include "rhc/core/error.h"
#include "rhc/core/random.h"
#include "rhc/describe/config_file.h"
#include "rhc/explore/explorer.h"
#include "rhc/system/registry.h"
#include "tests/repeats.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

using Names = std::vector<std::string>;

SweepPlan plan_of(const std::string& toml) { return read_sweep(toml, "s.toml"); }

Names names_of(const std::string& toml) {
  Names names;
  for (const PlannedRun& run : plan_of(toml).runs) names.push_back(run.name);
  return names;
}

std::string refusal(const std::string& toml) {
  return message_of<InputError>([&] { plan_of(toml); });
}

const std::string kPendulum = "[grid]\nsystem = \"pendulum\"\n";

TEST(SweepPlan, IsAllCombinationsOfAGridWithTheSeedsOutermost) {
  EXPECT_EQ(
      names_of("[grid]\n"
               "method = [\"random\", \"rhc-us\"]\n"
               "system = [\"pendulum\", \"cartpole\"]\n"
               "seed = [3, 1]\n"),
      (Names{"pendulum-random-3", "pendulum-rhc-us-3", "cartpole-random-3", "cartpole-rhc-us-3",
             "pendulum-random-1", "pendulum-rhc-us-1", "cartpole-random-1", "cartpole-rhc-us-1"}));
}

TEST(SweepPlan, GivesEachRunItsSettings) {
  const SweepPlan plan = plan_of(
      "[grid]\nsystem = [\"pendulum\", \"cartpole\"]\nseed = \"4-5\"\ncaution = [1, 2.5]\n"
      "[settings]\nepisodes = 7\nmethod = \"random\"\nfeatures = 31\n");
  ASSERT_EQ(plan.runs.size(), 8u);
  const Config& last = plan.runs.back().config;
  EXPECT_EQ(last.system, "cartpole");
  EXPECT_EQ(last.seed, 5u);
  EXPECT_EQ(last.model.caution, 2.5);
  EXPECT_EQ(last.episodes, 7);
  EXPECT_EQ(last.method, "random");
  EXPECT_EQ(last.model.features, 31);
  EXPECT_EQ(last.plan.starts, Config{}.plan.starts);
}

TEST(SweepPlan, NamesTheGroupsOfRunsThatDifferInTheirSeedOnly) {
  const SweepPlan plan = plan_of(kPendulum + "seed = \"1-2\"\nfeatures = [20, 40]\n");
  EXPECT_EQ(plan.runs[0].name, "pendulum-rhc-evr-features=20-1");
  EXPECT_EQ(plan.runs[0].group, "pendulum-rhc-evr-features=20");
  EXPECT_EQ(plan.runs[1].group, "pendulum-rhc-evr-features=40");
  EXPECT_EQ(plan.runs[2].name, "pendulum-rhc-evr-features=20-2");
}

TEST(SweepPlan, NamesSayNothingOfWhatIsTheSameInAllRuns) {
  EXPECT_EQ(names_of(kPendulum + "features = [20]\ncaution = 3\nseed = 9\n"),
            Names{"pendulum-rhc-evr-9"});
}

TEST(SweepPlan, TakesSingleValuesForAxesOfOne) {
  EXPECT_EQ(names_of("[grid]\nsystem = \"pendulum\"\nmethod = \"random\"\nseed = 3\n"),
            Names{"pendulum-random-3"});
}

TEST(SweepPlan, TakesTheSystemFromTheSettings) {
  EXPECT_EQ(names_of("[grid]\nseed = [1, 2]\n[settings]\nsystem = \"cartpole\"\n"),
            (Names{"cartpole-rhc-evr-1", "cartpole-rhc-evr-2"}));
}

TEST(SweepPlan, TakesShortNamesOfMethods) {
  EXPECT_EQ(names_of(kPendulum + "method = [\"rand\"]\n"), Names{"pendulum-random-1"});
}

TEST(SweepPlan, SeedsMayBeARangeAListOrANumber) {
  const auto seeds = [](const std::string& value) {
    std::vector<std::uint64_t> found;
    for (const PlannedRun& run : plan_of(kPendulum + "seed = " + value).runs)
      found.push_back(run.config.seed);
    return found;
  };
  using Seeds = std::vector<std::uint64_t>;
  EXPECT_EQ(seeds("\"1-3\""), (Seeds{1, 2, 3}));
  EXPECT_EQ(seeds("\" 8 - 9 \""), (Seeds{8, 9}));
  EXPECT_EQ(seeds("\"5-5\""), Seeds{5});
  EXPECT_EQ(seeds("\"0\""), Seeds{0});
  EXPECT_EQ(seeds("[7, 2]"), (Seeds{7, 2}));
  EXPECT_EQ(seeds("6"), Seeds{6});
}

TEST(SweepPlan, DoesSeveralGridsOneAfterAnother) {
  const SweepPlan plan = plan_of(
      "[[grid]]\nsystem = [\"pendulum\"]\nmethod = [\"random\"]\nseed = \"1-2\"\n"
      "[[grid]]\nsystem = [\"cartpole\"]\nfeatures = [20, 40]\n");
  Names names;
  for (const PlannedRun& run : plan.runs) names.push_back(run.name);
  EXPECT_EQ(names,
            (Names{"pendulum-random-features=default-1", "pendulum-random-features=default-2",
                   "cartpole-rhc-evr-features=20-1", "cartpole-rhc-evr-features=40-1"}));
  EXPECT_EQ(plan.runs[2].config.model.features, 20);
  EXPECT_GT(plan.runs[0].config.model.features, 40);
}

TEST(SweepPlan, PresetsComeBeforeSettingsAndTheGrid) {
  const Config paper = preset("paper", make_system("pendulum").spec());
  ASSERT_NE(paper.plan.hops, 3);
  const std::string grid = "[grid]\nsystem = \"pendulum\"\nplan_hops = [3]\n";
  const Config config =
      plan_of("preset = \"paper\"\n" + grid + "[settings]\ncaution = 4.5\n").runs[0].config;
  EXPECT_EQ(config.plan.hops, 3);
  EXPECT_EQ(config.model.caution, 4.5);
  EXPECT_EQ(config.model.bandwidth, paper.model.bandwidth);
  EXPECT_EQ(config.plan.weights, paper.plan.weights);
}

TEST(SweepPlan, PresetsMayBeVariedLikeAnySetting) {
  const SweepPlan plan = plan_of(kPendulum + "preset = [\"default\", \"paper\"]\n");
  ASSERT_EQ(plan.runs.size(), 2u);
  EXPECT_EQ(plan.runs[0].name, "pendulum-rhc-evr-preset=default-1");
  EXPECT_EQ(plan.runs[1].name, "pendulum-" + plan.runs[1].config.method + "-preset=paper-1");
  EXPECT_NE(config_toml(plan.runs[0].config), config_toml(plan.runs[1].config));
}

TEST(SweepPlan, VariesSettingsThatAreListsThemselves) {
  const SweepPlan plan = plan_of(kPendulum + "sac_hidden = [[32], [64, 64]]\n");
  ASSERT_EQ(plan.runs.size(), 2u);
  EXPECT_EQ(plan.runs[0].config.sac.hidden, std::vector<Index>{32});
  EXPECT_EQ(plan.runs[1].config.sac.hidden, (std::vector<Index>{64, 64}));
  EXPECT_EQ(plan.runs[0].name, "pendulum-rhc-evr-sac_hidden=32-1");
  EXPECT_TRUE(plan.runs[1].name.starts_with("pendulum-rhc-evr-sac_hidden=64+64")) << "commas go";
}

// Zero features means as many as the system suggests: a run must not change when the suggestion
// does.
TEST(SweepPlan, WritesDownTheNumberOfFeaturesThatTheSystemSuggests) {
  const Config config = plan_of(kPendulum).runs[0].config;
  EXPECT_EQ(config.model.features, features_for(Config{}, make_system("pendulum").spec()));
}

struct Bad {
  std::string toml, message;
};

class BadSweep : public testing::TestWithParam<Bad> {};

TEST_P(BadSweep, IsRefusedInWordsThatNameThePlace) {
  const std::string said = refusal(GetParam().toml);
  EXPECT_TRUE(said.starts_with(GetParam().message)) << said;
}

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.message; }

INSTANTIATE_TEST_SUITE_P(
    Keys, BadSweep,
    testing::Values(Bad{"setting = 1\n" + kPendulum,
                        "s.toml:1:11: unknown key of a sweep 'setting'; did you mean 'settings'?"},
                    Bad{"[gird]\nsystem = \"pendulum\"\n",
                        "s.toml:1:1: unknown key of a sweep 'gird'; did you mean 'grid'?"},
                    Bad{kPendulum + "feature = [1]\n",
                        "s.toml:3:11: unknown setting 'feature'; did you mean 'features'?"},
                    Bad{kPendulum + "[settings]\nepisode = 1\n",
                        "s.toml:4:11: unknown setting 'episode'; did you mean 'episodes'?"},
                    Bad{kPendulum + "[slurm]\npartion = 1\n",
                        "s.toml:4:11: unknown key of [slurm] 'partion'; did you mean 'partition'?"},
                    Bad{kPendulum + "[settings]\npreset = \"paper\"\n",
                        "s.toml:4:10: unknown setting 'preset'"},
                    Bad{kPendulum + "features = [9]\n[settings]\nfeatures = 8\n",
                        "s.toml:5:12: 'features' is in the grid, too (line 3); a key is either "
                        "varied in [grid] or the same in all runs in [settings]: remove one"},
                    Bad{"", "s.toml: there is no [grid]"},
                    Bad{"[settings]\nsystem = \"pendulum\"\n", "s.toml: there is no [grid]"},
                    Bad{"grid = []\n", "s.toml:1:8: 'grid' is empty"},
                    Bad{"grid = 1\n", "s.toml:1:8: 'grid' must be a table, written [grid]"},
                    Bad{"grid = [1]\n", "s.toml:1:9: 'grid' must be a table"},
                    Bad{"settings = 1\n" + kPendulum, "s.toml:1:12: 'settings' must be a table"},
                    Bad{"slurm = 1\n" + kPendulum, "s.toml:1:9: 'slurm' must be a table"},
                    Bad{"[grid]\nseed = 1\n", "s.toml: the grid names no system"},
                    Bad{"[grid\n", "s.toml:1:6: "}));

INSTANTIATE_TEST_SUITE_P(
    Values, BadSweep,
    testing::Values(
        Bad{"[grid]\nsystem = \"pendulm\"\n",
            "s.toml:2:10: unknown system 'pendulm'; did you mean 'pendulum'?"},
        Bad{"[grid]\nsystem = [\"swing.toml\"]\n",
            "s.toml:2:10: 'swing.toml' is a file; a sweep takes systems by name, those of `rhc "
            "systems` (known: "},
        Bad{"[grid]\nsystem = []\n", "s.toml:2:10: 'system' has no values"},
        Bad{"[grid]\nsystem = 3\n", "s.toml:2:10: unknown system '3'"},
        Bad{kPendulum + "method = [\"random\", \"randm\"]\n",
            "s.toml:3:10: unknown method 'randm'; did you mean 'random'?"},
        Bad{kPendulum + "[settings]\nmethod = \"randm\"\n", "s.toml:4:10: unknown method 'randm'"},
        Bad{kPendulum + "features = []\n", "s.toml:3:12: 'features' has no values"},
        Bad{kPendulum + "features = [-3]\n", "s.toml:3:12: setting 'features' cannot be '-3'"},
        Bad{kPendulum + "[settings]\ncaution = \"much\"\n",
            "s.toml:4:11: setting 'caution' cannot be 'much'"},
        Bad{kPendulum + "features = {a = 1}\n", "s.toml:3:12: setting 'features' cannot be '"},
        Bad{kPendulum + "preset = \"papr\"\n",
            "s.toml:3:10: unknown preset 'papr'; did you mean 'paper'?"},
        Bad{"preset = \"papr\"\n" + kPendulum, "s.toml:1:10: unknown preset 'papr'"},
        Bad{kPendulum + "seed = \"3-1\"\n",
            "s.toml:3:8: seed cannot be \"3-1\"; expected: a range"},
        Bad{kPendulum + "seed = \"1-\"\n", "s.toml:3:8: seed cannot be \"1-\""},
        Bad{kPendulum + "seed = \"-4\"\n", "s.toml:3:8: seed cannot be \"-4\""},
        Bad{kPendulum + "seed = \"1-2-3\"\n", "s.toml:3:8: seed cannot be \"1-2-3\""},
        Bad{kPendulum + "seed = \"a few\"\n", "s.toml:3:8: seed cannot be \"a few\""},
        Bad{kPendulum + "seed = \"\"\n", "s.toml:3:8: seed cannot be \"\""},
        Bad{kPendulum + "seed = \"1-9000000000000000000\"\n", "s.toml:3:8: seed cannot be"},
        Bad{kPendulum + "seed = -1\n", "s.toml:3:8: setting 'seed' cannot be '-1'"},
        Bad{kPendulum + "seed = [\"1-3\"]\n", "s.toml:3:8: setting 'seed' cannot be '1-3'"}));

INSTANTIATE_TEST_SUITE_P(
    Combinations, BadSweep,
    testing::Values(
        Bad{kPendulum + "seed = [1, 2, 1]\n",
            "s.toml: two combinations of the grid are the same run: seed=1 system=pendulum and "
            "seed=1 system=pendulum; each may come once"},
        Bad{kPendulum + "caution = [2, 2.0]\n",
            "s.toml: two combinations of the grid are the same run"},
        Bad{kPendulum + "method = [\"rand\", \"random\"]\n",
            "s.toml: two combinations of the grid are the same run: method=rand system=pendulum "
            "and "
            "method=random system=pendulum"},
        Bad{kPendulum + "features = [0, " +
                std::to_string(features_for(Config{}, make_system("pendulum").spec())) + "]\n",
            "s.toml: two combinations of the grid are the same run"},
        Bad{"[[grid]]\nsystem = \"pendulum\"\nseed = \"1-3\"\n[[grid]]\nsystem = \"pendulum\"\n"
            "seed = \"3-5\"\n",
            "s.toml: two combinations of the grid are the same run: seed=3 system=pendulum and "
            "seed=3 system=pendulum"},
        Bad{kPendulum + "seed = \"1-100000\"\ncaution = [1, 2]\n",
            "s.toml: the grid has more than 100000 combinations"},
        Bad{kPendulum + "seed = \"1-50000\"\ncaution = [1, 2]\nfeatures = [1, 2, 3]\n" +
                "plan_starts = [1, 2, 3]\n",
            "s.toml: the grid has more than 100000 combinations"}));

INSTANTIATE_TEST_SUITE_P(
    Slurm, BadSweep,
    testing::Values(Bad{kPendulum + "[slurm]\nchunk = 0\n",
                        "s.toml:4:9: 'chunk' cannot be '0'; expected: whole number from 1"},
                    Bad{kPendulum + "[slurm]\nchunk = 1.5\n",
                        "s.toml:4:9: 'chunk' cannot be '1.5'"},
                    Bad{kPendulum + "[slurm]\ncpus = -2\n", "s.toml:4:8: 'cpus' cannot be '-2'"},
                    Bad{kPendulum + "[slurm]\nmost_at_once = 2000000\n",
                        "s.toml:4:16: 'most_at_once' cannot be '2000000'"},
                    Bad{kPendulum + "[slurm]\noptions = \"--qos=long\"\n",
                        "s.toml:4:11: 'options' must be a list such as [\"--qos=long\"]"}));

// Each of these would become a line of the batch script.
INSTANTIATE_TEST_SUITE_P(
    Lines, BadSweep,
    testing::Values(
        Bad{kPendulum + "[slurm]\npartition = \"a\\nb\"\n",
            "s.toml:4:13: the text 'a\\nb' has a control character; write it on one line"},
        Bad{kPendulum + "[slurm]\naccount = \"a\\rb\"\n", "s.toml:4:11: the text 'a\\rb'"},
        Bad{kPendulum + "[slurm]\ntime = \"1\\u0000\"\n", "s.toml:4:8: the text '1\\x00'"},
        Bad{kPendulum + "[slurm]\nmemory = \"\"\"1G\nx\"\"\"\n", "s.toml:4:10: the text '1G\\nx'"},
        Bad{kPendulum + "[slurm]\noptions = [\"--qos=a\", \"--comment=x\\nrm -rf y\"]\n",
            "s.toml:4:23: the text '--comment=x\\nrm -rf y'"},
        Bad{kPendulum + "[settings]\ncommand = \"a\\nb\"\n", "s.toml:4:11: the text 'a\\nb'"},
        Bad{"[grid]\nsystem = [\"pendulum\\u007f\"]\n", "s.toml:2:11: the text 'pendulum\\x7f'"}));

INSTANTIATE_TEST_SUITE_P(
    Words, BadSweep,
    testing::Values(
        Bad{kPendulum + "[slurm]\npartition = \"a b\"\n",
            "s.toml:4:13: 'partition' cannot be 'a b'; expected: one word, without spaces"},
        Bad{kPendulum + "[slurm]\ntime = \"1 hour\"\n", "s.toml:4:8: 'time' cannot be '1 hour'"},
        Bad{kPendulum + "[slurm]\noptions = [\"--qos long\"]\n",
            "s.toml:4:12: '--qos long' is two words for sbatch; write \"--qos=long\""}));

TEST(SweepPlan, HasWhatAClusterIsAskedFor) {
  const SlurmSettings slurm =
      plan_of(
          kPendulum +
          "[slurm]\npartition = \"long\"\naccount = \"a\"\ntime = \"1:00:00\"\nmemory = \"1G\"\n"
          "chunk = 5\ncpus = 2\nmost_at_once = 0\noptions = [\"--qos=x\", \"--nice\"]\n")
          .slurm;
  EXPECT_EQ(slurm.partition, "long");
  EXPECT_EQ(slurm.account, "a");
  EXPECT_EQ(slurm.time, "1:00:00");
  EXPECT_EQ(slurm.memory, "1G");
  EXPECT_EQ(slurm.chunk, 5);
  EXPECT_EQ(slurm.cpus, 2);
  EXPECT_EQ(slurm.most_at_once, 0);
  EXPECT_EQ(slurm.options, (Names{"--qos=x", "--nice"}));
}

TEST(SweepPlan, LetsAnOptionForSbatchHoldSpacesAndQuotes) {
  EXPECT_EQ(
      plan_of(kPendulum + "[slurm]\noptions = [\"--comment=it's a \\\"b\\\"\", '-J a', 'b c']\n")
          .slurm.options,
      (Names{"--comment=it's a \"b\"", "-J a", "b c"}));
}

TEST(SweepPlan, LeavesToTheClusterWhatTheFileDoesNotSay) {
  const SlurmSettings slurm = plan_of(kPendulum).slurm;
  EXPECT_EQ(slurm.partition + slurm.account + slurm.time + slurm.memory, "");
  EXPECT_EQ(slurm.chunk, 1);
  EXPECT_TRUE(slurm.options.empty());
}

TEST(SweepPlan, IsReadFromAFileByItsPath) {
  const TemporaryDirectory dir;
  const std::string file = dir.write("a.toml", kPendulum + "sed = 1\n");
  EXPECT_TRUE(message_of<InputError>([&] {
                read_sweep(std::filesystem::path(file));
              }).starts_with(file + ":3:7: unknown setting 'sed'; did you mean 'seed'?"));
  EXPECT_NE(message_of<InputError>([&] { read_sweep(dir.path() / "none.toml"); }).find("none.toml"),
            std::string::npos);
}

bool is_safe(const std::string& name) {
  return !name.empty() && name.size() <= 200 && name[0] != '-' && name[0] != '.' &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             "-_.=+") == std::string::npos;
}

TEST(SweepPlan, NamesAreSafeAndApartHoweverLongAndOddTheValuesAre) {
  std::string one;
  for (int i = 0; i < 300; ++i) one += std::to_string(i + 1) + ".25, ";
  const SweepPlan plan =
      plan_of(kPendulum + "seed = [1, 4000000000000000000]\nobservation_noise = [[" + one +
              "7], [" + one + "8], [1, 2], [12], [ 3 ]]\nsac_hidden = [[1], [ 100, 2, 8000 ]]\n");
  ASSERT_EQ(plan.runs.size(), 20u);
  std::set<std::string> names;
  for (const PlannedRun& run : plan.runs) {
    EXPECT_TRUE(is_safe(run.name)) << run.name;
    names.insert(run.name);
  }
  EXPECT_EQ(names.size(), 20u);
}

// Any settings, any number of values.
TEST(SweepPlan, OfARandomGridIsTheProductOfItsAxesWithNamesThatAreUniqueAndSafe) {
  const std::vector<std::pair<std::string, Names>> axes = {
      {"method", {"\"random\"", "\"rhc-us\"", "\"rhc-evr\"", "\"rhc-info\""}},
      {"features", {"20", "33", "47", "5"}},
      {"caution", {"0.1", "2", "1e-7", "3.25"}},
      {"refit", {"\"each\"", "\"never\"", "3"}},
      {"task", {"true", "false"}},
      {"sac_hidden", {"[8]", "[8, 8]", "[16, 4, 2]", "[64]"}},
      {"process_noise", {"[0.1]", "[0.2, 0.1]", "[1e-3]"}},
      {"preset", {"\"default\"", "\"paper\""}},
  };
  for (int i = 0; i < repeats(60, 3000); ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream randomness(seed, "grid");
    const std::uint64_t seeds = 1 + randomness.below(5), systems = 1 + randomness.below(3);
    std::string toml = "[grid]\nseed = \"1-" + std::to_string(seeds) + "\"\nsystem = [\"pendulum\"";
    if (systems > 1) toml += ", \"cartpole\"";
    if (systems > 2) toml += ", \"mountain-car\"";
    toml += "]\n";
    std::uint64_t expected = seeds * systems;
    for (const auto& [key, values] : axes) {
      if (expected > 500 || randomness.below(2) == 0) continue;
      const std::uint64_t count = 1 + randomness.below(values.size());
      toml += key + " = [";
      for (std::uint64_t v = 0; v < count; ++v) toml += (v > 0 ? ", " : "") + values[v];
      toml += "]\n";
      expected *= count;
    }
    const SweepPlan plan = plan_of(toml);
    ASSERT_EQ(plan.runs.size(), expected) << toml;
    std::set<std::string> names, configs;
    for (const PlannedRun& run : plan.runs) {
      ASSERT_TRUE(is_safe(run.name)) << run.name;
      ASSERT_EQ(run.name, run.group + "-" + std::to_string(run.config.seed));
      names.insert(run.name);
      configs.insert(config_toml(run.config));
    }
    ASSERT_EQ(names.size(), expected) << toml;
    ASSERT_EQ(configs.size(), expected) << toml;
  }
}

TEST(CheckRunnable, AcceptsWhatCanBegin) {
  EXPECT_NO_THROW(check_runnable(plan_of(kPendulum + "method = [\"random\", \"rhc-evr\"]\n")));
}

TEST(CheckRunnable, NamesTheRunWhoseNoiseDoesNotFitItsSystem) {
  const SweepPlan plan = plan_of(
      "[grid]\nsystem = [\"pendulum\", \"cartpole\"]\n[settings]\n"
      "observation_noise = [0.1, 0.1, 0.1]\n");
  const std::string said = message_of<InputError>([&] { check_runnable(plan); });
  EXPECT_TRUE(said.starts_with("run cartpole-rhc-evr-1: ")) << said;
}

}  // namespace
}  // namespace rhc
