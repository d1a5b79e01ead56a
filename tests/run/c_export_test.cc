// The exported program is compiled and loaded, and does what the library's own controller does.
#include "rhc/run/c_export.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include "rhc/core/error.h"
#include "rhc/explore/campaign.h"
#include "rhc/plan/plan_with_model.h"
#include "rhc/plan/signals.h"
#include "rhc/run/learned_model.h"
#include "rhc/system/nominal.h"
#include "rhc/system/pendulum.h"
#include "tests/small_run.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

// A machine that is simulated here: a hanging arm or a mass on a spring, pushed by one force or
// two, of which the second counts half.
struct ExportedMachine {
  std::string name, toml;
  Sharing posterior;
  bool arm;        // or a spring
  double degrees;  // in which an angle is measured: 180 / pi, or 1 for radians
  bool sees_speed;

  Vector step(Vector x, const Vector& actions, double push = 0) const {
    const double force = actions[0] + (actions.size() > 1 ? 0.5 * actions[1] : 0) + push;
    for (int i = 0; i < 50; ++i) {
      const double pull = arm ? 12 * std::sin(x[0]) : 16 * x[0];
      x[1] += 0.001 * (10 * force - pull - 0.8 * x[1]);
      x[0] += 0.001 * x[1];
    }
    return x;
  }
  Vector measured(const Vector& x) const {
    const Vector all = degrees * x;
    return sees_speed ? all : Vector(all.head(1));
  }
};

void PrintTo(const ExportedMachine& machine, std::ostream* out) { *out << machine.name; }

std::string machine_toml(const std::string& top, const std::string& position,
                         const std::string& speed, const std::string& action) {
  return "name = \"machine\"\ntime_step = 0.05\nhorizon = 25\n" + top +
         "\n[[observation]]\nname = \"place\"\nstart = 0\n" + position +
         (speed.empty() ? "" : "\n[[observation]]\nname = \"speed\"\nstart = 0\n" + speed) +
         "\n[[action]]\nname = \"force\"\nbounds = [-2, 2]\n" + action +
         "\n[task]\ntarget = { place = 0.7 }\nweight = { place = 1 }\n"
         "action_weight = { force = 0.01 }\n";
}

const double kDegrees = 180 / std::acos(-1.0);

std::vector<ExportedMachine> exported_machines() {
  const std::string linear = "range = [-2, 2]", speed = "range = [-9, 9]";
  return {
      {"spring", machine_toml("", linear, speed, ""), Sharing::shared, false, 1, true},
      {"affine_features", machine_toml("", linear, speed, ""), Sharing::separate, false, 1, true},
      {"history", machine_toml("history = 3", linear, "", ""), Sharing::separate, false, 1, false},
      {"rate", machine_toml("", linear, speed, "rate = 15"), Sharing::shared, false, 1, true},
      {"rate_and_history", machine_toml("history = 2", linear, "", "rate = 15"), Sharing::shared,
       false, 1, false},
      {"kinematics",
       machine_toml("", linear, speed + "\nunit = \"m/s\"\nderivative_of = \"place\"", ""),
       Sharing::separate, false, 1, true},
      {"angle", machine_toml("", "angle = true", speed, ""), Sharing::shared, true, 1, true},
      {"angle_in_degrees_with_kinematics_and_rate",
       machine_toml("", "angle = true\nunit = \"deg\"",
                    "range = [-500, 500]\nunit = \"deg/s\"\nderivative_of = \"place\"",
                    "rate = 15\nrest = 0.1"),
       Sharing::separate, true, kDegrees, true},
      {"two_actions",
       machine_toml("history = 2", linear, "",
                    "rate = 15\n[[action]]\nname = \"brake\"\nbounds = [-1, 2]\nrest = 0.5"),
       Sharing::separate, false, 1, false},
      {"angle_with_history", machine_toml("history = 2", "angle = true", "", ""), Sharing::shared,
       true, 1, false},
  };
}

