#include "rhc/describe/measured.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/core/error.h"
#include "tests/rig.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

Measured parse_log(const std::string& text, const MeasuredSettings& settings = {},
                   const std::string& system = kRig) {
  return parse_measured(text, "log.csv", rig(system), settings);
}

std::string message_of_log(const std::string& text, const MeasuredSettings& settings = {}) {
  return message_of<InputError>([&] { parse_log(text, settings); });
}

TEST(Measured, KeepsTheBitsOfWhatNeedsNoConversion) {
  const Measured measured =
      parse_log("time,thetadot,theta,torque,room\n0,0.1,0.3,0.25,21\n0.08,0.2,0.4,,21\n");
  EXPECT_EQ(measured.trajectory.observations.col(0),
            Eigen::Vector3d(std::cos(0.3), std::sin(0.3), 0.1));
  EXPECT_EQ(measured.trajectory.actions, Matrix::Constant(1, 1, 0.25));
  EXPECT_TRUE(measured.remarks.empty());
}

TEST(Measured, TakesCosineAndSineAsTheyAre) {
  const Measured measured =
      parse_log("cos_theta,sin_theta,thetadot,torque\n0.6,0.8,0,1\n-0.6,0.8,0,1\n");
  EXPECT_EQ(measured.trajectory.observations.col(1), Eigen::Vector3d(-0.6, 0.8, 0));
  EXPECT_NE(message_of_log("cos_theta,sin_theta,thetadot,torque\n0.6,0.8,0,1\n2,0.8,0,1\n")
                .find("log.csv:3: column 'cos_theta'"),
            std::string::npos);
}

TEST(Measured, ConvertsTheUnitsOfTheHeader) {
  const Measured measured =
      parse_log("t [ms],theta [deg],thetadot (rpm),torque [mNm]\n0,60,30,500\n80,90,60,500\n");
  EXPECT_NEAR(measured.trajectory.observations(0, 0), 0.5, 1e-14);
  EXPECT_NEAR(measured.trajectory.observations(2, 1), 2 * M_PI, 1e-12);
  EXPECT_NEAR(measured.trajectory.actions(0, 0), 0.5, 1e-15);
}

// A number may be finite in the log's unit, and not in the system's.
TEST(Measured, RefusesNumbersThatAConversionMakesInfinite) {
  const std::string infinite = " is too large in the system's unit";
  EXPECT_EQ(message_of_log("theta [rev],thetadot,torque\n1e308,0,1\n0,0,1\n"),
            "log.csv:2: column 'theta': 1e+308" + infinite);
  EXPECT_EQ(message_of_log("theta,thetadot [rev/s],torque\n0,0,1\n0,1e308,1\n"),
            "log.csv:3: column 'thetadot': 1e+308" + infinite);
  EXPECT_EQ(message_of<InputError>([] {
              parse_log("theta,thetadot,torque [N m]\n0,0,1e308\n0,0,1\n", {},
                        with(kRig, "\"N m\"", "\"mNm\""));
            }),
            "log.csv:2: column 'torque': 1e+308" + infinite);
  EXPECT_EQ(message_of_log("time [min],theta,thetadot,torque\n1e308,0,0,1\n", {.resample = true}),
            "log.csv:2: column 'time': 1e+308" + infinite);
}

TEST(Measured, AUnitOfAnyLengthIsRefused) {
  std::string unit;
  for (int i = 0; i < 300000; ++i) unit += "m/";
  EXPECT_NE(message_of_log("theta,thetadot [" + unit + "s],torque\n0,0,1\n").find("is in 'm/m/m/"),
            std::string::npos);
}

TEST(Measured, ReadsDecimalCommasBetweenSemicolonsAndTabs) {
  for (const char* text : {"theta;thetadot;torque\n0,5;1,25;-1\n0,5;1,5;\n",
                           "theta\tthetadot\ttorque\r\n0,5\t1,25\t-1\r\n0,5\t1,5\t\r\n",
                           "\xEF\xBB\xBFtheta;thetadot;torque;\n0.5;1.25;-1;\n0.5;1.5;;\n"})
    EXPECT_EQ(parse_log(text).trajectory.observations(2, 0), 1.25) << text;
}

