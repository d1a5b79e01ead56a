#include "rhc/run/record_remarks.h"

#include <gtest/gtest.h>

#include "rhc/explore/learner.h"
#include "tests/explore/test_machine.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

TEST(RemarkOnHistory, NamesTheActionThatIsLateAndTheHistoryThatSeesIt) {
  const TestMachine late{.late = 2};
  const auto remark = remark_on_history(late.episodes(2), late.spec());
  ASSERT_TRUE(remark);
  EXPECT_TRUE(
      remark->starts_with("'voltage' acts 2 steps late: one step ahead 'speed' is wrong by "))
      << *remark;
  EXPECT_NE(remark->find("set history = 3"), std::string::npos) << *remark;
}

TEST(RemarkOnHistory, SaysWhereOneMomentIsTooLittle) {
  const TestMachine blind{.sees_speed = false};
  const auto remark = remark_on_history(blind.episodes(2), blind.spec());
  ASSERT_TRUE(remark);
  EXPECT_TRUE(remark->starts_with("what is measured at one moment does not tell how it goes on"))
      << *remark;
  EXPECT_NE(remark->find("set history = 2"), std::string::npos) << *remark;
}

DynamicsModel learned_from(const std::vector<Trajectory>& episodes) {
  Config config = tiny_config();
  config.model.refit = 0;
  Learner learner(config, TestMachine{}, 1);
  for (const Trajectory& episode : episodes)
    learner.learn(transitions_of(episode, Box::unbounded(2)));
  return *learner.model();
}

TEST(RemarkOnDrift, NamesWhatHasChangedAndTheSetting) {
  std::vector<Trajectory> episodes;
  for (std::uint64_t e = 0; e < 10; ++e)
    episodes.push_back(TestMachine{.gain = 1 - 0.04 * static_cast<double>(e)}.episode(e));
  const auto remark = remark_on_drift(episodes, learned_from(episodes), TestMachine{}.spec());
  ASSERT_TRUE(remark);
  EXPECT_NE(remark->find("the system seems to have changed"), std::string::npos);
  EXPECT_NE(remark->find("'speed'"), std::string::npos) << *remark;
  EXPECT_NE(remark->find("forgetting = "), std::string::npos);
}

TEST(RemarkOnRecord, IsNoneOfAMachineThatIsAsDescribed) {
  const std::vector<Trajectory> episodes = TestMachine{}.episodes(10);
  EXPECT_FALSE(remark_on_history(episodes, TestMachine{}.spec()));
  EXPECT_FALSE(remark_on_drift(episodes, learned_from(episodes), TestMachine{}.spec()));
}

// A pendulum of the name that the registry knows, whose motor is late.
struct LatePlant final : Plant {
  SimulatedPlant plant{make_system("pendulum"), {}, RandomStream(1, "plant")};
  Vector before;

  Vector reset(const Vector& state) override {
    before = Vector::Zero(1);
    return plant.reset(state);
  }
  Vector step(const Vector& action) override {
    const Vector now = before;
    before = action;
    return plant.step(now);
  }
};

TEST(RemarkOnRecord, IsMadeOnceInARun) {
  const TemporaryDirectory dir;
  RunDirectory run(dir.path() / "run", without_evaluation(tiny_config("pendulum", 3)));
  LatePlant plant;
  std::vector<std::string> remarks;
  RunEvents events;
  events.on_remark = [&](const std::string& remark) { remarks.push_back(remark); };
  explore_run(make_system("pendulum"), run, 1, events, &plant);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_NE(remarks[0].find("acts 1 step late"), std::string::npos) << remarks[0];
}

// A process that takes the run up knows the episodes of the earlier one.
TEST(RemarkOnRecord, KnowsEpisodesOfAnEarlierProcess) {
  const TemporaryDirectory dir;
  const Config config = without_evaluation(tiny_config("pendulum", 1));
  LatePlant plant;
  {
    RunDirectory run(dir.path() / "run", config);
    explore_run(make_system("pendulum"), run, 1, {}, &plant);
  }
  RunDirectory run = RunDirectory::reopen(dir.path() / "run", 2, false);
  std::vector<std::string> remarks;
  RunEvents events;
  events.on_remark = [&](const std::string& remark) { remarks.push_back(remark); };
  explore_run(make_system("pendulum"), run, 1, events, &plant);
  EXPECT_EQ(remarks.size(), 1u);
}

TEST(RemarkOnRecord, ChangesNoByteOfARun) {
  const TemporaryDirectory dir;
  const Config config = without_evaluation(tiny_config("pendulum", 2));
  const auto explored_with = [&](const char* name, const RunEvents& events) {
    RunDirectory run(dir.path() / name, config);
    LatePlant plant;
    explore_run(make_system("pendulum"), run, 1, events, &plant);
    return slurp(dir.path() / name / "beliefs.jsonl") + slurp(dir.path() / name / "model.json") +
           slurp(dir.path() / name / "episodes/0002.csv");
  };
  RunEvents listening;
  listening.on_remark = [](const std::string&) {};
  EXPECT_EQ(explored_with("quiet", {}), explored_with("told", listening));
}

}  // namespace
}  // namespace rhc