// What was learned of it in two experiments, and the plan of its task.
Solution solution_of(const ExportedMachine& machine, const TaskChange& task = {}) {
  const System system = parse_system(machine.toml, "machine.toml", ".").system;
  SystemSpec spec = system.spec();
  Config config = preset("default", spec);
  config.system = spec.name;
  config.model.posterior = machine.posterior;
  config.model.features = 24;
  config.model.output_features = 16;
  config.model.forecast_features = 30;
  config.model.evidence_starts = 2;
  config.plan.learn_limits = false;
  Campaign campaign(config, system, 1);
  for (int episode = 0; episode < 2; ++episode) {
    RandomStream random(4, "export", static_cast<std::uint64_t>(episode));
    const Matrix actions = with_limited_rate(spec, coloured_signal(spec.action_bounds, 60, random),
                                             action_at_rest(spec));
    Trajectory seen{Matrix(spec.outputs(), 61), actions};
    Vector x = Vector::Zero(2);
    for (Index t = 0; t <= 60; ++t) {
      Vector measured = machine.measured(x);
      for (double& value : measured) value += machine.degrees * 0.004 * random.normal();
      seen.observations.col(t) = system.observe(measured);
      if (t < 60) x = machine.step(x, actions.col(t));
    }
    campaign.tell(seen);
  }
  spec.task = changed_task(spec, task).task;
  const Trajectory before = standing_at(system.observe(spec.start), spec.action_bounds.size());
  Solution solution{.model = *campaign.model(),
                    .spec = spec,
                    .before = before,
                    .stay_inside = true,
                    .sigmas = 0,
                    .plan = plan_task_from(*campaign.model(), spec, before, true, 0, 0,
                                           {.starts = 2, .threads = 1, .seed = 1}),
                    .forecast = {},
                    .corrected_by = {},
                    .gains = {},
                    .remarks = {}};
  EXPECT_NE(solution.plan.status, PlanStatus::failed);
  return solution;
}

