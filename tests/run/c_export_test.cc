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
#include "rhc/plan/task_controller.h"
#include "rhc/run/learned_model.h"
#include "rhc/system/nominal.h"
#include "tests/small_run.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

// A machine that is simulated here: a hanging arm or a mass on a spring, pushed by one force.
struct ExportedMachine {
  std::string name, toml;
  Sharing posterior;
  bool arm;        // or a spring
  double degrees;  // in which an angle is measured: 180 / pi, or 1 for radians
  bool sees_speed;

  Vector step(Vector x, double force) const {
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
      if (t < 60) x = machine.step(x, actions(0, t));
    }
    campaign.tell(seen);
  }
  spec.task = changed_task(spec, task).task;
  const Trajectory before = standing_at(system.observe(spec.start), 1);
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

enum Source { kWaits, kFollows, kHolds, kRests };

// The library's controller, but that what the model does not know of a step is taken along the
// plan, as in the exported file.
class DoubtAlongPlan final : public ControlModel {
 public:
  DoubtAlongPlan(const Solution& solution, const ControllerTables& tables)
      : of_(solution.model, solution.spec, solution.stay_inside), tables_(tables) {}

  PlanProblem task(const Vector& state, Index horizon) const override {
    return of_.task(state, horizon);
  }
  ExpectedMeasurement expected(const Vector& state) const override { return of_.expected(state); }
  Vector sensor_variance() const override { return of_.sensor_variance(); }
  Vector step_variance(const Vector& state, const Vector&) const override {
    Vector variance = Vector::Zero(state.size());
    const Index t = std::min(steps_++, tables_.spread.cols() - 1);
    variance.head(tables_.spread.rows()) = tables_.spread.col(t);
    return variance;
  }
  void settle(Vector& state) const override { of_.settle(state); }
  Vector action(const Vector& state, const Vector& control) const override {
    return of_.action(state, control);
  }
  Matrix controls(const Matrix& actions) const override { return of_.controls(actions); }
  Vector repeated(const Vector& control) const override { return of_.repeated(control); }

  StateEstimate begin(const Vector& observed) const {
    return of_.measured_to_be(standing_at(observed, 1));
  }

 private:
  const ControlByModel of_;
  const ControllerTables& tables_;
  mutable Index steps_ = 0;
};

class CExportOf : public testing::TestWithParam<ExportedMachine> {};

TEST_P(CExportOf, ActsAsTheProgramsController) {
  const ExportedMachine& machine = GetParam();
  const Solution solution = solution_of(machine);
  const System system = parse_system(machine.toml, "machine.toml", ".").system;
  const LoadedController exported(c_controller(
      solution, {.run = "machine", .commit = "", .experiments = 2, .transitions = 120}));
  ASSERT_TRUE(exported);
  const ControllerTables tables = controller_tables(solution);
  const DoubtAlongPlan model(solution, tables);

  RandomStream random(7, "measurements");
  Vector x = Vector::Zero(2);
  exported.start();
  std::optional<TaskController> own;
  double farthest = 0, moved = 0;
  for (Index t = 0; t < solution.plan.actions.cols(); ++t) {
    Vector measured = machine.measured(x);
    // The library's controller follows the plan again from where it begins, so that is exact.
    if (t > 0)
      for (double& value : measured) value += machine.degrees * 0.004 * random.normal();
    const Vector observed = system.observe(measured);
    if (!own)
      own.emplace(model, model.begin(observed), solution.plan.actions,
                  ControllerSettings{.replan = 0});
    const double expected = own->step(observed)[0];
    double action = 0;
    EXPECT_EQ(exported.step(measured.data(), &action), kFollows);
    EXPECT_LE(std::abs(action), 2);
    farthest = std::max(farthest, std::abs(action - expected));
    moved = std::max(moved, std::abs(action - solution.plan.actions(0, t)));
    // Pushed from outside in the middle.
    x = machine.step(x, action + (t >= 8 && t < 11 ? 0.3 : 0));
  }
  EXPECT_LE(farthest, 1e-9 * 2);
  EXPECT_GT(moved, 1e-3) << "feedback had something to do";
}

INSTANTIATE_TEST_SUITE_P(Machines, CExportOf, testing::ValuesIn(exported_machines()),
                         [](const auto& machine) { return machine.param.name; });

}  // namespace
}  // namespace rhc
