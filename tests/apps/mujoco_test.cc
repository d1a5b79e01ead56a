// A user's own model, from its file to its report.
#include <gtest/gtest.h>

#include "tests/apps/small_run.h"
#include "tests/run_files.h"

namespace rhc {
namespace {

constexpr char kModel[] =
    "<mujoco><option timestep=\"0.02\"/><worldbody><body><joint name=\"hinge\" axis=\"0 1 0\" "
    "damping=\"0.1\"/><geom type=\"capsule\" fromto=\"0 0 0 0 0 -0.5\" size=\"0.05\" mass=\"1\"/>"
    "</body></worldbody><actuator><motor name=\"motor\" joint=\"hinge\" ctrlrange=\"-1 1\"/>"
    "</actuator></mujoco>";
constexpr char kSystem[] =
    "name = \"swing\"\nhorizon = 40\n[mujoco]\nmodel = \"swing.xml\"\nsubsteps = 2\n"
    "[[observation]]\nname = \"angle\"\njoint = \"hinge\"\nangle = true\n"
    "[[observation]]\nname = \"speed\"\nvelocity_of = \"hinge\"\nrange = [-6, 6]\n"
    "[[action]]\nname = \"torque\"\nactuator = \"motor\"\n"
    "[task]\ntarget = { angle = 1 }\nweight = { angle = 10 }\n";

void write_swing(const TemporaryDirectory& dir) {
  dir.write("swing.xml", kModel);
  dir.write("swing.toml", kSystem);
}

TEST(Mujoco, ARunGoesOnWhenTheFilesItWasMadeFromAreGone) {
  const TemporaryDirectory dir, whole;
  write_swing(dir);
  write_swing(whole);
  explore_to_end(whole, "swing.toml", "run", {"--episodes", "3"});
  explore_to_end(dir, "swing.toml", "run", {"--episodes", "1"});
  std::filesystem::remove(dir.path() / "swing.xml");
  std::filesystem::remove(dir.path() / "swing.toml");
  const Outcome resumed = run({"resume", "run", "--episodes", "3", "--quiet"}, dir);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(difference(lasting_files(dir.path() / "run"), lasting_files(whole.path() / "run")), "");
  EXPECT_EQ(run({"evaluate", "run"}, dir).code, 0);
  EXPECT_EQ(run({"inspect", "run"}, dir).code, 0);
}

TEST(Mujoco, ARunIsRepeatedFromItsConfigAlone) {
  const TemporaryDirectory dir;
  write_swing(dir);
  explore_to_end(dir, "swing.toml", "run", {"--episodes", "1"});
  std::filesystem::remove(dir.path() / "swing.xml");
  std::filesystem::remove(dir.path() / "swing.toml");
  const Outcome again =
      run({"explore", "--config", "run/config.toml", "--out", "again", "--quiet"}, dir);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(difference(lasting_files(dir.path() / "run"), lasting_files(dir.path() / "again")), "");
}

TEST(Mujoco, TheSystemBesideAConfigComesBeforeABundledOneOfItsName) {
  const TemporaryDirectory dir;
  write_swing(dir);
  replace_in(dir.path() / "swing.toml", "swing", "pendulum");
  explore_to_end(dir, "swing.toml", "run", {"--episodes", "1"});
  const Outcome again =
      run({"explore", "--config", "run/config.toml", "--out", "again", "--quiet"}, dir);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(difference(lasting_files(dir.path() / "run"), lasting_files(dir.path() / "again")), "");
}

TEST(Mujoco, RunsOfDifferentModelsAreNotSeedsOfOneSystem) {
  const TemporaryDirectory dir;
  write_swing(dir);
  explore_to_end(dir, "swing.toml", "a", {"--episodes", "1"});
  replace_in(dir.path() / "swing.xml", "mass=\"1\"", "mass=\"2\"");
  explore_to_end(dir, "swing.toml", "b", {"--episodes", "1", "--seed", "2"});
  const Outcome compared = run({"compare", "a", "b"}, dir);
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_NE(compared.out.find("\nswing#1 "), std::string::npos) << compared.out;
  EXPECT_NE(compared.out.find("\nswing#2 "), std::string::npos) << compared.out;
}

TEST(Mujoco, BundledModelsAreListedAndExploredByName) {
  const TemporaryDirectory dir;
  const Outcome listed = run({"systems"}, dir);
  for (const char* name : {"pendulum-mujoco", "cartpole-mujoco", "acrobot", "two-pole-cart", "arm"})
    EXPECT_NE(listed.out.find(std::string(name) + ": "), std::string::npos) << name;
  explore_to_end(dir, "acrobot", "run", {"--episodes", "2", "task=false"});
  EXPECT_EQ(run({"resume", "run", "--episodes", "3", "--quiet"}, dir).code, 0);
}

TEST(Mujoco, SweepsKnowTheBundledModels) {
  const TemporaryDirectory dir;
  dir.write("sweep.toml",
            "[grid]\nsystem = [\"arm\", \"pendulum\"]\nmethod = \"random\"\n"
            "seed = [1]\n[settings]\nepisodes = 1\nfeatures = 20\ntask = false\n"
            "test_trajectories = 50\n");
  const Outcome swept = run({"sweep", "sweep.toml", "--quiet"}, dir);
  EXPECT_EQ(swept.code, 0) << swept.err;
}

TEST(Mujoco, AWrongModelIsToldInMujocosWordsAndMakesNoRun) {
  const TemporaryDirectory dir;
  write_swing(dir);
  dir.write("swing.xml", "<mujoco><worldbody><bdy/></worldbody></mujoco>");
  const Outcome refused = run({"explore", "swing.toml", "--out", "run"}, dir);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("swing.toml:4:9: swing.xml: "), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("bdy"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "run"));
}

TEST(Mujoco, NothingIsLeftInTheCurrentDirectory) {
  const TemporaryDirectory dir;
  write_swing(dir);
  dir.write("swing.xml", std::string(kModel).replace(std::string(kModel).find("damping=\"0.1\""),
                                                     13, "stiffness=\"1e12\""));
  run(explore_small("swing.toml", "run", {"--episodes", "1", "test_trajectories=0", "task=false"}),
      dir);
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "MUJOCO_LOG.TXT"));
}

// The library is looked for in RHC_MODULES alone then.
TEST(Mujoco, WhereItIsGoneSystemsSayHowToGetItAndOthersWork) {
  const TemporaryDirectory dir;
  const auto without = [&](const std::vector<std::string>& words) {
    return run(words, dir, [&] { setenv("RHC_MODULES", dir.path().c_str(), 1); });
  };
  const Outcome refused = without({"explore", "acrobot", "--out", "run"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("needs MuJoCo"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("tools/setup mujoco"), std::string::npos) << refused.err;
  EXPECT_EQ(without(explore_small("pendulum", "run", {"--episodes", "1"})).code, 0);
}

}  // namespace
}  // namespace rhc
