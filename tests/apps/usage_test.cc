// The first five minutes: help, and mistakes.
#include <gtest/gtest.h>

#include "rhc/describe/config_file.h"
#include "rhc/explore/config.h"
#include "rhc/system/registry.h"
#include "tests/apps/program.h"

namespace rhc {
namespace {

using testing::Test;

TEST(Help, ShowsEveryCommandAndAnExampleInEach) {
  const Outcome help = run({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* command :
       {"explore", "resume", "inspect", "evaluate", "export", "report", "compare", "serve", "sweep",
        "reproduce", "plan", "simulate", "systems", "config"}) {
    EXPECT_TRUE(contains(help.out, command));
    const Outcome own = run({command, "--help"});
    EXPECT_EQ(own.code, 0) << command;
    EXPECT_TRUE(contains(own.out, std::string("Example: rhc ") + command)) << own.out;
  }
}

TEST(Version, IsPrinted) {
  const Outcome version = run({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(version.out.starts_with("rhc 0.")) << version.out;
}

TEST(Systems, ListsThemAll) {
  const Outcome systems = run({"systems"});
  EXPECT_EQ(systems.code, 0);
  for (const std::string& name : system_names())
    EXPECT_TRUE(contains(systems.out, "\n" + name + ":") || systems.out.starts_with(name));
}

TEST(ConfigShow, ExplainsTheDefaults) {
  const Outcome shown = run({"config", "show"});
  EXPECT_EQ(shown.code, 0);
  EXPECT_EQ(shown.out, config_toml(Config{}));
}

struct Mistake {
  std::vector<std::string> arguments;
  std::string message;
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreExplainedWithExitCodeTwoAndLeaveNothing) {
  const TemporaryDirectory dir;
  const Outcome outcome = run(GetParam().arguments, dir);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, GetParam().message)) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 2)
      << "out.txt and err.txt only";
}

// GoogleTest would print the struct's bytes.
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.message; }

INSTANTIATE_TEST_SUITE_P(
    All, Mistakes,
    testing::Values(
        Mistake{{}, "A subcommand is required"},
        Mistake{{"explor"}, "unknown command 'explor'; did you mean 'explore'?"},
        Mistake{{"explore"}, "explore what?"},
        Mistake{{"explore", "pendulm"}, "unknown system 'pendulm'; did you mean 'pendulum'?"},
        Mistake{{"explore", "pendulum", "--method", "randm"},
                "unknown method 'randm'; did you mean 'random'?"},
        Mistake{{"explore", "pendulum", "feature=90"},
                "unknown setting 'feature'; did you mean 'features'?"},
        Mistake{{"explore", "pendulum", "features=-3"},
                "setting 'features' cannot be '-3'; expected: whole number"},
        Mistake{{"explore", "pendulum", "90"},
                "unexpected argument '90'; settings are written key=value"},
        Mistake{{"explore", "pendulum", "--epsodes", "3"},
                "unknown option '--epsodes'; did you mean '--episodes'?"},
        Mistake{{"explore", "pendulum", "--episodes", "-1"}, "setting 'episodes' cannot be '-1'"},
        Mistake{{"explore", "pendulum", "--episodes", "many"}, "--episodes"},
        Mistake{{"explore", "pendulum", "--threads", "0"}, "--threads"},
        Mistake{{"explore", "pendulum", "observation_noise=[1,2]"},
                "has 2 entries; pendulum has 3"},
        Mistake{{"explore", "--config", "none.toml"}, "none.toml"},
        Mistake{{"explore", "pendulum", "--seed", "1", "seed=2"},
                "`--seed 1` and `seed=2` give 'seed' different values; leave one of them out"},
        Mistake{{"explore", "pendulum", "--episodes", "3", "episodes=4"},
                "`--episodes 3` and `episodes=4` give 'episodes' different values"},
        Mistake{{"explore", "pendulum", "--method", "random", "method=rhc-us"},
                "`--method random` and `method=rhc-us` give 'method' different values"},
        Mistake{{"explore", "pendulum", "--no-evaluation", "test_trajectories=5"},
                "`--no-evaluation` and `test_trajectories=5` give 'test_trajectories' different"},
        Mistake{{"explore", "--command", "true", "command=false"},
                "`--command true` and `command=false` give 'command' different values"},
        Mistake{{"explore", "pendulum", "features=90", "seed=2", "features=80"},
                "`features=90` and `features=80` give 'features' different values"},
        Mistake{{"report"}, "run is required"},
        Mistake{{"report", "nothing"}, "'nothing' is not a directory; name a run directory"},
        Mistake{{"report", "."}, "'.' holds no run (it has no manifest.json)"},
        Mistake{{"report", ".", "--plane", "x"}, "--plane takes two variables"},
        Mistake{{"report", ".", "--plane", "x,y,z"}, "--plane takes two variables"},
        Mistake{{"compare"}, "runs is required"},
        Mistake{{"compare", "nothing"}, "'nothing' is not a directory"},
        Mistake{{"compare", "."}, "'.' holds no run"},
        Mistake{{"serve"}, "'runs' is not a directory; name a folder of runs"},
        Mistake{{"serve", "nothing"}, "'nothing' is not a directory"},
        Mistake{{"serve", ".", "--port", "65536"}, "--port"},
        Mistake{{"serve", ".", "--port", "-1"}, "--port"},
        Mistake{{"serve", ".", "--port", "http"}, "--port"},
        Mistake{{"simulate", "pendulum"}, "--actions is required"}));

}  // namespace
}  // namespace rhc
