#include "rhc/describe/mujoco_reader.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/system_file.h"
#include "tests/describe/replaced.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

constexpr char kModel[] = R"(<mujoco model="élan">
  <option timestep="0.005"/>
  <worldbody>
    <body>
      <joint name="rail" type="slide" axis="1 0 0" range="-2 2"/>
      <geom name="cart" type="box" size="0.2 0.1 0.1"/>
      <body>
        <joint name="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 1" size="0.05"/>
        <site name="tip" pos="0 0 1"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="push" joint="rail" ctrlrange="-3 5"/>
    <general name="slow" joint="hinge" dyntype="filter" dynprm="0.1" ctrlrange="-1 1"/>
  </actuator>
  <sensor>
    <framepos name="tip" objtype="site" objname="tip"/>
    <accelerometer name="shock" site="tip"/>
  </sensor>
  <keyframe><key name="aside" qpos="1 0.5" qvel="0.1 0" ctrl="0 0.25"/></keyframe>
</mujoco>
)";

constexpr char kMujocoSystem[] = R"(# élan
name = "rig"
horizon = 50
[mujoco]
model = "rig.xml"  # beside this file
substeps = 4
[[observation]]
name = "x"
joint = "rail"
[[observation]]
name = "theta"
joint = "hinge"
angle = true
start = 3
[[observation]]
name = "xdot"
velocity_of = "rail"
range = [-4, 4]
[[observation]]
name = "height"
sensor = "tip"
component = 2
limits = [-2, 2]
[[action]]
name = "force"
actuator = "push"
[task]
target = { height = 1 }
weight = { height = 1 }
)";

SystemFile parse_mujoco(const std::string& toml, const std::string& model = kModel) {
  const TemporaryDirectory dir;
  dir.write("rig.xml", model);
  return parse_system(toml, "rig.toml", dir.path());
}

TEST(MujocoReader, ReadsWhatIsObservedAndMoved) {
  const SystemFile file = parse_mujoco(kMujocoSystem);
  const SystemSpec& spec = file.system.spec();
  EXPECT_TRUE(spec.simulated);
  EXPECT_DOUBLE_EQ(spec.time_step, 0.02);
  EXPECT_EQ(names_of(spec.state),
            (std::vector<std::string>{"rail", "hinge", "raildot", "hingedot", "activation0"}));
  EXPECT_EQ(names_of(spec.observation),
            (std::vector<std::string>{"x", "cos_theta", "sin_theta", "xdot", "height"}));
  EXPECT_EQ(spec.action_bounds.lower[0], -3) << "the actuator's own range";
  EXPECT_EQ(spec.action_bounds.upper[0], 5);
  EXPECT_EQ(spec.region.lower[0], -2) << "the joint's own range";
  EXPECT_EQ(spec.region.upper[2], 4);
  EXPECT_EQ(spec.region.upper[3], 0) << "what is not observed begins at its start";
  EXPECT_EQ(spec.start, (Vector(5) << 0, 3, 0, 0, 0).finished());
  EXPECT_NEAR(file.system.observe(spec.start)[4], std::cos(3), 1e-12);
  EXPECT_EQ(spec.task.target[4], 1);
  EXPECT_EQ(file.system.step(spec.start, Vector::Ones(1)).size(), 5);
}

TEST(MujocoReader, BeginsAtAKeyframe) {
  const System system =
      parse_mujoco(replaced(kMujocoSystem, "substeps = 4", "keyframe = \"aside\"")).system;
  EXPECT_EQ(system.spec().start, (Vector(5) << 1, 3, 0.1, 0, 0).finished());
  // The actuator that no action moves keeps the keyframe's control, and so gains activation.
  EXPECT_GT(system.step(system.spec().start, Vector::Zero(1))[4], 0);
}

TEST(MujocoReader, ObservesActivations) {
  const System system =
      parse_mujoco(std::string(kMujocoSystem) +
                   "[[observation]]\nname = \"pull\"\nactivation_of = \"slow\"\nrange = [-1, 1]\n")
          .system;
  EXPECT_EQ(system.observe((Vector(5) << 0, 0, 0, 0, 0.7).finished())[5], 0.7);
}

TEST(MujocoReader, TheKeptTextNeedsNoOtherFile) {
  for (const std::string& toml :
       {std::string(kMujocoSystem),
        replaced(kMujocoSystem, "[mujoco]\nmodel = \"rig.xml\"  # beside this file\nsubsteps = 4\n",
                 "mujoco = { substeps = 4, model = \"rig.xml\" }\n")}) {
    const SystemFile file = parse_mujoco(toml);
    const SystemFile kept = parse_system(file.text, "kept.toml", "/nowhere");
    EXPECT_EQ(kept.text, file.text);
    const Vector state = (Vector(5) << 0.1, 1, -0.3, 2, 0).finished();
    EXPECT_EQ(kept.system.step(state, Vector::Ones(1)), file.system.step(state, Vector::Ones(1)));
  }
}

