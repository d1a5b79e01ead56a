#include "rhc/explore/explorer.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/system/pendulum.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

TEST(MethodName, KnowsNamesAndAliases) {
  for (const std::string& name : method_names()) EXPECT_EQ(method_name(name), name);
  EXPECT_EQ(method_name("rand"), "random");
  EXPECT_TRUE(message_of<InputError>([] {
                method_name("randon");
              }).starts_with("unknown method 'randon'; did you mean 'random'?"));
}

std::unique_ptr<Explorer> random_explorer(std::uint64_t seed, const System& system = Pendulum{}) {
  Config config;
  config.method = "random";
  config.seed = seed;
  return make_explorer(config, system, 1);
}

struct Shifted : Pendulum {
  SystemSpec spec() const {
    SystemSpec s = Pendulum::spec();
    s.action_bounds = {Vector::Constant(1, 2), Vector::Constant(1, 6)};
    return s;
  }
};

Decision decided(Explorer& explorer, int episode) {
  return explorer.decide({.episode = episode, .model = nullptr, .before = {}, .sigmas = 0});
}

TEST(RandomExplorer, ActsUniformlyWithinTheBounds) {
  const auto explorer = random_explorer(1, Shifted{});
  double sum = 0, square = 0;
  for (int episode = 1; episode <= 40; ++episode) {
    const Decision decision = decided(*explorer, episode);
    ASSERT_EQ(decision.actions.cols(), 100);
    for (const double a : decision.actions.reshaped()) {
      ASSERT_TRUE(a >= 2 && a < 6);
      sum += a;
      square += (a - 4) * (a - 4);
    }
  }
  EXPECT_NEAR(sum / 4000, 4, 0.08);
  EXPECT_NEAR(square / 4000, 16.0 / 12, 0.08);
}

struct Gentle : Pendulum {
  SystemSpec spec() const {
    SystemSpec s = Pendulum::spec();
    s.safety = {.rest = Vector::Constant(1, 0.5), .first = 0.2};
    return s;
  }
};

TEST(RandomExplorer, IsGentleWhileNothingIsKnown) {
  const Matrix actions = decided(*random_explorer(1, Gentle{}), 1).actions;
  EXPECT_GE(actions.minCoeff(), 0.5 - 0.2 * 1.5);
  EXPECT_LE(actions.maxCoeff(), 0.5 + 0.2 * 0.5);
}

TEST(RandomExplorer, PlansNothing) {
  EXPECT_FALSE(decided(*random_explorer(1), 1).plan.has_value());
}

TEST(RandomExplorer, RepeatsAnEpisodeWhateverCameBefore) {
  const auto a = random_explorer(5), b = random_explorer(5);
  decided(*a, 1);
  const Matrix second = decided(*a, 2).actions;
  EXPECT_EQ(second, decided(*b, 2).actions);
  EXPECT_NE(second, decided(*b, 1).actions);
}

TEST(Explorer, ThatDecidesOnAllActionsAtOnceHasNoneForAStep) {
  EXPECT_THROW(random_explorer(1)->act(Vector::Zero(3), 0), std::logic_error);
}

struct Remembering : Pendulum {
  SystemSpec spec() const {
    SystemSpec s = Pendulum::spec();
    s.history = 2;
    return s;
  }
};

TEST(MakeExplorer, RefusesAHistoryForMethodsThatSeeOneObservation) {
  for (const char* method : {"sac-pe", "sac-ig", "max"}) {
    Config config;
    config.method = method;
    const std::string message =
        message_of<InputError>([&] { make_explorer(config, Remembering{}, 1); });
    EXPECT_NE(message.find("has a history of 2"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace rhc
