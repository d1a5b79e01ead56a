#include "rhc/describe/draft.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rhc/core/error.h"
#include "rhc/core/random.h"
#include "rhc/describe/action_delay.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/log_file.h"
#include "rhc/describe/measured.h"
#include "rhc/plan/signals.h"
#include "tests/rig.h"

namespace rhc {
namespace {

SystemFile drafted(const std::string& log, const DraftSettings& settings = {}) {
  const Draft draft = draft_description(log, "log.csv", settings);
  SystemFile system = parse_system(draft.toml, "draft.toml", ".");
  EXPECT_GT(parse_measured(log, "log.csv", system, {.resample = draft.resample}).trajectory.steps(),
            0)
      << draft.toml;
  return system;
}

bool says(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines)
    if (line.find(part) != std::string::npos) return true;
  return false;
}

std::string refusal(const std::string& log, const DraftSettings& settings = {}) {
  return message_of<InputError>([&] { draft_description(log, "log.csv", settings); });
}

// What a bundled system does under held random actions, as its quantities are called.
std::string log_of(const std::string& name, int steps, double noise = 0) {
  const System system = bundled_system(name);
  const SystemSpec& spec = system.spec();
  RandomStream randomness(7, "log of " + name);
  const Matrix actions = held_signal(spec.action_bounds, steps, 8, randomness);
  std::string text = "time [s]";
  for (const Quantity& quantity : spec.observation) text += "," + with_unit(quantity);
  for (const Quantity& quantity : spec.action) text += "," + with_unit(quantity);
  text += "\n";
  Vector state = spec.start;
  for (Index t = 0; t <= actions.cols(); ++t) {
    text += exact(static_cast<double>(t) * spec.time_step);
    for (const double value : system.observe(state))
      text += "," + exact(value + noise * randomness.normal());
    for (Index i = 0; i < actions.rows(); ++i)
      text += t < actions.cols() ? "," + exact(actions(i, t)) : ",";
    text += "\n";
    if (t < actions.cols()) state = system.step(state, actions.col(t));
  }
  return text;
}

TEST(Draft, KnowsThePendulumAgain) {
  const SystemFile rig = drafted(log_of("pendulum", 200));
  const SystemSpec& spec = rig.system.spec();
  EXPECT_EQ(spec.time_step, 0.08);
  EXPECT_EQ(spec.horizon, 200);
  EXPECT_EQ(spec.history, 1);
  EXPECT_EQ(names_of(spec.observation), names_of(bundled_system("pendulum").spec().observation));
  ASSERT_EQ(spec.action.size(), 1u);
  EXPECT_EQ(spec.action[0].name, bundled_system("pendulum").spec().action[0].name);
  // Never more than the log went.
  EXPECT_TRUE(bundled_system("pendulum").spec().action_bounds.contains(spec.action_bounds.upper));
  EXPECT_NEAR(spec.action_bounds.lower[0], bundled_system("pendulum").spec().action_bounds.lower[0],
              1e-2);
}

TEST(Draft, KnowsTheOtherBundledSystemsAgain) {
  for (const char* name : {"cartpole", "mountain-car"}) {
    const SystemSpec truth = bundled_system(name).spec();
    const SystemSpec spec = drafted(log_of(name, 60)).system.spec();
    EXPECT_NEAR(spec.time_step, truth.time_step, 1e-12) << name;
    EXPECT_EQ(names_of(spec.action), names_of(truth.action)) << name;
    EXPECT_EQ(spec.history, 1) << name;
  }
}

class RealLogs : public testing::TestWithParam<const char*> {};

// Against the description that a person wrote: bench/real/double_pendulum.toml.
TEST_P(RealLogs, AreDescribedAsAPersonDescribesThem) {
  const std::string file = std::string(RHC_BENCH_REAL) + "/" + GetParam();
  const std::string log = read_log(file);
  const SystemFile truth = read_system_file(std::string(RHC_BENCH_REAL) + "/double_pendulum.toml");
  const Draft draft = draft_description(log, file, {});
  const SystemFile system = parse_system(draft.toml, "draft.toml", ".");
  const SystemSpec &spec = system.system.spec(), &wanted = truth.system.spec();
  EXPECT_EQ(names_of(spec.state), names_of(wanted.state)) << draft.toml;
  EXPECT_EQ(names_of(spec.action), names_of(wanted.action)) << draft.toml;
  for (std::size_t i = 0; i < wanted.state.size(); ++i)
    EXPECT_EQ(spec.state[i].unit, wanted.state[i].unit);
  EXPECT_FALSE(system.measures[2].angle || system.measures[3].angle) << draft.toml;
  EXPECT_TRUE(says(draft.guesses, "'w1' is the derivative of 'q1'") || draft.resample)
      << fmt::format("{}", draft.toml);
  EXPECT_GT(parse_measured(log, file, system, {.resample = draft.resample}).trajectory.steps(),
            100);
}

INSTANTIATE_TEST_SUITE_P(All, RealLogs,
                         testing::Values("acrobot-ilqr-1.csv", "acrobot-mcpilco-1.csv",
                                         "pendubot-ilqr-perturbed-2.csv",
                                         "pendubot-mcpilco-7.csv"));

TEST(Draft, TakesLongStepsForMilliseconds) {
  std::string log = "t,angle,torque\n";
  for (int i = 0; i < 30; ++i) log += fmt::format("{},{},{}\n", 20 * i, std::sin(0.3 * i), i % 2);
  EXPECT_EQ(drafted(log).system.spec().time_step, 0.02);
  EXPECT_TRUE(says(draft_description(log, "log.csv", {}).guesses, "'t' is in ms"));
}

TEST(Draft, TakesForAnAngleWhatTurnsOver) {
  std::string log = "time,yaw [deg],arm [deg],u\n";
  for (int i = 0; i < 60; ++i)
    log += fmt::format("{},{},{},{}\n", 0.1 * i, std::remainder(11.0 * i, 360.0),
                       20 * std::sin(0.2 * i), (i / 5) % 3);
  const SystemFile system = drafted(log);
  EXPECT_TRUE(system.measures[0].angle);
  EXPECT_FALSE(system.measures[1].angle);
}

TEST(Draft, TakesCosineAndSineForOneAngle) {
  std::string log = "time,cos_arm,sin_arm,speed [rad/s],torque [N m]\n";
  for (int i = 0; i < 40; ++i)
    log += fmt::format("{},{},{},{},{}\n", 0.1 * i, std::cos(0.2 * i), std::sin(0.2 * i), 2,
                       (i / 5) % 3);
  const SystemFile system = drafted(log);
  ASSERT_EQ(system.measures.size(), 1u);
  EXPECT_EQ(system.measures[0].quantity.name, "arm");
  EXPECT_TRUE(system.measures[0].angle);
}

TEST(Draft, LeavesOutWhatSaysNothing) {
  std::string log = "time,step,mode,comment,x [m],x_ref [m],force [N]\n";
  for (int i = 0; i < 40; ++i)
    log += fmt::format("{},{},3,ok,{},{},{}\n", 0.1 * i, i, std::sin(0.1 * i), 0.5 * (i > 20),
                       std::cos(0.7 * i));
  const Draft draft = draft_description(log, "log.csv", {});
  const SystemSpec spec = drafted(log).system.spec();
  EXPECT_EQ(names_of(spec.state), std::vector<std::string>{"x"}) << draft.toml;
  EXPECT_EQ(names_of(spec.action), std::vector<std::string>{"force"});
  for (const char* left_out :
       {"'step' (it counts", "'mode' (it never", "'comment' (not all", "'x_ref' (a target"})
    EXPECT_TRUE(says(draft.guesses, left_out)) << left_out;
}

TEST(Draft, TakesNamesWithBlanksAndMoreThanOneTime) {
  std::string log = "time,timestamp,motor speed [rpm],motor current [A]\n";
  for (int i = 0; i < 40; ++i)
    log += fmt::format("{},{},{},{}\n", 0.1 * i, 7 + 0.1 * i, std::sin(0.1 * i), std::cos(0.7 * i));
  const SystemSpec spec = drafted(log).system.spec();
  EXPECT_EQ(names_of(spec.state), std::vector<std::string>{"motor_speed"});
  EXPECT_EQ(names_of(spec.action), std::vector<std::string>{"motor_current"});
}

TEST(Draft, GoesByWhatAPersonSaysOfColumns) {
  std::string log = "time,a,b,c\n";
  for (int i = 0; i < 40; ++i)
    log += fmt::format("{},{},{},{}\n", 0.1 * i, std::sin(0.1 * i), std::cos(0.1 * i),
                       std::sin(0.7 * i));
  EXPECT_NE(refusal(log).find("say which it is by --action NAME (numbers are in: a, b, c)"),
            std::string::npos);
  const SystemSpec spec = drafted(log, {.actions = {"c"}, .observations = {"b"}}).system.spec();
  EXPECT_EQ(names_of(spec.action), std::vector<std::string>{"c"});
  EXPECT_EQ(names_of(spec.state), std::vector<std::string>{"b"});
  EXPECT_NE(refusal(log, {.actions = {"d"}}).find("no column 'd'"), std::string::npos);
}

TEST(Draft, TellsOfAFactorBetweenASpeedAndItsAngle) {
  std::string log = "time,angle [rad],speed [rad/s],torque\n";
  const double deg = 180 / std::numbers::pi;
  for (int i = 0; i < 200; ++i)
    log += fmt::format("{},{},{},{}\n", 0.01 * i, std::sin(0.05 * i), deg * 5 * std::cos(0.05 * i),
                       (i / 7) % 2);
  EXPECT_TRUE(says(draft_description(log, "log.csv", {}).open, "but for a factor of 57.3"));
}

TEST(Draft, EstimatesTheNoiseOfASmoothMotion) {
  RandomStream randomness(3, "noise");
  std::string log = "time,x,force\n";
  for (int i = 0; i < 400; ++i)
    log += fmt::format("{},{},{}\n", 0.01 * i, std::sin(0.03 * i) + 0.02 * randomness.normal(),
                       (i / 9) % 2);
  const std::string toml = draft_description(log, "log.csv", {}).toml;
  const auto at = toml.find("# noise: about ");
  ASSERT_NE(at, std::string::npos) << toml;
  EXPECT_NEAR(std::stod(toml.substr(at + 15)), 0.02, 0.004);
}

TEST(Draft, SaysWhatItNeedsWhereThatIsMissing) {
  EXPECT_NE(refusal("a,b\n1,2\n").find("1 rows are too few"), std::string::npos);
  std::string log = "a,torque\n";
  for (int i = 0; i < 20; ++i) log += fmt::format("{},{}\n", std::sin(i), i % 3);
  EXPECT_NE(refusal(log).find("--time-step SECONDS"), std::string::npos);
  EXPECT_EQ(drafted(log, {.time_step = 0.05}).system.spec().time_step, 0.05);
  std::string still = "time,a,torque\n";
  for (int i = 0; i < 20; ++i) still += fmt::format("{},{},1\n", 0.1 * i, std::sin(i));
  EXPECT_NE(refusal(still, {.actions = {"torque"}}).find("'torque' never changes"),
            std::string::npos);
}

// x' = x + u(late) / 10 - x / 20, with white actions.
std::vector<DelayColumn> delayed(int late, Vector& actions) {
  RandomStream randomness(5, "delay");
  const Index rows = 200;
  actions = Vector(rows);
  for (double& action : actions) action = randomness.normal();
  Vector x = Vector::Zero(rows);
  for (Index t = 1; t < rows; ++t)
    x[t] = 0.95 * x[t - 1] + 0.1 * (t - 1 >= late ? actions[t - 1 - late] : 0) +
           0.01 * randomness.normal();
  return {{x, 0}};
}

TEST(ActionDelay, IsThatWithWhichTheMotionIsExplained) {
  for (int late = 0; late <= 5; ++late) {
    Vector actions;
    const auto seen = delayed(late, actions);
    EXPECT_EQ(action_delay(seen, {{actions, 0}}), late);
  }
}

}  // namespace
}  // namespace rhc
