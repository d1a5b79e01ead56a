#include "rhc/run/log_suspicion.h"

#include <gtest/gtest.h>

#include "rhc/system/pendulum.h"
#include "tests/model/random_exploration.h"
#include "tests/rig.h"

namespace rhc {
namespace {

constexpr double kNoise = 0.01;

// A model of a pendulum, from random episodes.
const DynamicsModel& learned() {
  static const DynamicsModel model = [] {
    const Transitions data = explore_at_random(
        Pendulum{}, {.observation = Vector::Constant(3, kNoise), .process = Vector::Zero(2)}, 4, 7);
    const Standardization outputs = standardization_of(data.outputs);
    // A difference has the noise of two readings, and the inputs have it, too.
    const Vector noise = 2 * kNoise * outputs.scale.cwiseInverse();
    BayesianLinearModel fit(draw_features(60, 4, RandomStream(3, "features")),
                            {Eigen::Vector4d(2, 2, 6, 3), 1e-2, noise}, outputs);
    fit.learn(data);
    return DynamicsModel(fit, {.observed = 3, .acted = 1, .action_at_rest = Vector::Zero(1)});
  }();
  return model;
}

Trajectory swing(std::uint64_t seed, const System& system = Pendulum{}) {
  Trajectory told{Matrix(3, 61), Matrix(1, 60)};
  RandomStream randomness(seed, "swing");
  Vector state = Eigen::Vector2d(3.14, 0);
  for (Index t = 0; t <= 60; ++t) {
    told.observations.col(t) = system.observe(state);
    for (Index i = 0; i < 3; ++i) told.observations(i, t) += kNoise * randomness.normal();
    if (t == 60) break;
    told.actions(0, t) = randomness.uniform(-1, 1);
    state = system.step(state, told.actions.col(t));
  }
  return told;
}

// All that is named, the likeliest first.
std::string named(const Trajectory& told) {
  const auto suspicion = suspicion_of(learned(), told, other_readings(told, rig()));
  if (!suspicion) return "";
  std::string all;
  for (const std::string& mistake : suspicion->mistakes) all += mistake + "; ";
  return all;
}

TEST(LogSuspicion, IsNoneOfHonestLogs) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_GT(fit_of(learned(), swing(seed)).inside, 0.8) << seed;
    EXPECT_EQ(named(swing(seed)), "") << seed;
  }
}

TEST(LogSuspicion, NamesASpeedWithTheWrongSign) {
  Trajectory told = swing(1);
  told.observations.row(2) *= -1;
  EXPECT_TRUE(named(told).starts_with("'thetadot' has the wrong sign")) << named(told);
}

TEST(LogSuspicion, NamesAnAngleWithTheWrongSign) {
  Trajectory told = swing(1);
  told.observations.row(1) *= -1;
  EXPECT_NE(named(told).find("'theta' has the wrong sign"), std::string::npos) << named(told);
}

TEST(LogSuspicion, NamesAFactorBetweenUnitsAndWhatItMayBe) {
  Trajectory told = swing(1);
  told.observations.row(2) /= 57.29578;
  EXPECT_NE(named(told).find("'thetadot' is too small by a factor of 57.3, as between degrees and "
                             "radians"),
            std::string::npos)
      << named(told);
}

TEST(LogSuspicion, NamesActionsThatActedAStepLater) {
  Trajectory told = swing(1);
  told.actions.leftCols(59) = Matrix(told.actions.rightCols(59));
  EXPECT_TRUE(named(told).starts_with("the actions acted a step later")) << named(told);
}

TEST(LogSuspicion, IsNotDecidedByAnOutlier) {
  Trajectory told = swing(1);
  told.observations(2, 30) = 1e4;
  EXPECT_EQ(named(told), "");
  told.observations.row(2) *= -1;
  EXPECT_TRUE(named(told).starts_with("'thetadot' has the wrong sign")) << named(told);
}

