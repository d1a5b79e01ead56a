#include "rhc/explore/memory.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/system/cartpole.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

SystemSpec machine_of(int observations) {
  SystemSpec spec = Cartpole{}.spec();
  spec.name = "big";
  spec.horizon = 60;
  spec.observation.assign(static_cast<std::size_t>(observations), {"x", "m"});
  return spec;
}

Config without_tests() {
  Config config;
  config.judge.test_trajectories = 0;
  config.judge.task = false;
  return config;
}

// The number before " fit".
int number_that_fits(const std::string& message, const std::string& before) {
  const auto at = message.rfind(before);
  return at == std::string::npos ? -1 : std::stoi(message.substr(at + before.size()));
}

TEST(Memory, OfWhatRhcIsMadeForIsLittle) {
  EXPECT_LT(needed_bytes({}, Cartpole{}.spec()), kMostBytes / 100);
  check_memory({}, Cartpole{}.spec());
}

TEST(Memory, NamesTheFeaturesThatFit) {
  const SystemSpec spec = machine_of(1000);
  Config config = without_tests();
  const std::string message = message_of<InputError>([&] { check_memory(config, spec); });
  EXPECT_TRUE(
      message.starts_with("'big' is too large: 1000 observations, 1 action, 60 steps and 500 "
                          "features would take "))
      << message;
  config.model.features = number_that_fits(message, "features=");
  ASSERT_GT(config.model.features, 0) << message;
  check_memory(config, spec);
  ++config.model.features;
  EXPECT_THROW(check_memory(config, spec), InputError);
}

TEST(Memory, NamesTheObservationsThatFitWhereFewerFeaturesAreNotEnough) {
  Config config = without_tests();
  const std::string message =
      message_of<InputError>([&] { check_memory(config, machine_of(2000)); });
  const int fit = number_that_fits(message, "at most; ");
  ASSERT_GT(fit, 100) << message;
  check_memory(config, machine_of(fit));
  EXPECT_THROW(check_memory(config, machine_of(fit + 1)), InputError);
}

TEST(Memory, NamesTheTestTrajectoriesThatFit) {
  Config config;
  config.judge.test_trajectories = 10000000;
  config.judge.test_steps = 100;
  const std::string message =
      message_of<InputError>([&] { check_memory(config, Cartpole{}.spec()); });
  config.judge.test_trajectories = number_that_fits(message, "test_trajectories=");
  check_memory(config, Cartpole{}.spec());
}

TEST(Memory, OfAMethodThatDoesNotPlanIsLess) {
  Config config = without_tests();
  config.method = "random";
  check_memory(config, machine_of(2000));
}

}  // namespace
}  // namespace rhc
