#include "rhc/explore/trouble.h"

#include <gtest/gtest.h>

#include "rhc/system/cartpole.h"

namespace rhc {
namespace {

// The cart-pole in the middle of its track for so many steps; the last observation has its x at
// `last`.
Trajectory cart_until(int steps, double last) {
  Trajectory seen{Matrix::Zero(5, steps + 1), Matrix::Constant(1, steps, 0.5)};
  seen.observations(0, steps) = last;
  return seen;
}

const SystemSpec kCartpole = Cartpole{}.spec();
const int kWhole = kCartpole.horizon;

TEST(EpisodeTrouble, IsNoneWhereTheEpisodeIsWhole) {
  for (const char* status : {"", "converged", "stopped", "shrunk"})
    EXPECT_EQ(episode_trouble(status, cart_until(kWhole, 0), kCartpole), "");
}

TEST(EpisodeTrouble, NamesTheStepAndTheValueOutsideTheLimits) {
  const double far = kCartpole.limits.upper[0] + 0.12345;
  EXPECT_EQ(episode_trouble("converged", cart_until(15, far), kCartpole),
            "left the limits at step 15: x = " + std::to_string(far).substr(0, 5));
  EXPECT_EQ(episode_trouble("", cart_until(kWhole, far), kCartpole).substr(0, 15),
            "left the limits")
      << "also in its last step";
}

TEST(EpisodeTrouble, SaysThatAnEpisodeEndedInsideTheLimits) {
  EXPECT_EQ(episode_trouble("converged", cart_until(15, 0), kCartpole),
            "ended after 15 of " + std::to_string(kWhole) + " steps");
  EXPECT_EQ(episode_trouble("", {Matrix::Zero(5, 1), Matrix(1, 0)}, kCartpole),
            "nothing was measured");
}

TEST(EpisodeTrouble, OfAMachineThatWasOutsideAndCameBackIsBoth) {
  Trajectory seen = cart_until(15, 0);
  seen.observations(0, 7) = -99;
  EXPECT_EQ(
      episode_trouble("", seen, kCartpole),
      "left the limits at step 7: x = -99; ended after 15 of " + std::to_string(kWhole) + " steps");
  seen.observations(0, 0) = -98;
  EXPECT_TRUE(
      episode_trouble("", seen, kCartpole).starts_with("began outside the limits: x = -98"));
}

TEST(EpisodeTrouble, SaysThatThePlantEndedIt) {
  Trajectory seen = cart_until(15, 0);
  seen.ended = true;
  const std::string trouble = episode_trouble("converged", seen, kCartpole);
  EXPECT_EQ(trouble, "ended by the plant after 15 of " + std::to_string(kWhole) + " steps");
  EXPECT_EQ(trouble_in_short(trouble), "ended");
}

TEST(ToldLess, IsSaidWherePlannedAndGainedPart) {
  MetricsRow row{.information_planned = 90, .information_gained = 31, .plan_status = "converged"};
  EXPECT_EQ(told_less(row), "");
  row.information_gained = 29;
  EXPECT_EQ(told_less(row),
            "it told 29 nats of the 90 that were planned: it did not go as the model expected");
  row.plan_status = "infeasible";
  EXPECT_EQ(told_less(row), "") << "that was no plan to speak of";
  row = {.information_planned = 9, .information_gained = 1, .plan_status = "converged"};
  EXPECT_EQ(told_less(row), "") << "so few nats are nothing to speak of";
}

TEST(PlanTrouble, IsThatNothingButRestWasFound) {
  const Matrix rest = action_at_rest(kCartpole).replicate(1, 9);
  const Matrix moves = Matrix::Constant(1, 9, 0.1);
  EXPECT_EQ(plan_trouble("shrunk", rest, kCartpole),
            "no plan but rest was found inside the limits");
  EXPECT_EQ(plan_trouble("shrunk", moves, kCartpole), "");
  EXPECT_EQ(plan_trouble("converged", rest, kCartpole), "") << "rest may be the best plan";
  EXPECT_EQ(plan_trouble("infeasible", moves, kCartpole), "no plan inside the limits was found");
  EXPECT_EQ(plan_trouble("failed", moves, kCartpole), "planning failed");
  EXPECT_EQ(plan_trouble("", {}, kCartpole), "") << "decided step by step";
}

TEST(Trouble, FitsAColumnOfSevenLetters) {
  const Matrix rest = action_at_rest(kCartpole).replicate(1, 15);
  const auto word = [](const char* status, Trajectory seen) {
    return std::string(trouble_in_short(episode_trouble(status, seen, kCartpole)));
  };
  EXPECT_EQ(word("converged", cart_until(kWhole, 0)), "");
  EXPECT_EQ(word("converged", cart_until(15, 99)), "limits");
  EXPECT_EQ(word("converged", cart_until(15, 0)), "short");
  EXPECT_EQ(word("infeasible", cart_until(15, 99)), "no plan");
  EXPECT_EQ(word("failed", cart_until(15, 0)), "failed");
  EXPECT_EQ(word("repeated", cart_until(kWhole, 0)), "again");
  EXPECT_EQ(word("repeated", cart_until(15, 99)), "limits");
  EXPECT_EQ(word("shrunk", {cart_until(15, 0).observations, rest}), "rest");
}

TEST(Promised, IsNothingWhereThereWasNoPlanToSpeakOf) {
  MetricsRow row{.information_planned = 7};
  for (const char* status : {"converged", "stopped", "shrunk"}) {
    row.plan_status = status;
    EXPECT_EQ(promised(row), 7) << status;
  }
  row.trouble = plan_trouble("shrunk", action_at_rest(kCartpole), kCartpole);
  EXPECT_EQ(promised(row), std::nullopt);
  row.trouble.reset();
  EXPECT_EQ(promised(row), 7) << "a row of 0.1";
  for (const char* status : {"infeasible", "failed"}) {
    row.plan_status = status;
    EXPECT_EQ(promised(row), std::nullopt) << status;
  }
}

}  // namespace
}  // namespace rhc