TEST(Measured, TakesTheAskedActionsWhereThereAreNone) {
  const Measured measured =
      parse_log("theta,thetadot\n0,0\n0,1\n0,2\n", {.actions = Eigen::RowVector3d(7, 8, 9)});
  EXPECT_EQ(measured.trajectory.actions, Eigen::RowVector2d(7, 8));
  ASSERT_FALSE(measured.remarks.empty());
  EXPECT_NE(message_of_log("theta,thetadot\n0,0\n0,1\n")
                .find("the file has no column 'torque' (it has: theta, thetadot)"),
            std::string::npos);
}

TEST(Measured, TellsOfActionsOutsideTheirBounds) {
  const Measured measured = parse_log("theta,thetadot,torque\n0,0,1.5\n0,1,\n");
  ASSERT_EQ(measured.remarks.size(), 1u);
  EXPECT_NE(measured.remarks[0].find("outside its bounds [-1, 1]"), std::string::npos);
}

struct Refused {
  std::string text, said;
};

class RefusedLogs : public testing::TestWithParam<Refused> {};

TEST_P(RefusedLogs, SayRowAndColumn) {
  const std::string told = message_of_log(GetParam().text);
  EXPECT_NE(told.find(GetParam().said), std::string::npos) << told;
  EXPECT_TRUE(told.starts_with("log.csv:")) << told;
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedLogs,
    testing::Values(
        Refused{"", "the file is empty"}, Refused{"theta,thetadot,torque\n", "no row below"},
        Refused{"0,1,2\n3,4,5\n", "the first line must name the columns"},
        Refused{"theta,thetadt,torque\n0,0,0\n0,0,0\n",
                "the file has no column 'thetadot'; did you mean 'thetadt'? (it has: theta, "},
        Refused{std::string("\xFF\xFEt\0h\0", 6), "the file is in UTF-16; save it as UTF-8"},
        Refused{std::string("t\0h\0", 4), "in UTF-16 or no text at all"},
        Refused{"theta,theta,thetadot,torque\n0,0,0,0\n", "two columns 'theta'"},
        Refused{"time,torque,theta,theta_low,theta_high,thetadot\n0,0,0,0,0,0\n",
                "this is the plan of an experiment"},
        Refused{"theta,thetadot,torque\n0,0,0\n0,x,0\n",
                "3: column 'thetadot': 'x' is not a finite"},
        Refused{"theta,thetadot,torque\n0,0,0\n0,nan,0\n", "'nan' is not a finite number"},
        Refused{"theta,thetadot,torque\n0,0,\n0,1,0\n", "2: column 'torque': the cell is empty"},
        Refused{"theta,thetadot,torque\n0,5,1,0\n", "decimal commas"},
        Refused{"theta,thetadot [V],torque\n0,5,1\n", "is in 'V', but the system measures it in"},
        Refused{"time,theta,thetadot,torque\n0,0,0,0\n0.08,0,0,0\n0.2,0,0,0\n",
                "4: column 'time': 0.12 s after the row before"},
        Refused{"time,theta,thetadot,torque\n0,0,0,0\n0,0,0,0\n", "3: column 'time': 0 s after"}));

// Rows at these times, in this unit, of something that stands still.
std::string rows_at(const std::vector<double>& times, const std::string& column = "time") {
  std::string text = column + ",theta,thetadot,torque\n";
  for (const double time : times) text += exact(time) + ",0,0,0\n";
  return text;
}

// Each stamp is late or early by up to so many per cent of the time step.
std::vector<double> jittering(double percent) {
  std::vector<double> times;
  for (int i = 0; i <= 100; ++i) times.push_back(0.08 * (i + percent / 100 * std::sin(7.0 * i)));
  return times;
}

