#include "rhc/explore/config.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/system/pendulum.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

TEST(NoiseLevels, AreExpandedToTheSystem) {
  const SystemSpec spec = Pendulum{}.spec();
  Config config;
  EXPECT_EQ(noise_levels(config, spec).observation.size(), 0);
  config.noise.observation = {0.5};
  EXPECT_EQ(noise_levels(config, spec).observation, Vector::Constant(3, 0.5));
  config.noise.process = {0.1, 0.2};
  EXPECT_EQ(noise_levels(config, spec).process, Eigen::Vector2d(0.1, 0.2));
  config.noise.process = {0.1, 0.2, 0.3};
  EXPECT_EQ(message_of<InputError>([&] { noise_levels(config, spec); }),
            "setting 'process_noise' has 3 entries; pendulum has 2 (theta, thetadot)");
}

}  // namespace
}  // namespace rhc
