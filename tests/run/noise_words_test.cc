#include "rhc/run/noise_words.h"

#include <gtest/gtest.h>

#include "tests/rig.h"

namespace rhc {
namespace {

TEST(NoiseInWords, HasTheUnitsAndTellsOfAnAngleAsOne) {
  const NoiseSplit noise{Eigen::Vector3d(0.006, 0.008, 0.4), Eigen::Vector3d(0.003, 0.004, 0.02)};
  EXPECT_EQ(
      noise_in_words(noise, rig().system.spec()),
      "theta 0.01 rad measured, 0.005 rad a step in motion; thetadot 0.4 rad/s measured, 0.02 "
      "rad/s a step in motion");
}

TEST(NoiseInWords, NamesACosineThatIsMeasuredItself) {
  const NoiseSplit noise{Vector::Constant(3, 0.5), Vector::Constant(3, 0.25)};
  EXPECT_TRUE(noise_in_words(noise, Pendulum{}.spec())
                  .starts_with("cos 0.5 measured, 0.25 a step in motion; sin "))
      << noise_in_words(noise, Pendulum{}.spec());
}

TEST(NoiseOf, IsWhatTheCheckpointHas) {
  RunRecord run{};
  run.spec = Pendulum{}.spec();
  EXPECT_FALSE(noise_of(run));
  run.checkpoint.emplace();
  EXPECT_FALSE(noise_of(run)) << "sensors and motion were not told apart";
  run.checkpoint->put("learner/sensor_noise", Eigen::Vector3d(1, 2, 3));
  run.checkpoint->put("learner/process_noise", Eigen::Vector3d(4, 5, 6));
  EXPECT_EQ(noise_of(run)->sensor, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(noise_of(run)->process, Eigen::Vector3d(4, 5, 6));
}

}  // namespace
}  // namespace rhc
