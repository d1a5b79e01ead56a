#include "rhc/evaluate/realaigym_score.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "rhc/format/csv_table.h"

namespace rhc {
namespace {

// Two swing-ups that its own simulator recorded (LICENSE-realaigym).
SwingUpRecord recorded(const char* file) {
  const CsvTable table(std::filesystem::path(RHC_TEST_DATA) / file);
  const Matrix rows = table.numbers(
      {"time", "pos_meas1", "pos_meas2", "vel_meas1", "vel_meas2", "tau_con1", "tau_con2"});
  SwingUpRecord record;
  for (Index i = 0; i < rows.rows(); ++i) {
    record.time.push_back(rows(i, 0));
    record.motion.emplace_back(rows(i, 1), rows(i, 2), rows(i, 3), rows(i, 4));
    record.torques.emplace_back(rows(i, 5), rows(i, 6));
  }
  return record;
}

// What its own scorer prints for them.
TEST(RealaigymScore, IsThatOfTheOriginal) {
  const SwingUpScore acrobot =
      realaigym_score(recorded("acrobot_realaigym_swingup.csv"), {.motor = Motor::elbow});
  EXPECT_TRUE(acrobot.success);
  EXPECT_NEAR(acrobot.time, 1.346, 1e-9);
  EXPECT_NEAR(acrobot.energy, 7.711628083986245, 1e-9);
  EXPECT_NEAR(acrobot.torque, 1.936949953938549, 1e-9);
  EXPECT_NEAR(acrobot.smoothness, 0.00420303521544532, 1e-12);
  EXPECT_NEAR(acrobot.velocity, 61.64370180182185, 1e-9);
  EXPECT_NEAR(acrobot.score, 0.7064890707709779, 1e-12);
  const SwingUpScore pendubot =
      realaigym_score(recorded("pendubot_realaigym_swingup.csv"), {.motor = Motor::shoulder});
  EXPECT_TRUE(pendubot.success);
  EXPECT_NEAR(pendubot.energy, 7.669998599582287, 1e-9);
  EXPECT_NEAR(pendubot.score, 0.6862780848135714, 1e-12);
}

TEST(RealaigymScore, IsNothingForOneThatFallsOrEndsEarly) {
  const DoublePendulum machine{.motor = Motor::elbow};
  const SwingUpRecord whole = recorded("acrobot_realaigym_swingup.csv");
  SwingUpRecord fallen = whole;
  fallen.motion[fallen.motion.size() - 2] = Eigen::Vector4d::Zero();
  EXPECT_FALSE(realaigym_score(fallen, machine).success);
  EXPECT_EQ(realaigym_score(fallen, machine).score, 0);
  SwingUpRecord early = whole;
  early.time.resize(4000);
  early.motion.resize(4000);
  early.torques.resize(4000);
  EXPECT_EQ(realaigym_score(early, machine).score, 0);
}

TEST(RealaigymScore, CountsTheTimeFromTheLastFallOn) {
  const DoublePendulum machine{.motor = Motor::elbow};
  SwingUpRecord knocked = recorded("acrobot_realaigym_swingup.csv");
  knocked.motion[2500] = Eigen::Vector4d::Zero();
  const SwingUpScore score = realaigym_score(knocked, machine);
  EXPECT_TRUE(score.success);
  EXPECT_NEAR(score.time, 5.002, 1e-9);
}

}  // namespace
}  // namespace rhc
