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

TEST(RandomExplorer, ActsUniformlyWithinTheBounds) {
  const auto explorer = random_explorer(1, Shifted{});
  explorer->begin_episode(1, nullptr);
  double sum = 0, square = 0;
  for (int i = 0; i < 4000; ++i) {
    const double a = explorer->act(Vector::Zero(3), i)[0];
    ASSERT_TRUE(a >= 2 && a < 6);
    sum += a;
    square += (a - 4) * (a - 4);
  }
  EXPECT_NEAR(sum / 4000, 4, 0.08);
  EXPECT_NEAR(square / 4000, 16.0 / 12, 0.08);
}

TEST(RandomExplorer, PlansNothing) {
  const auto explorer = random_explorer(1);
  explorer->begin_episode(1, nullptr);
  EXPECT_EQ(explorer->plan(), nullptr);
}

TEST(RandomExplorer, RepeatsAnEpisodeWhateverCameBefore) {
  const auto a = random_explorer(5), b = random_explorer(5);
  a->begin_episode(1, nullptr);
  for (int i = 0; i < 13; ++i) a->act(Vector::Zero(3), i);
  a->begin_episode(2, nullptr);
  b->begin_episode(2, nullptr);
  EXPECT_EQ(a->act(Vector::Zero(3), 0), b->act(Vector::Zero(3), 0));
}

TEST(RandomExplorer, GoesOnAsIfItHadNeverBeenStopped) {
  const auto whole = random_explorer(5), other = random_explorer(5);
  whole->begin_episode(1, nullptr);
  whole->act(Vector::Zero(3), 0);
  Archive archive;
  whole->save(archive);
  other->restore(Archive::parse(archive.bytes(), "checkpoint"));
  whole->begin_episode(2, nullptr);
  other->begin_episode(2, nullptr);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(whole->act(Vector::Zero(3), i), other->act(Vector::Zero(3), i));
}

}  // namespace
}  // namespace rhc