TEST(Measured, TakesRowsWhoseStampsJitterByAFewPerCent) {
  EXPECT_TRUE(parse_log(rows_at(jittering(5))).remarks.empty());
  const Measured measured = parse_log(rows_at(jittering(10)));
  EXPECT_EQ(measured.trajectory.steps(), 100);
  ASSERT_EQ(measured.remarks.size(), 1u);
  EXPECT_TRUE(measured.remarks[0].starts_with("the stamps jitter, by ")) << measured.remarks[0];
}

TEST(Measured, RefusesRowsThatAreMissingOrOfAnotherTimeStep) {
  EXPECT_NE(message_of_log(rows_at(jittering(40))).find("`--resample`"), std::string::npos);
  std::vector<double> missing = jittering(0);
  missing.erase(missing.begin() + 40);
  EXPECT_NE(message_of_log(rows_at(missing)).find("42: column 'time': 0.16 s"), std::string::npos);
  std::vector<double> slow = jittering(0);
  for (double& time : slow) time *= 1.1;
  EXPECT_NE(message_of_log(rows_at(slow)).find("`--resample`"), std::string::npos);
}

TEST(Measured, TakesTimesWithoutAUnitThatLookLikeMilliseconds) {
  for (const auto& [factor, unit] :
       {std::pair{1e3, "milliseconds"}, {1e6, "microseconds"}, {1e9, "nanoseconds"}}) {
    std::vector<double> times = jittering(2);
    for (double& time : times) time *= factor;
    const Measured measured = parse_log(rows_at(times));
    ASSERT_EQ(measured.remarks.size(), 1u);
    EXPECT_NE(measured.remarks[0].find(unit), std::string::npos) << measured.remarks[0];
    EXPECT_EQ(parse_log(rows_at(times), {.resample = true}).trajectory.steps(), 100);
  }
  // Whoever says seconds means seconds.
  EXPECT_NE(message_of_log(rows_at({0, 80, 160}, "time [s]")).find("80 s after"),
            std::string::npos);
}

TEST(Measured, ReadsColumnsAsTheyAreExportedFromRosBags) {
  std::string system = kRig.substr(0, kRig.find("[task]"));
  system = with(system, "\"theta\"", "\"field.position_0\"");
  system = with(system, "\"thetadot\"", "\"field.velocity_0\"");
  const Measured measured = parse_log(
      "%time,field.position[0],field.velocity[0],torque\n"
      "1700000000000000000,0.3,1,0.5\n1700000000080000000,0.4,1,0.5\n",
      {}, system);
  EXPECT_EQ(measured.trajectory.observations(0, 0), std::cos(0.3));
  EXPECT_EQ(measured.trajectory.actions(0, 0), 0.5);
  EXPECT_TRUE(measured.remarks.empty());
}

// A smooth motion, sampled at times that jitter, with a doubled stamp.
std::string jittery() {
  std::string text = "time,theta,thetadot,torque\n";
  const auto row = [&](double t) {
    text += exact(t) + "," + exact(2 * t) + "," + exact(t * t) + "," + (t < 0.5 ? "0.5" : "-0.5") +
            "\n";
  };
  for (int i = 0; i <= 40; ++i) row(5 + 0.025 * i + 0.004 * std::sin(7.0 * i) - 5);
  return text;
}

TEST(Resampled, LiesOnTheTimeStep) {
  const Measured measured = parse_log(jittery(), {.resample = true});
  const Trajectory& trajectory = measured.trajectory;
  ASSERT_EQ(trajectory.steps(), 12);
  for (Index t = 0; t <= 12; ++t) {
    const double at = 0.08 * static_cast<double>(t);
    EXPECT_NEAR(trajectory.observations(0, t), std::cos(2 * at), 2e-3) << t;
    EXPECT_NEAR(trajectory.observations(2, t), at * at, 1e-3) << t;
    // The action changes within step 6.
    if (t == 12 || t == 6) continue;
    EXPECT_EQ(trajectory.actions(0, t), at < 0.5 ? 0.5 : -0.5) << t;
  }
  EXPECT_NE(message_of_log(jittery()).find("`--resample`"), std::string::npos);
}