TEST(MujocoReader, AModelWithQuotesIsKept) {
  const std::string model = replaced(kModel, "<sensor>", "<!-- ''' \"\"\" \\ -->\n<sensor>");
  const SystemFile file = parse_mujoco(kMujocoSystem, model);
  EXPECT_NE(parse_system(file.text, "kept.toml", "/nowhere").text.find("framepos"),
            std::string::npos);
}

TEST(MujocoReader, AModelInAnotherEncodingIsRefused) {
  const std::string model = replaced(kModel, "\xC3\xA9lan", "\xE9lan");
  const std::string told = message_of<InputError>([&] { parse_mujoco(kMujocoSystem, model); });
  EXPECT_TRUE(told.starts_with("rig.toml:5:")) << told;
}

struct MujocoMistake {
  std::string from, to, said;
};

class MujocoMistakes : public testing::TestWithParam<MujocoMistake> {};

TEST_P(MujocoMistakes, AreToldWithTheirPlace) {
  const auto& [from, to, said] = GetParam();
  const std::string told =
      message_of<InputError>([&] { parse_mujoco(replaced(kMujocoSystem, from, to)); });
  EXPECT_TRUE(told.starts_with("rig.toml:")) << told;
  EXPECT_NE(told.find(said), std::string::npos) << told;
}

INSTANTIATE_TEST_SUITE_P(
    All, MujocoMistakes,
    testing::Values(
        MujocoMistake{"\"rig.xml\"", "\"rg.xml\"", "5:9: cannot read the model"},
        MujocoMistake{"model = \"rig.xml\"", "", "[mujoco] needs 'model'"},
        MujocoMistake{"model = \"rig.xml\"", "xml = \"<mujco/>\"", "mujco"},
        MujocoMistake{"substeps = 4", "substeps = 0", "whole number from 1"},
        MujocoMistake{"substeps = 4", "subsets = 4", "did you mean 'substeps'?"},
        MujocoMistake{"substeps = 4", "keyframe = \"asid\"", "did you mean 'aside'?"},
        MujocoMistake{"horizon = 50", "horizon = 50\ntime_step = 0.1", "leave it out"},
        MujocoMistake{"joint = \"hinge\"", "joint = \"hing\"", "did you mean 'hinge'?"},
        MujocoMistake{"joint = \"rail\"", "joint = \"rail\"\nangle = true", "joint 'rail' slides"},
        MujocoMistake{"joint = \"rail\"", "", "'x' needs one of joint"},
        MujocoMistake{"velocity_of = \"rail\"", "velocity_of = \"tip\"", "unknown joint 'tip'"},
        MujocoMistake{"range = [-4, 4]", "", "'xdot' needs a finite 'range'"},
        MujocoMistake{"sensor = \"tip\"", "sensor = \"top\"", "did you mean 'tip'?"},
        MujocoMistake{"sensor = \"tip\"", "sensor = \"shock\"", "depend on the action"},
        MujocoMistake{"component = 2", "component = 3", "whole number from 0 to 2"},
        MujocoMistake{"component = 2", "", "say which by 'component = 0' to 2"},
        MujocoMistake{"component = 2", "component = 2\nstart = 1", "'start' belongs to joints"},
        MujocoMistake{"limits = [-2, 2]", "limits = [0, 2]", "'height' starts outside its limits"},
        MujocoMistake{"actuator = \"push\"", "actuator = \"pull\"", "unknown actuator 'pull'"},
        MujocoMistake{"actuator = \"push\"", "", "an action needs 'actuator'"},
        MujocoMistake{"[task]", "[[action]]\nname = \"again\"\nactuator = \"push\"\n[task]",
                      "moved by two actions"},
        MujocoMistake{"angle = true", "angle = true\nunit = \"deg\"", "are in rad"}));

TEST(BundledSystems, AllOpenAndStayNearTheirStart) {
  for (const std::string& name : bundled_names()) {
    const System system = bundled_system(name);
    EXPECT_EQ(system.spec().name, name);
    const Vector next =
        system.step(system.spec().start, Vector::Zero(system.spec().action_bounds.size()));
    EXPECT_LT((next - system.spec().start).norm(), 1e-3) << name;
  }
}

TEST(BundledSystems, UnknownNamesSuggestTheNearestOfAll) {
  EXPECT_NE(
      message_of<InputError>([] { bundled_system("acrobt"); }).find("did you mean 'acrobot'?"),
      std::string::npos);
}

}  // namespace
}  // namespace rhc
