#include "rhc/neural/sac_explorer.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/store/archive.h"
#include "rhc/system/pendulum.h"
#include "tests/neural/few_episodes.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

FewEpisodes sac_run(SacExplorerSettings settings = {}) {
  const System system = Pendulum{};
  return {std::make_unique<SacExplorer>(system.spec(), std::move(settings)), tiny_config(), system};
}

TEST(SacExplorer, ActsWithinTheBoundsAndNotTwiceAlike) {
  FewEpisodes run = sac_run();
  expect_actions_within_bounds_and_new(run, System(Pendulum{}).spec().action_bounds);
}

TEST(SacExplorer, LearnsWhileItActs) {
  // The same stream of actions from two policies: one learns nothing.
  FewEpisodes learning = sac_run(), idle = sac_run({.updates = 0});
  EXPECT_EQ(learning.episode(1).actions, idle.episode(1).actions) << "random, without a belief";
  const Matrix a = learning.episode(2).actions, b = idle.episode(2).actions;
  EXPECT_EQ(a.col(0), b.col(0));
  EXPECT_NE(a.col(50), b.col(50));
}

TEST(SacExplorer, GoesOnFromAnArchiveToTheLastBit) {
  for (const Bonus bonus : {Bonus::prediction_error, Bonus::information_gain})
    for (const int after : {1, 3}) {
      FewEpisodes whole = sac_run({.bonus = bonus}), other = sac_run({.bonus = bonus});
      for (int episode = 1; episode <= after; ++episode) whole.episode(episode);
      NamedValues archive;
      whole.explorer().save(archive);
      // The model learns the same from episodes that the other explorer never saw.
      FewEpisodes again = sac_run({.bonus = bonus});
      for (int episode = 1; episode <= after; ++episode)
        other.learner().learn(
            transitions_of(again.episode(episode), System(Pendulum{}).spec().limits));
      other.explorer().restore(parse_archive(archive_bytes(archive), "test"));
      EXPECT_EQ(whole.episode(after + 1).actions, other.episode(after + 1).actions) << after;
    }
}

TEST(SacExplorer, SaysInWhichEpisodeAndStepLearningFailed) {
  FewEpisodes run = sac_run({.sac = {.learning_rate = 1e30}});
  run.episode(1);
  const std::string message = message_of<LearningError>([&] { run.episode(2); });
  EXPECT_NE(message.find("episode 2, step "), std::string::npos) << message;
  EXPECT_NE(message.find("sac_learning_rate"), std::string::npos) << message;
}

TEST(SacExplorer, NoticesAtOnceThatThePolicyIsNoLongerANumber) {
  // An infinite rate spoils the parameters in an update whose own losses are still finite.
  FewEpisodes run = sac_run({.sac = {.learning_rate = kInfinity}});
  run.episode(1);
  const std::string message = message_of<LearningError>([&] { run.episode(2); });
  EXPECT_NE(message.find("episode 2, step 1:"), std::string::npos) << message;
}

TEST(SacExplorer, DoesTheSameBesideAnotherThread) {
  FewEpisodes alone = sac_run();
  Matrix expected;
  for (int episode = 1; episode <= 2; ++episode) expected = alone.episode(episode).actions;
  parallel_for(2, 2, [&](int) {
    FewEpisodes run = sac_run();
    Matrix actions;
    for (int episode = 1; episode <= 2; ++episode) actions = run.episode(episode).actions;
    EXPECT_EQ(actions, expected);
  });
}

TEST(SacExplorer, RefusesACheckpointOfOtherNetworks) {
  FewEpisodes small = sac_run({.sac = {.hidden = {32}}}), large = sac_run();
  NamedValues archive;
  small.explorer().save(archive);
  const std::string message = message_of<InputError>([&] { large.explorer().restore(archive); });
  EXPECT_NE(message.find("1 x 3-32-2 relu"), std::string::npos) << message;
  EXPECT_NE(message.find("1 x 3-64-64-2 relu"), std::string::npos) << message;
}

}  // namespace
}  // namespace rhc
