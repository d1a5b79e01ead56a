#include "rhc/describe/system_file.h"

#include <gtest/gtest.h>

#include <numbers>

#include "rhc/core/error.h"
#include "rhc/explore/config.h"
#include "tests/describe/replaced.h"
#include "tests/rig.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

// Like the bundled one, but for its names.
const std::string kPendulum =
    with(with(kRig, "horizon = 20", "horizon = 100"), "{ theta = 1, thetadot = 0.01 }",
         "{ cos_theta = 100, sin_theta = 0.1, thetadot = 0.1 }");

SystemFile parse(const std::string& text) { return parse_system(text, "rig.toml", "."); }

std::string message(const std::string& text) {
  return message_of<InputError>([&] { parse(text); });
}

TEST(SystemFile, DescribesThePendulumAsItIsBundled) {
  const System described = parse(kPendulum).system, bundled = Pendulum{};
  const SystemSpec &a = described.spec(), &b = bundled.spec();
  EXPECT_FALSE(a.simulated);
  EXPECT_EQ(names_of(a.observation),
            (std::vector<std::string>{"cos_theta", "sin_theta", "thetadot"}));
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(a.region.lower, b.region.lower);
  EXPECT_EQ(a.region.upper, b.region.upper);
  EXPECT_EQ(a.action_bounds.upper, b.action_bounds.upper);
  EXPECT_EQ(a.task.target, b.task.target);
  EXPECT_EQ(a.task.weight, b.task.weight);
  EXPECT_EQ(a.task.action_weight, b.task.action_weight);
  EXPECT_EQ(a.horizon, b.horizon);
  EXPECT_EQ(a.time_step, b.time_step);
  const Vector state = Eigen::Vector2d(0.3, -2);
  EXPECT_EQ(described.observe(state), bundled.observe(state));
}

TEST(SystemFile, TurnsDegreesIntoCosineAndSine) {
  const System system = parse(replaced(replaced(kPendulum, "unit = \"rad\"", "unit = \"deg\""),
                                       "3.14159265358979312", "180"))
                            .system;
  EXPECT_NEAR(system.observe(Eigen::Vector2d(60, 1))[0], 0.5, 1e-15);
  EXPECT_NEAR(system.observe(Eigen::Vector2d(60, 1))[1], std::sqrt(0.75), 1e-15);
  EXPECT_DOUBLE_EQ(system.spec().region.upper[0], 180);
}

TEST(SystemFile, CannotBeSimulated) {
  const System system = parse(kPendulum).system;
  EXPECT_THROW(system.step(system.spec().start, Vector::Zero(1)), InputError);
}

TEST(SystemFile, ReadsSafetyAndHistory) {
  const std::string text =
      replaced(kPendulum, "bounds = [-1, 1]", "bounds = [-1, 1]\nrate = 4\nrest = 0.5");
  const SystemSpec spec =
      parse(replaced(text, "horizon = 100", "horizon = 100\nhistory = 3") +
            "final_weight = { theta = 7 }\n[safety]\nsigmas = 2\nfirst = 0.25\n")
          .system.spec();
  EXPECT_EQ(spec.safety.rate, Vector::Constant(1, 4));
  EXPECT_EQ(spec.safety.rest, Vector::Constant(1, 0.5));
  EXPECT_EQ(spec.safety.sigmas, 2);
  EXPECT_EQ(spec.safety.first, 0.25);
  EXPECT_EQ(spec.history, 3);
  EXPECT_EQ(spec.inputs(), 3 * (3 + 1));
  EXPECT_EQ(spec.task.final_weight, Eigen::Vector3d(7, 7, 0));
}

struct Mistake {
  std::string from, to, said;
};

class SystemFileMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(SystemFileMistakes, AreToldWithTheirPlace) {
  const auto& [from, to, said] = GetParam();
  const std::string told = message(replaced(kPendulum, from, to));
  EXPECT_TRUE(told.starts_with("rig.toml:")) << told;
  EXPECT_NE(told.find(said), std::string::npos) << told;
}

