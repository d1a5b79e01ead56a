// Each command once, as a person might type them one after another. This is what sanitizers see of
// the program; what it claims is in the other tests.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "rhc/report/page.h"
#include "tests/apps/http_client.h"
#include "tests/apps/sweeping.h"
#include "tests/rig.h"

namespace rhc {
namespace {

class EveryCommand : public testing::Test {
 protected:
  std::string type(const Words& words) {
    typed_.insert(words[0]);
    const Outcome outcome = run(words, dir_);
    EXPECT_EQ(outcome.code, 0) << words[0] << ": " << outcome.err;
    return outcome.out;
  }

  // The commands that the program's help names.
  std::set<std::string> commands() {
    std::istringstream help(run({"--help"}, dir_).out);
    std::set<std::string> found;
    const std::regex command("  ([a-z]+) .*");
    bool begun = false;
    for (std::string line; std::getline(help, line);) {
      begun = begun || line == "Subcommands:";
      if (std::smatch match; begun && std::regex_match(line, match, command))
        found.insert(match[1]);
    }
    return found;
  }

  void serve() {
    typed_.insert("serve");
    const Program server({"serve", "r", "--port", "0"}, dir_);
    std::smatch address;
    std::string said;
    const std::regex port("at http://127\\.0\\.0\\.1:(\\d+)/ ");
    for (int i = 0; i < 6000 && !std::regex_search(said, address, port); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      said = slurp(dir_.path() / "out.txt");
    }
    ASSERT_EQ(address.size(), 2u) << said;
    EXPECT_EQ(ask(std::stoi(address[1]), "/runs.json").status, 200);
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait().code, 0);
  }

  TemporaryDirectory dir_;
  std::set<std::string> typed_;
};

TEST_F(EveryCommand, DoesItsWork) {
  type(tiny({"pendulum", "--episodes", "2", "--dump-problem", "2"}));
  type({"resume", "r", "--episodes", "3"});
  type({"inspect", "r"});
  type({"evaluate", "r"});
  type({"validate", "r", "r/episodes/0003.csv"});
  type({"export", "r"});
  dir_.write("speed.csv", "time,thetadot\n0,0\n1,1\n");
  type({"export", "r", "--format", "c", "--target", "theta=1", "--reference", "speed.csv"});
  type({"control", "r", "--seconds", "0.4"});
  type({"plan", "r/problem-0002.json"});
  dir_.write("a.csv", "action\n1\n-1\n");
  type({"simulate", "pendulum", "--actions", "a.csv"});
  type({"systems"});
  type({"config", "show"});
  type({"doctor"});
  type({"completion", "bash"});
  type({"man-pages", "man1"});
  typed_.erase("man-pages");  // which the help does not name

  dir_.write("rig.toml", kRig);
  type({"new", "rig.toml", "--out", "lab", "features=20", "evidence_starts=2", "plan_starts=2",
        "task_starts=2", "task_hops=0", "task_draws=0"});
  type({"ask", "lab"});
  dir_.write("m.csv", rig_log(Matrix::Random(1, 20)));
  type({"tell", "lab", "m.csv"});
  type({"describe", "m.csv", "--out", "drafted.toml"});
  type({"solve", "lab"});
  dir_.write("gentler.toml", with(kRig, "bounds = [-1, 1]", "bounds = [-0.5, 0.5]"));
  type({"change", "lab", "gentler.toml"});
  type({"forget", "lab", "1"});

  dir_.write("s.toml", kFour);
  type({"sweep", "s.toml", "--out", "s"});
  type({"sweep", "status", "s"});
  type({"sweep", "collect", "s"});
  type({"sweep", "cancel", "s"});
  type({"reproduce", "--grid", "s.toml", "--out", "s2", "--no-pictures"});
  if (pages_available()) {
    type({"report", "r"});
    type({"compare", "s/runs", "--out", "c.html"});
    serve();
    EXPECT_EQ(typed_, commands()) << "a command was forgotten";
  }
}

TEST_F(EveryCommand, ExploresAPlantThatIsAProgram) {
  type({"explore", "--command", RHC_PENDULUM_PLANT, "--out", "r", "--episodes", "2", "features=20",
        "evidence_starts=2", "plan_starts=2", "task_starts=2", "task_hops=0", "task_draws=0"});
}

#if RHC_WITH_MUJOCO
TEST_F(EveryCommand, ExploresAMujocoModel) { type(tiny({"pendulum-mujoco", "--episodes", "2"})); }
#endif

#if RHC_WITH_TORCH
TEST_F(EveryCommand, ExploresWithNetworks) {
  for (const std::string method : {"sac-pe", "max"})
    type(tiny({"pendulum", "--episodes", "2", "--method", method, "--out", method, "max_members=3",
               "max_hidden=[8]", "max_updates=40", "max_actors=2", "max_steps=200", "max_warm_up=1",
               "max_policy_batch=16"}));
}
#endif

}  // namespace
}  // namespace rhc
