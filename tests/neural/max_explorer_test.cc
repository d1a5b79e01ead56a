#include "rhc/neural/max_explorer.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/store/archive.h"
#include "rhc/system/pendulum.h"
#include "tests/neural/few_episodes.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

MaxSettings small_settings() {
  return {.ensemble = {.members = 4, .hidden = {16, 16}, .batch = 32, .updates = 60},
          .imagination = {.actors = 4, .steps = 250, .warm_up = 1},
          .policy = {.hidden = {16, 16}, .batch = 32, .temperature = 0.02}};
}

FewEpisodes max_run(const MaxSettings& settings = small_settings()) {
  const System system = Pendulum{};
  return {std::make_unique<MaxExplorer>(system, settings), tiny_config(), system};
}

TEST(MaxExplorer, ActsWithinTheBoundsAndNotTwiceAlike) {
  FewEpisodes run = max_run();
  expect_actions_within_bounds_and_new(run, System(Pendulum{}).spec().action_bounds);
}

TEST(MaxExplorer, ActsOnWhatItSees) {
  FewEpisodes run = max_run();
  run.episode(1);
  run.explorer().decide({.episode = 2, .model = run.learner().model(), .before = {}, .sigmas = 0});
  const Vector down = run.explorer().act(Vector{{-1, 0, 0}}, 0);
  EXPECT_EQ(run.explorer().act(Vector{{-1, 0, 0}}, 1), down);
  EXPECT_NE(run.explorer().act(Vector{{0, 1, 3}}, 2), down);
}

TEST(MaxExplorer, GoesOnFromAnArchiveToTheLastBit) {
  FewEpisodes whole = max_run(), other = max_run();
  whole.episode(1);
  whole.episode(2);
  NamedValues archive;
  whole.explorer().save(archive);
  other.explorer().restore(parse_archive(archive_bytes(archive), "test"));
  EXPECT_EQ(whole.episode(3).actions, other.episode(3).actions);
}

TEST(MaxExplorer, StopsPlanningWhenAsked) {
  FewEpisodes run = max_run();
  run.episode(1);
  int asked = 0;
  EXPECT_THROW(run.episode(2, [&] { return ++asked > 100; }), Interrupted);
  EXPECT_EQ(asked, 101);
}

TEST(MaxExplorer, SaysInWhichEpisodeLearningFailed) {
  MaxSettings settings = small_settings();
  settings.ensemble.learning_rate = 1e30;
  FewEpisodes ensemble = max_run(settings);
  ensemble.episode(1);
  std::string message = message_of<LearningError>([&] { ensemble.episode(2); });
  EXPECT_NE(message.find("before episode 2, step 1"), std::string::npos) << message;
  EXPECT_NE(message.find("max_learning_rate"), std::string::npos) << message;

  settings = small_settings();
  settings.policy.learning_rate = 1e30;
  FewEpisodes policy = max_run(settings);
  policy.episode(1);
  message = message_of<LearningError>([&] { policy.episode(2); });
  EXPECT_NE(message.find("before episode 2, step 1"), std::string::npos) << message;
  EXPECT_NE(message.find("max_policy_learning_rate"), std::string::npos) << message;
}

TEST(MaxExplorer, RefusesAnImaginationThatEndsBeforeThePolicyLearns) {
  MaxSettings settings = small_settings();
  settings.imagination.steps = 100;
  const std::string message = message_of<InputError>([&] { max_run(settings); });
  EXPECT_NE(message.find("give more than 100"), std::string::npos) << message;
}

TEST(MaxExplorer, BlamesTheEnsembleForWhatItsLastUpdateSpoilt) {
  MaxSettings settings = small_settings();
  settings.ensemble.learning_rate = kInfinity;
  settings.ensemble.updates = 1;
  FewEpisodes run = max_run(settings);
  run.episode(1);
  const std::string message = message_of<LearningError>([&] { run.episode(2); });
  EXPECT_NE(message.find(" max_learning_rate"), std::string::npos) << message;
}

TEST(MaxExplorer, RefusesACheckpointOfOtherNetworks) {
  FewEpisodes small = max_run();
  NamedValues archive;
  small.explorer().save(archive);
  MaxSettings settings = small_settings();
  settings.ensemble.members = 6;
  std::string message =
      message_of<InputError>([&] { max_run(settings).explorer().restore(archive); });
  EXPECT_NE(message.find("4 x 4-16-16-6 swish"), std::string::npos) << message;
  EXPECT_NE(message.find("6 x 4-16-16-6 swish"), std::string::npos) << message;
  settings = small_settings();
  settings.policy.hidden = {8};
  message = message_of<InputError>([&] { max_run(settings).explorer().restore(archive); });
  EXPECT_NE(message.find("1 x 3-8-2 relu"), std::string::npos) << message;
}

}  // namespace
}  // namespace rhc