// Nothing in the log is wrong: something pushes the machine.
TEST(LogSuspicion, IsNoneOfASurpriseThatNoReadingExplains) {
  Trajectory told = swing(1);
  RandomStream randomness(5, "surprise");
  for (Index t = 1; t <= 60; ++t) told.observations(2, t) += randomness.uniform(-2, 2);
  EXPECT_LT(fit_of(learned(), told).inside, 0.5);
  EXPECT_EQ(named(told), "");
}

TEST(LogSuspicion, SaysHowMuchAReadingExplainsAndTheWayBack) {
  const std::string text =
      suspicion_in_words({{"A", "B"}, {-8, 0.12, 1}, {0, 0.94, 1}}, "rhc forget runs/lab 3");
  EXPECT_EQ(
      text,
      "it looks as if A, or B: without that 94 % of the steps are where the model expects "
      "them, and 12 % as it is; look at the wiring and the log, `rhc forget runs/lab 3` takes "
      "it back");
  EXPECT_NE(
      suspicion_in_words({{"A"}, {-8, 0.9, 40}, {0, 0.9, 1}}, "").find("in bands 40 times as wide"),
      std::string::npos);
}

TEST(OtherReadings, AreAsShortAsIsNeeded) {
  const Trajectory hours{Matrix::Zero(3, 100001), Matrix::Zero(1, 100000)};
  for (const LogReading& reading : other_readings(hours, rig()))
    EXPECT_LE(reading.told.steps(), 1000) << reading.mistake;
}

TEST(OtherReadings, StayInsideTheBoundsOfTheActions) {
  const auto has_torque = [](const std::string& bounds) {
    const SystemFile file = rig(with(kRig, "[-1, 1]", bounds));
    Trajectory told = swing(1);
    told.actions = told.actions.cwiseAbs();
    for (const LogReading& reading : other_readings(told, file))
      if (reading.mistake == "'torque' has the wrong sign") return true;
    return false;
  };
  EXPECT_TRUE(has_torque("[-1, 1]"));
  EXPECT_FALSE(has_torque("[0, 1]"));
}

TEST(OtherReadings, ExchangeWhatHasTheSameUnit) {
  const SystemFile file = rig(with(kRig, "[[action]]",
                                   "[[observation]]\nname = \"wheel\"\nunit = \"rad/s\"\nstart = "
                                   "0\nrange = [-8, 8]\n\n[[action]]"));
  Trajectory told{Matrix::Zero(4, 3), Matrix::Zero(1, 2)};
  told.observations.row(2).setConstant(1);
  told.observations.row(3).setConstant(2);
  int found = 0;
  for (const LogReading& reading : other_readings(told, file))
    if (reading.mistake.find("exchanged") != std::string::npos) {
      EXPECT_EQ(reading.mistake, "'thetadot' and 'wheel' are exchanged");
      EXPECT_EQ(reading.told.observations.col(0), Eigen::Vector4d(0, 0, 2, 1));
      ++found;
    }
  EXPECT_EQ(found, 1);
}

TEST(OtherAngleUnits, ReadDegreesWhereRadiansAreMeant) {
  const std::string text = "theta,thetadot,torque\n90,0,0\n180,0,\n";
  for (const LogReading& reading : other_angle_units(text, "log.csv", rig(), {}))
    if (reading.mistake == "'theta' is in degrees where radians are meant") {
      EXPECT_NEAR(reading.told.observations(0, 0), 0, 1e-12);
      EXPECT_NEAR(reading.told.observations(0, 1), -1, 1e-12);
      return;
    }
  FAIL();
}

TEST(FrozenObservations, AreThoseThatStandStillWhereTheyMustMove) {
  Trajectory told = swing(1);
  EXPECT_TRUE(frozen_observations(learned(), told, rig()).empty());
  told.observations.row(2).tail(40).setConstant(told.observations(2, 20));
  const auto found = frozen_observations(learned(), told, rig());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with("'thetadot' does not change in 40 steps")) << found[0];
}

TEST(FrozenObservations, AreNoneAtRest) {
  const Trajectory told{Eigen::Vector3d(-1, 0, 0).replicate(1, 61), Matrix::Zero(1, 60)};
  EXPECT_TRUE(frozen_observations(learned(), told, rig()).empty());
}

}  // namespace
}  // namespace rhc
