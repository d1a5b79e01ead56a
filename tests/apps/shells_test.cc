// What a shell is told when somebody presses the tabulator. tests/shells/ asks real shells.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/settings.h"
#include "rhc/explore/explorer.h"
#include "rhc/run/evaluate_run.h"
#include "tests/apps/program.h"

namespace rhc {
namespace {

using Set = std::set<std::string>;

Set lines_of_completion(std::vector<std::string> words) {
  words.insert(words.begin(), "complete");
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  Set found;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) found.insert(line.substr(0, line.find('\t')));
  return found;
}

TEST(Completion, KnowsTheCommandsThatTheHelpNames) {
  const Set found = lines_of_completion({""});
  const std::string help = run({"--help"}).out;
  EXPECT_GE(found.size(), 20u);
  for (const std::string& command : found)
    EXPECT_TRUE(command[0] == ':' || contains(help, "\n  " + command + " ")) << command;
  EXPECT_EQ(lines_of_completion({"sweep", "st"}), (Set{"status", ":files"}));
  EXPECT_EQ(lines_of_completion({"sweep", "wor"}), (Set{":files"}));
}

TEST(Completion, KnowsTheOptionsOfACommandAndWhatTheyTake) {
  EXPECT_EQ(lines_of_completion({"tell", "--ab"}), (Set{"--aborted", ":nothing"}));
  Set methods{":nothing"};
  for (const std::string& name : method_names()) methods.insert(name);
  EXPECT_EQ(lines_of_completion({"explore", "--method", ""}), methods);
  EXPECT_EQ(lines_of_completion({"export", "r", "--format=j"}),
            (Set{"--format=jsonl", ":nothing"}));
  EXPECT_EQ(lines_of_completion({"explore", "--out", ""}), (Set{":directories"}));
  EXPECT_EQ(lines_of_completion({"tell", "r", ""}), (Set{":files"}));
  EXPECT_EQ(lines_of_completion({"tell", ""}), (Set{":directories"}));
}

TEST(Completion, KnowsEverySystemAndEverySetting) {
  Set systems{":files"};
  for (const std::string& name : bundled_names()) systems.insert(name);
  EXPECT_EQ(lines_of_completion({"explore", ""}), systems);
  Set keys{":nothing"};
  for (const Setting& setting : settings()) keys.insert(setting.key + "=");
  EXPECT_EQ(lines_of_completion({"explore", "pendulum", "--seed", "3", ""}), keys);
  keys.erase("features=");
  EXPECT_EQ(lines_of_completion({"explore", "pendulum", "features=90", ""}), keys);
  EXPECT_EQ(lines_of_completion({"explore", "pendulum", "task=t"}), (Set{"task=true", ":nothing"}));
  EXPECT_EQ(lines_of_completion({"explore", "pendulum", "method=sac-p"}),
            (Set{"method=sac-pe", ":nothing"}));
  Set of_evaluation{":nothing"};
  for (const std::string& key : evaluation_settings()) of_evaluation.insert(key + "=");
  EXPECT_EQ(lines_of_completion({"evaluate", "r", ""}), of_evaluation);
}

TEST(Completion, OffersEveryWordOfASettingThatItTakes) {
  for (const Setting& setting : settings())
    for (const std::string& word : setting.words) {
      Config config;
      EXPECT_TRUE(setting.assign(config, word)) << setting.key << " = " << word;
    }
}

TEST(Completion, OfWordsThatMakeNoSenseIsNothing) {
  EXPECT_EQ(lines_of_completion({"explor", "x"}), (Set{":nothing"}));
  EXPECT_EQ(lines_of_completion({"systems", "--nothing", "--no"}), (Set{":nothing"}));
  EXPECT_FALSE(lines_of_completion({}).empty());
  EXPECT_EQ(lines_of_completion({"explore", "--method=", "--method", "-", "--", "="}),
            (Set{":files"}));
}

TEST(Help, SaysWhatEveryOptionTakes) {
  for (const std::string& command : lines_of_completion({""})) {
    if (command[0] == ':') continue;
    EXPECT_FALSE(contains(run({command, "--help"}).out, "TEXT")) << command;
  }
}

TEST(CompletionScripts, AreForThreeShells) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome outcome = run({"completion", shell});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(contains(outcome.out, " complete ")) << outcome.out;
  }
  EXPECT_EQ(run({"completion", "csh"}).code, 2);
}

TEST(Version, NamesCommitInstructionSetAndParts) {
  const std::string version = run({"--version"}).out;
  EXPECT_EQ(lines_in(version), 2u) << version;
#if defined(__x86_64__)
  EXPECT_TRUE(contains(version, "\nx86-64")) << version;
#endif
  EXPECT_EQ(contains(version, "MuJoCo 3."), RHC_WITH_MUJOCO == 1) << version;
}

TEST(Doctor, SaysOfEveryPartThatIsMissingHowToGetIt) {
  const Outcome outcome = run({"doctor"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  for (const char* part : {"processor", "MuJoCo", "LibTorch", "reports", "Chromium", "Slurm"})
    EXPECT_TRUE(contains(outcome.out, part)) << outcome.out;
  std::istringstream lines(outcome.out);
  std::size_t missing = 0, ways = 0;
  for (std::string line; std::getline(lines, line);) {
    missing += line.starts_with("missing ");
    ways += contains(line, "to get it: ");
  }
  EXPECT_EQ(missing, ways);
}

TEST(Doctor, FailsWhereAPartIsBroken) {
  const TemporaryDirectory dir;
  std::filesystem::create_directory(dir.path() / "modules");
  std::ofstream(dir.path() / "modules" / "rhc-neural.so") << "no library";
  const auto modules = [&] { setenv("RHC_MODULES", (dir.path() / "modules").c_str(), 1); };
  const Outcome outcome = run({"doctor"}, dir, modules);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.out, "broken   LibTorch")) << outcome.out;
}

TEST(UnknownNames, AreMetByTheThreeNearestOnes) {
  const std::string told = run({"explore", "pendulum", "feature=90"}).err;
  EXPECT_TRUE(contains(told, "(nearest: features, ")) << told;
  EXPECT_LT(told.size(), 250u) << told;
}

}  // namespace
}  // namespace rhc