// The file as a library that is loaded.
class LoadedController {
 public:
  LoadedController(const std::string& code, const std::string& flags = "",
                   const std::string& compiler = "cc") {
    dir_.write("controller.c", code);
    const std::string path = dir_.path().string();
    const std::string command = fmt::format(
        "{} -std=c99 -Wall -Wextra -Werror -pedantic -O1 {} -shared -fPIC -o "
        "{}/controller.so {}/controller.c -lm > {}/words 2>&1",
        compiler, flags, path, path, path);
    if (std::system(command.c_str()) != 0) {
      ADD_FAILURE() << slurp(dir_.path() / "words");
      return;
    }
    library_ = dlopen((path + "/controller.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) ADD_FAILURE() << dlerror();
  }
  ~LoadedController() {
    if (library_) dlclose(library_);
  }
  LoadedController(const LoadedController&) = delete;
  LoadedController& operator=(const LoadedController&) = delete;

  explicit operator bool() const { return library_ != nullptr; }
  void start() const { reinterpret_cast<void (*)()>(dlsym(library_, "rhc_start"))(); }

  template <class Real>
  int step(const Real* measured, Real* action) const {
    return reinterpret_cast<int (*)(const Real*, Real*)>(dlsym(library_, "rhc_step"))(measured,
                                                                                      action);
  }

 private:
  TemporaryDirectory dir_;
  void* library_ = nullptr;
};

const ControllerOrigin kOrigin{
    .run = "machine", .commit = "", .experiments = 2, .transitions = 120};

enum Source { kWaits, kFollows, kHolds, kRests };

// As if the weights were known: then the doubt along the plan, which the exported file goes by, is
// that of any state.
Solution certain(Solution solution) {
  std::vector<Matrix> weights;
  for (const OutputGroup& group : solution.model.regression.groups)
    weights.push_back(group.posterior.weights);
  solution.model.weight_draws = {weights};
  return solution;
}

Controller own_controller(const Solution& solution) {
  Controller own(solution.model, solution.spec,
                 {.stay_inside = solution.stay_inside, .remove_offset = false});
  own.start(solution.before, solution.plan.actions);
  return own;
}

// What both do with a machine that is pushed, and whose measurements are noisy, lost and absurd.
struct Compared {
  double farthest = 0, corrected = 0;
  int held = 0, rejected = 0;
};

Compared compare(const ExportedMachine& machine, const Solution& solution,
                 const LoadedController& exported, Index steps) {
  const System system = parse_system(machine.toml, "machine.toml", ".").system;
  Controller own = own_controller(solution);
  RandomStream random(7, "measurements");
  Vector x = Vector::Zero(2);
  Compared result;
  exported.start();
  for (Index t = 0; t < steps; ++t) {
    Vector measured = machine.measured(x);
    for (double& value : measured) value += machine.degrees * 0.004 * random.normal();
    const bool lost = t == 5 || t == 6 || t == 15;
    if (t == 10) measured[0] += machine.degrees * 1.5;  // absurd
    const Vector observed = system.observe(measured);
    const Vector expected = own.act(lost ? nullptr : &observed);
    Vector action = Vector::Zero(expected.size());
    const int source = exported.step(lost ? nullptr : measured.data(), action.data());
    result.held += source == kHolds ? 1 : 0;
    EXPECT_EQ(source == kHolds, own.last().source == ActionSource::regulator) << t;
    EXPECT_TRUE(solution.spec.action_bounds.contains(action));
    result.farthest = std::max(result.farthest, (action - expected).cwiseAbs().maxCoeff());
    if (t < solution.plan.actions.cols())
      result.corrected =
          std::max(result.corrected, (action - solution.plan.actions.col(t)).cwiseAbs().maxCoeff());
    x = machine.step(x, action, t >= 8 && t < 11 ? 0.05 : 0);
  }
  result.rejected = static_cast<int>(own.last().rejected);
  return result;
}

class CExportOf : public testing::TestWithParam<ExportedMachine> {};

TEST_P(CExportOf, ActsAsTheProgramsController) {
  const Solution solution = certain(solution_of(GetParam()));
  const LoadedController exported(c_controller(solution, kOrigin));
  ASSERT_TRUE(exported);
  const Compared result = compare(GetParam(), solution, exported, 50);
  EXPECT_LE(result.farthest, 1e-9 * 2);
  EXPECT_GT(result.corrected, 1e-3) << "feedback had something to do";
  EXPECT_EQ(result.rejected, 1);
  EXPECT_EQ(result.held, 25);
}

// What the model does not know is taken along the plan, and not where the system is: a difference
// of the filter's gains that a machine near its plan does not feel.
TEST_P(CExportOf, ActsNearlyAsThatWithTheModelsDoubt) {
  const Solution solution = solution_of(GetParam());
  const LoadedController exported(c_controller(solution, kOrigin));
  ASSERT_TRUE(exported);
  const double farthest = compare(GetParam(), solution, exported, 50).farthest;
  RecordProperty("farthest", fmt::format("{:.3g}", farthest));
  EXPECT_LE(farthest, 0.01 * 2);
}

INSTANTIATE_TEST_SUITE_P(Machines, CExportOf, testing::ValuesIn(exported_machines()),
                         [](const auto& machine) { return machine.param.name; });

const ExportedMachine& spring() {
  static const ExportedMachine machine = exported_machines()[0];
  return machine;
}
const ExportedMachine& rated() {
  static const ExportedMachine machine = exported_machines()[3];
  return machine;
}

TEST(CExport, WaitsForTheFirstMeasurement) {
  const LoadedController exported(c_controller(solution_of(spring()), kOrigin));
  ASSERT_TRUE(exported);
  exported.start();
  double action = 1;
  for (int t = 0; t < 40; ++t) EXPECT_EQ(exported.step<double>(nullptr, &action), kWaits);
  EXPECT_EQ(action, 0);
  const double here[2] = {0, 0};
  EXPECT_EQ(exported.step(here, &action), kFollows);
  EXPECT_NE(action, 0);
}

TEST(CExport, GoesToRestWhereMeasurementsAreMissingForLong) {
  const Solution solution = solution_of(rated());
  const LoadedController exported(c_controller(solution, kOrigin));
  ASSERT_TRUE(exported);
  const double here[2] = {0, 0}, nowhere[2] = {std::nan(""), 0};
  double action = 0, before = 0;
  for (int run = 0; run < 2; ++run) {
    exported.start();
    before = 0;
    EXPECT_EQ(exported.step(here, &before), kFollows);
    int blind = 0, source = kFollows;
    while (source != kRests && blind < 100) {
      // What is no number counts as nothing.
      source = exported.step(blind % 2 == 0 ? nullptr : nowhere, &action);
      EXPECT_LE(std::abs(action - before), 15 * 0.05 + 1e-12) << "the rate is kept";
      before = action;
      ++blind;
    }
    EXPECT_LE(blind, ControlSettings{}.most_blind + 1);
    for (int t = 0; t < 5; ++t) EXPECT_EQ(exported.step<double>(here, &action), kRests);
    EXPECT_EQ(action, 0) << "and stays there until it is started again";
  }
}

TEST(CExport, IsAsGoodInSinglePrecision) {
  const ExportedMachine machine = exported_machines()[7];
  const Solution solution = solution_of(machine);
  const std::string code = c_controller(solution, kOrigin);
  const LoadedController exact(code), single(code, "-DRHC_FLOAT");
  ASSERT_TRUE(exact && single);
  exact.start();
  single.start();
  Vector x = Vector::Zero(2);
  RandomStream random(9, "single precision");
  for (int t = 0; t < 50; ++t) {
    Vector measured = machine.measured(x);
    for (double& value : measured) value += machine.degrees * 0.004 * random.normal();
    const float seen[2] = {static_cast<float>(measured[0]), static_cast<float>(measured[1])};
    double action = 0;
    float rounded = 0;
    exact.step(measured.data(), &action);
    single.step(seen, &rounded);
    EXPECT_NEAR(action, static_cast<double>(rounded), 1e-3) << t;
    x = machine.step(x, Vector::Constant(1, action));
  }
}

TEST(CExport, CompilesWithClangAndAsAHeader) {
  const std::string code = c_controller(solution_of(rated()), kOrigin);
  EXPECT_TRUE(LoadedController(code + "\n#define RHC_DECLARATIONS_ONLY\n" + code));
  if (std::system("clang --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no clang";
  EXPECT_TRUE(LoadedController(code, "", "clang"));
}

TEST(CExport, SaysWhatItIsWhateverThingsAreCalled) {
  ExportedMachine machine = spring();
  Solution solution = solution_of(machine);
  solution.spec.observation[0] = {"place",
                                  "*/ m /* ?"
                                  "?/"};
  solution.spec.state[0] = solution.spec.observation[0];
  const std::string code = c_controller(solution, {"a*/b", "0123abc", 2, 120});
  EXPECT_TRUE(LoadedController(code));
  EXPECT_NE(code.find("made by rhc"), std::string::npos);
  EXPECT_NE(code.find("(0123abc) from the run 'a* /b'"), std::string::npos);
  EXPECT_NE(code.find("Learned from 2 experiments, 120 transitions. The plan has 25 steps of 0.05"),
            std::string::npos);
  EXPECT_NE(code.find("action[0]    force, from -2 to 2; 0 at rest"), std::string::npos);
}

TEST(CExport, RefusesInWordsWhatItCannotHold) {
  Solution nominal = solution_of(spring());
  nominal.model.regression.known = {
      .change = [](const Vector& o, const Vector&) { return Vector::Zero(o.size()).eval(); },
      .acted = 1,
      .whole = true,
      .words = "nominal model 'spring'"};
  EXPECT_NE(message_of<InputError>([&] {
              c_controller(nominal, kOrigin);
            }).find("adds to a nominal model 'spring', which is a simulator of its own"),
            std::string::npos);
  Solution failed = solution_of(spring());
  failed.plan.status = PlanStatus::failed;
  EXPECT_NE(
      message_of<InputError>([&] { c_controller(failed, kOrigin); }).find("no plan to export"),
      std::string::npos);
  Solution network = solution_of(spring());
  FourierFeatures& features = network.model.regression.groups[0].posterior.features;
  features.hidden.push_back({Matrix::Zero(4, features.inputs()), Vector::Zero(4)});
  EXPECT_NE(message_of<InputError>([&] {
              c_controller(network, kOrigin);
            }).find("features are those of a network"),
            std::string::npos);
}

}  // namespace
}  // namespace rhc