INSTANTIATE_TEST_SUITE_P(
    All, SystemFileMistakes,
    testing::Values(
        Mistake{"horizon = 100", "", "a system needs 'horizon'"},
        Mistake{"horizon = 100", "horizon = 1.5", "3:11: 'horizon' must be a whole number from 1"},
        Mistake{"horizon = 100", "horizn = 100",
                "3:10: unknown key of a system 'horizn'; did you mean 'horizon'?"},
        Mistake{"time_step", "dt", "2:6: unknown key of a system 'dt'"},
        Mistake{"start = 0\n", "strt = 0\n", "did you mean 'start'?"},
        Mistake{"bounds = [-1, 1]", "bound = [-1, 1]", "did you mean 'bounds'?"},
        Mistake{"horizon = 100", "horizon = 4\nhistory = 5",
                "4:11: 'history' = 5 is more than the 4 steps of 'horizon'"},
        Mistake{"name = \"thetadot\"", "name = \"cos_theta\"",
                "12:8: 'cos_theta' would head two columns, of the angle 'theta' and of the "
                "observation 'cos_theta'"},
        Mistake{"name = \"thetadot\"", "name = \"theta_low\"", "of the band of 'theta'"},
        Mistake{"name = \"thetadot\"", "name = \"sin_theta_sd\"", "of the deviation of 'theta'"},
        Mistake{"name = \"torque\"", "name = \"thetadot_high\"",
                "18:8: 'thetadot_high' would head two columns"},
        Mistake{"name = \"torque\"", "name = \"thetadot\"", "and of the action 'thetadot'"},
        Mistake{"name = \"thetadot\"", "name = \"gain_torque_cos_theta\"", "of the gains of"},
        Mistake{"name = \"thetadot\"", "name = \"timestamp\"", "heads the column of the time"},
        Mistake{"time_step = 0.08", "time_step = 0.08\nhistry = 2", "did you mean 'history'?"},
        Mistake{"time_step = 0.08", "time_step = nan", "'time_step' must be a number"},
        Mistake{"range = [-8, 8]", "", "'thetadot' needs a finite 'range'"},
        Mistake{"range = [-8, 8]", "range = [8, -8]", "the lower one first"},
        Mistake{"angle = true", "angle = true\nlimits = [-1, 1]", "an angle cannot have limits"},
        Mistake{"unit = \"rad\"", "unit = \"m\"", "an angle cannot be in 'm'"},
        Mistake{"name = \"thetadot\"", "name = \"theta\"", "'theta' is there twice"},
        Mistake{"name = \"thetadot\"", "name = \"theta dot\"", "must head a column"},
        Mistake{"name = \"torque\"", "name = \"time\"", "heads the column of the time"},
        Mistake{"name = \"rig\"", "name = \"a rig\"", "letters, digits"},
        Mistake{"range = [-8, 8]", "limits = [1, 8]", "'thetadot' starts outside its limits"},
        Mistake{"bounds = [-1, 1]", "bounds = [-1, inf]", "must be finite"},
        Mistake{"thetadot = 0.1 }", "thetdot = 0.1 }", "did you mean 'thetadot'?"},
        Mistake{"torque = 0.001", "torque = -1", "must not be negative"},
        Mistake{"[[action]]", "[action]", "each written [[action]]"}));

TEST(SystemFile, KnowsThatASpeedIsADerivative) {
  const std::string in_degrees = replaced(
      replaced(kPendulum, "name = \"thetadot\"", "name = \"thetadot\"\nderivative_of = \"theta\""),
      "unit = \"rad/s\"", "unit = \"deg/s\"");
  const SystemSpec spec = parse(in_degrees).system.spec();
  ASSERT_TRUE(spec.known);
  EXPECT_FALSE(spec.known.whole);
  const Vector change = spec.known.change(Eigen::Vector3d(1, 0, 90), Vector::Zero(1));
  // 90 deg/s over 0.08 s.
  EXPECT_NEAR(std::atan2(change[1], 1 + change[0]), 7.2 * std::numbers::pi / 180, 1e-12);
  EXPECT_EQ(change[2], 0);
}

TEST(SystemFile, KeepsTheNominalModelThatAFileDescribes) {
  const System bundled = Pendulum{};
  const Vector at = Eigen::Vector3d(std::cos(0.4), std::sin(0.4), -1), action = Vector::Ones(1);
  const SystemFile named = parse(kPendulum + "\n[nominal]\nsystem = \"pendulum\"\n");
  const Vector expected = bundled.observe(bundled.step(Eigen::Vector2d(0.4, -1), action)) - at;
  EXPECT_TRUE(named.system.spec().known.whole);
  EXPECT_LT((named.system.spec().known.change(at, action) - expected).norm(), 1e-12);
}

TEST(SystemFile, RefusesWhatIsKnownWrongly) {
  const auto told = [](const std::string& more, const std::string& nominal = "") {
    return message(replaced(kPendulum, "name = \"thetadot\"", "name = \"thetadot\"\n" + more) +
                   nominal);
  };
  EXPECT_NE(told("derivative_of = \"thet\"").find("did you mean 'theta'?"), std::string::npos);
  EXPECT_NE(told("derivative_of = \"thetadot\"").find("cannot be its own derivative"),
            std::string::npos);
  EXPECT_NE(message(replaced(replaced(kPendulum, "name = \"thetadot\"",
                                      "name = \"thetadot\"\nderivative_of = \"theta\""),
                             "unit = \"rad/s\"", "unit = \"m/s\""))
                .find("'thetadot' is in m/s, which is no rad of 'theta' in a second"),
            std::string::npos);
  EXPECT_NE(told("", "\n[nominal]\nsystem = \"cartpole\"\n").find("5 observations"),
            std::string::npos);
  EXPECT_NE(told("", "\n[nominal]\nsystem = \"pendulm\"\n").find("did you mean 'pendulum'?"),
            std::string::npos);
  EXPECT_NE(told("", "\n[nominal]\nsystem = \"./none.toml\"\n").find("none.toml"),
            std::string::npos);
  EXPECT_NE(told("", "\n[nominal]\n").find("[nominal] needs 'system'"), std::string::npos);
}

TEST(OpenSystem, TellsNamesFromFiles) {
  EXPECT_EQ(open_system("pendulum").spec().name, "pendulum");
  const TemporaryDirectory dir;
  EXPECT_EQ(open_system(dir.write("lab.toml", kPendulum)).spec().name, "rig");
  EXPECT_THROW(open_system("nowhere.toml"), InputError);
}

}  // namespace
}  // namespace rhc