TEST(Resampled, KeepsTheActionOfEveryStepWhenStampsJitter) {
  std::string text = "time,theta,thetadot,torque\n";
  for (int i = 0; i <= 30; ++i)
    text += exact(0.08 * (i + (i == 0 ? 0 : 0.3 * std::sin(5.0 * i)))) + ",0,0," + exact(0.01 * i) +
            "\n";
  const Measured measured = parse_log(text, {.resample = true});
  ASSERT_GE(measured.trajectory.steps(), 28);
  for (Index t = 0; t < 28; ++t)
    EXPECT_EQ(measured.trajectory.actions(0, t), 0.01 * static_cast<double>(t)) << t;
}

TEST(Resampled, TakesTheMeanOfTheActionsWithinAStep) {
  std::string text = "time,theta,thetadot,torque\n";
  for (int i = 0; i <= 40; ++i) text += exact(0.02 * i + 0.001) + ",0,0," + exact(0.01 * i) + "\n";
  const Measured measured = parse_log(text, {.resample = true});
  ASSERT_EQ(measured.trajectory.steps(), 10);
  for (Index t = 0; t < 10; ++t)
    EXPECT_NEAR(measured.trajectory.actions(0, t), 0.01 * (4 * static_cast<double>(t) + 1.5), 1e-12)
        << t;
}

TEST(Resampled, TakesAnglesTheShorterWay) {
  const Measured measured = parse_log(
      "time,theta,thetadot,torque\n0,3.1,0,0\n0.05,3.14,0,0\n0.1,-3.10318530717958647,0,0\n"
      "0.16,-3.0831853071795864,0,0\n",
      {.resample = true});
  // 3.18 at 0.1: 3.164 at 0.08.
  EXPECT_NEAR(measured.trajectory.observations(0, 1), std::cos(3.164), 1e-12);
  EXPECT_NEAR(measured.trajectory.observations(1, 1), std::sin(3.164), 1e-12);
}

TEST(Resampled, MovesWhatIsStampedLate) {
  std::string text = "time,theta,thetadot,torque\n";
  for (int i = 0; i <= 20; ++i)
    text += exact(0.08 * i) + ",0," + exact(0.08 * i - 0.04) + "," + std::to_string(i % 2) + "\n";
  const Measured measured = parse_log(text, {.resample = true, .delay = 0.04});
  EXPECT_NEAR(measured.trajectory.observations(2, 3), 0.24, 1e-12);
  EXPECT_EQ(measured.trajectory.actions(0, 3), 1);
}

TEST(Resampled, LetsTheLaterOfTwoEqualStampsCount) {
  const Measured measured =
      parse_log("time,theta,thetadot,torque\n0,0,0,0\n0.08,0,5,0\n0.08,0,1,0\n0.16,0,2,0\n",
                {.resample = true});
  EXPECT_NEAR(measured.trajectory.observations(2, 1), 1, 1e-12);
  EXPECT_NE(measured.remarks[0].find("1 rows have the stamp of the row before"), std::string::npos);
}

TEST(Resampled, RefusesGapsAndTimesThatGoBack) {
  EXPECT_NE(message_of_log("time,theta,thetadot,torque\n0,0,0,0\n0.5,0,0,0\n", {.resample = true})
                .find("log.csv:3: column 'time': 0.5 s without a row"),
            std::string::npos);
  EXPECT_NE(message_of_log("time,theta,thetadot,torque\n0,0,0,0\n0.1,0,0,0\n0.05,0,0,0\n",
                           {.resample = true})
                .find("log.csv:4: column 'time': the time goes back"),
            std::string::npos);
  EXPECT_NE(
      message_of_log("theta,thetadot,torque\n0,0,0\n", {.resample = true}).find("a column 'time'"),
      std::string::npos);
}

}  // namespace
}  // namespace rhc
