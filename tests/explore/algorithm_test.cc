#include "rhc/explore/algorithm.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/system/pendulum.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

// Writes down what it is told, and throws where it is asked to.
class Diary final : public Follower {
 public:
  std::vector<std::string> words;
  std::string interrupted_at;

  void enter(int episode, Phase phase) override {
    write(std::string(name(phase)) + " " + std::to_string(episode));
  }
  void proposed(const Proposal& proposal) override {
    write("proposed " + std::to_string(proposal.episode));
  }
  void seen(const Proposal&, const Trajectory& seen) override {
    write("seen " + std::to_string(seen.steps()));
  }
  void learned(MetricsRow& row) override { write("learned " + std::to_string(row.episode)); }

 private:
  void write(const std::string& word) {
    if (word == interrupted_at) throw Interrupted();
    words.push_back(word);
  }
};

struct Loop {
  Campaign campaign{tiny_config(), Pendulum{}, 1};
  Steps steps{
      .propose = [this](int episode) { return campaign.propose(episode, {}); },
      .carry_out =
          [](const Proposal& proposal) {
            return Trajectory{Matrix::Random(3, proposal.actions.cols() + 1), proposal.actions};
          },
      .judge = [](const DynamicsModel* model, MetricsRow& row) { row.task_cost = model ? 1 : 0; }};
};

TEST(Algorithm1, ProposesCarriesOutLearnsAndJudgesInThisOrder) {
  Loop loop;
  Diary diary;
  algorithm_1(loop.campaign, loop.steps, diary, 2);
  const std::vector<std::string> expected = {
      "planning 1", "proposed 1", "acting 1", "seen 100", "learning 1", "judging 1", "learned 1",
      "planning 2", "proposed 2", "acting 2", "seen 100", "learning 2", "judging 2", "learned 2"};
  EXPECT_EQ(diary.words, expected);
  EXPECT_EQ(loop.campaign.told(), 2);
}

TEST(Algorithm1, GoesOnFromWhatWasTold) {
  Loop loop;
  Diary first, second;
  algorithm_1(loop.campaign, loop.steps, first, 1);
  algorithm_1(loop.campaign, loop.steps, second, 3);
  EXPECT_EQ(second.words.front(), "planning 2");
  EXPECT_EQ(second.words.back(), "learned 3");
}

TEST(Algorithm1, EndsWhereItsFollowerSaysSo) {
  for (const char* where : {"planning 2", "proposed 2", "acting 2", "seen 100", "learning 2"}) {
    Loop loop;
    Diary diary;
    algorithm_1(loop.campaign, loop.steps, diary, 1);
    diary.interrupted_at = where;
    EXPECT_THROW(algorithm_1(loop.campaign, loop.steps, diary, 2), Interrupted) << where;
    EXPECT_EQ(loop.campaign.told(), 1) << where << ": nothing was learned";
  }
}

}  // namespace
}  // namespace rhc
