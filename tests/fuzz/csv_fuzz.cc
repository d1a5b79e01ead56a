// Tables of a trajectory, a forecast and actions alone, and what a logger wrote of a real system;
// and what a task is to follow.
#include "rhc/describe/draft.h"
#include "rhc/describe/measured.h"
#include "rhc/describe/reference_file.h"
#include "rhc/describe/task_change.h"
#include "rhc/store/trajectory_csv.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/pendulum.h"
#include "tests/fuzz/input.h"

using namespace rhc;

namespace {

constexpr char kBench[] = R"(
name = "bench"
time_step = 0.1
horizon = 5
observation = [{name = "angle", unit = "rad", angle = true, start = 0},
               {name = "x", unit = "m", start = 0, limits = [-2, 2]}]
action = [{name = "u", unit = "V", bounds = [-1, 1]}]
)";

void read_log(std::string_view text) {
  static const SystemFile system = parse_system(kBench, "bench.toml", {});
  for (const bool resample : {false, true}) {
    refused_or([&] {
      const Measured measured = parse_measured(text, "log.csv", system,
                                               {.resample = resample, .delay = 0, .actions = {}});
      const Trajectory& trajectory = measured.trajectory;
      promised(trajectory.observations.allFinite() && trajectory.actions.allFinite());
      promised(trajectory.observations.cols() == trajectory.actions.cols() + 1);
    });
  }
  refused_or([&] {
    const SystemSpec& spec = system.system.spec();
    const Matrix reference = parse_reference(text, "reference.csv", spec);
    promised(reference.rows() == spec.outputs() && reference.cols() > 0);
    promised(changed_task(spec, {.reference = reference}).task.reference.allFinite());
  });
  refused_or([&] { parse_assignments(text, "--target"); });
  refused_or([&] {
    const Draft draft = draft_description(text, "log.csv", {});
    // Names may clash; all else is as a description must be.
    try {
      const SystemFile drafted = parse_system(draft.toml, "draft.toml", {});
      promised(drafted.system.spec().time_step > 0);
    } catch (const InputError& error) {
      promised(std::string_view(error.what()).find("while parsing") == std::string_view::npos);
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_log(as_text(data, size));
  const auto file = as_file(as_text(data, size));
  for (const SystemSpec& spec : {Pendulum{}.spec(), Cartpole{}.spec()}) {
    refused_or([&] {
      const Trajectory trajectory = read_trajectory(file, spec);
      promised(trajectory.observations.allFinite() && trajectory.actions.allFinite());
      // What was read is written so that it reads the same.
      const Trajectory again = read_trajectory(as_file(trajectory_csv(spec, trajectory)), spec);
      promised(again.observations == trajectory.observations &&
               again.actions == trajectory.actions);
      as_file(as_text(data, size));
    });
    refused_or([&] { read_forecast(file, spec); });
    refused_or([&] { promised(read_actions(file, spec).allFinite()); });
  }
  return 0;
}
