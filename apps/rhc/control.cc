#include <fmt/format.h>
#include <sys/prctl.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "apps/rhc/commands.h"
#include "apps/rhc/lab.h"
#include "apps/rhc/stop_signals.h"
#include "apps/rhc/task_options.h"
#include "apps/rhc/threads_option.h"
#include "rhc/core/error.h"
#include "rhc/core/real_time_priority.h"
#include "rhc/core/text.h"
#include "rhc/core/version.h"
#include "rhc/format/files.h"
#include "rhc/plant/channel_plant.h"
#include "rhc/plant/live_program.h"
#include "rhc/plant/live_simulation.h"
#include "rhc/plant/plant_protocol.h"
#include "rhc/run/control_run.h"
#include "rhc/run/keep_control.h"
#include "rhc/run/solve_run.h"

namespace rhc::app {

namespace {

struct ControlOptions {
  std::string run, plant;
  double rate = 0, seconds = 60, delay = 0;
  int horizon = 0, threads = 1;
  bool learn = false, json = false;
  TaskOptions task;
};

constexpr std::string_view kUnixSocket = "unix:";
// By how much a step may last longer than those that were learned from.
constexpr double kSamePeriod = 0.01;

bool stop_heard() { return stop_signals_heard() > 0; }

void stop_if_heard() {
  if (stop_heard()) throw Interrupted{};
}

// Seconds between two steps.
double period_of(const ControlOptions& options, const SystemSpec& spec) {
  if (options.rate == 0) return spec.time_step;
  const double period = 1 / options.rate;
  // One second stands for time that is only counted.
  if (!options.plant.empty() && spec.time_step != 1 &&
      std::abs(period - spec.time_step) > kSamePeriod * spec.time_step)
    throw InputError(fmt::format(
        "--rate {}: the run has learned what happens in steps of {} s; leave it out, or "
        "give --rate {:.6g}",
        exact(options.rate), exact(spec.time_step), 1 / spec.time_step));
  return period;
}

// Whole steps of it.
int steps_of_delay(const ControlOptions& options, double period) {
  if (options.delay == 0) return 0;
  if (options.plant.empty())
    throw InputError("--delay is of a plant; a simulated system acts at once: leave it out");
  const double steps = options.delay / period;
  if (std::abs(steps - std::round(steps)) > 0.1)
    throw InputError(
        fmt::format("--delay {}: in steps of {} s it is {:.3g} steps, and only whole ones are "
                    "known; the nearest "
                    "are {:.6g} and {:.6g} s",
                    exact(options.delay), exact(period), steps, std::floor(steps) * period,
                    std::ceil(steps) * period));
  return static_cast<int>(std::lround(steps));
}

std::unique_ptr<LivePlant> open_live_plant(const ControlOptions& options, const RunRecord& run,
                                           const System& system, double period,
                                           const LiveClock& clock) {
  const Config& config = run.config;
  if (options.plant.empty()) {
    if (!system.spec().simulated)
      throw InputError(fmt::format(
          "'{}' is no system that rhc simulates: name the plant, --plant \"COMMAND\" or "
          "--plant unix:PATH",
          system.spec().name));
    return std::make_unique<LiveSimulation>(system, noise_levels(config, system.spec()),
                                            RandomStream(config.seed, "control"), clock,
                                            live_seconds(period));
  }
  if (options.plant.starts_with(kUnixSocket))
    return std::make_unique<ChannelPlant>(options.plant.substr(kUnixSocket.size()), system, period,
                                          config.plant.timeout, stop_if_heard);
  fmt::print(stderr, "rhc: starting the plant `{}`\n", on_one_line(options.plant));
  return std::make_unique<LiveProgram>(
      LiveProgramSettings{.command = options.plant,
                          .start_timeout = config.plant.start_timeout,
                          .timeout = config.plant.timeout,
                          .overdue = 2 * period},
      system, stop_if_heard);
}

// Where a machine stands that measures without being asked.
Trajectory standing_where(LivePlant& plant, const SystemSpec& spec, double seconds) {
  Vector seen;
  const LiveTime until = live_now() + live_seconds(seconds);
  while (live_now() < until) {
    stop_if_heard();
    const Heard heard = plant.wait(std::min(until, live_now() + live_seconds(0.05)), seen);
    if (heard.kind == Heard::measured) return standing_at(seen, spec.action_bounds.size());
    if (heard.kind == Heard::stopped) throw PlantStop(heard.why);
    if (heard.kind == Heard::gone) throw IoError("the plant is gone: " + heard.why);
  }
  throw IoError(fmt::format("the plant measured nothing within {} s", exact(seconds)));
}

int exit_code_of(ControlEnding ending) {
  switch (ending) {
    case ControlEnding::done:
      return kDone;
    case ControlEnding::interrupted:
      return kInterrupted;
    case ControlEnding::stopped:
      return kStopped;
    default:
      return kFailed;
  }
}

// What was learned on the way becomes the run's own. The machine is at rest by now, and a failure
// loses nothing: the mark stays.
void keep_learned(const LearningMark& mark, const ControlOptions& options, Json& summary) {
  try {
    if (!options.json) fmt::print("Learning from the log ...\n");
    std::fflush(stdout);
    const KeptControl kept = keep_control(mark, options.threads);
    for (const std::string& remark : kept.remarks) fmt::print(stderr, "rhc: {}\n", remark);
    summary["experiments"] = kept.experiments;
    if (!options.json) fmt::print("{}\n", in_words(kept));
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "rhc: what was learned is not kept yet: {}\nrhc: the next `rhc control`, `ask` or "
               "`tell` of this run does it\n",
               error.what());
  }
}

int control_plant(const ControlOptions& options) {
  keep_what_was_learned(options.run, options.threads);
  const RunRecord record = read_run(options.run);
  for (const std::string& remark : record.remarks())
    fmt::print(stderr, "rhc: {}: {}\n", record.path.string(), remark);
  const System system = system_of(record);
  const double period = period_of(options, system.spec());
  const int delay = steps_of_delay(options, period);
  const bool simulated = options.plant.empty() && options.rate == 0;
  const LiveClock clock = simulated ? simulated_clock() : machine_clock();
  // Every one is heard, and none ends the program before the plant is at rest.
  count_stop_signals();

  SolveSettings how{.task = task_change(options.task, record.spec),
                    .horizon = options.horizon,
                    .threads = options.threads,
                    .stop_requested = stop_heard};
  std::unique_ptr<LivePlant> plant;
  // Only one on the channel says where it stands before it moves.
  if (options.plant.starts_with(kUnixSocket)) {
    plant = open_live_plant(options, record, system, period, clock);
    how.before = standing_where(*plant, system.spec(), record.config.plant.timeout);
  }
  const Solution solution = solve_run(record, how);
  for (const std::string& remark : solution.remarks) fmt::print(stderr, "rhc: {}\n", remark);
  if (solution.plan.status == PlanStatus::failed)
    throw LearningError("no plan of the task was found, so nothing is moved");
  Controller controller(solution.model, solution.spec,
                        {.horizon = options.horizon,
                         .stay_inside = solution.stay_inside,
                         .learn = options.learn,
                         .delay = delay,
                         .seed = record.config.seed});
  controller.start(solution.before, solution.plan.actions);
  if (!plant) plant = open_live_plant(options, record, system, period, clock);

  ControlLog log(record.path, solution.spec);
  std::optional<LearningMark> mark;
  if (options.learn && record.lab) mark.emplace(record.path, log.number(), delay);
  if (auto* program = dynamic_cast<LiveProgram*>(plant.get())) program->log_to(log.file(".log"));
  const ControlLoopSettings loop{.period = period,
                                 .seconds = options.seconds,
                                 .start_timeout = record.config.plant.start_timeout};
  // Woken when it is time, not some time later together with others.
  ::prctl(PR_SET_TIMERSLACK, 1000);
  // A simulation that is not held up has no deadlines. The log's thread can wait.
  std::optional<RealTimePriority> priority;
  if (!simulated) priority.emplace();
  const bool first_of_all = priority && priority->granted();
  ControlSummary summary =
      control(controller, *plant, clock, solution.spec.start, loop, &log, stop_heard);
  priority.reset();
  plant->close();
  log.finish();
  summary.log_failure = log.failure();

  Json json = control_json(summary);
  json["rhc"] = version();
  json["plant"] = options.plant;
  json["learning"] = options.learn;
  json["delay"] = delay;
  json["real_time"] = first_of_all;
  json["horizon"] = solution.spec.horizon;
  const auto write_summary = [&] {
    seal_control(json, log);
    write_atomically(log.file(".json"), dump_any(json, 1) + "\n");
  };
  write_summary();
  if (!options.json) fmt::print("{}Log: {}\n", in_words(summary), log.file(".csv").string());
  if (mark) {
    release_stop_signals();
    keep_learned(*mark, options, json);
    write_summary();
  } else if (options.learn && !options.json) {
    fmt::print(
        "What it learned is not kept: rhc carries this run out by itself, from its own "
        "experiments\n"
        "alone. A run that was begun with `rhc new` keeps it\n");
  }
  if (options.json) fmt::print("{}\n", dump_any(json));
  if (!options.json && summary.missed_deadlines() > 0 && !first_of_all)
    fmt::print(
        "This system gives no real-time priority; as root, or with `ulimit -r 10`, fewer "
        "deadlines are missed\n");
  return exit_code_of(summary.ending);
}

}  // namespace

void add_control(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<ControlOptions>();
  CLI::App* command = program.add_subcommand(
      "control",
      "Run a machine in real time with what a run has learned: estimation, feedback and a new "
      "plan\n"
      "at every step; the action at rest at the end, and before anything else where there is\n"
      "trouble. Exit code 3: the plant stopped, 1: it is gone, 130: Ctrl-C\n"
      "Example: rhc control runs/lab --plant unix:/tmp/motor.sock --seconds 60");
  command->add_option("run", options->run, "Run directory")->type_name("RUN")->required();
  command
      ->add_option("--plant", options->plant,
                   "unix:PATH, a plant on the fast channel, or a program to be started that\n"
                   "speaks JSON lines (docs/protocol.md); without it the run's simulated system")
      ->type_name("PLANT");
  command
      ->add_option("--rate", options->rate,
                   "Steps in a second (default: as the run's; a simulation is then not held up)")
      ->check(CLI::PositiveNumber);
  command->add_option("--seconds", options->seconds, "How long (default 60)")
      ->check(CLI::PositiveNumber);
  command
      ->add_option(
          "--delay", options->delay,
          "Seconds until an action is seen to act, beyond what the model has learned of it: a\n"
          "whole number of steps")
      ->check(CLI::Range(0.0, 1e6));
  command
      ->add_option("--horizon", options->horizon, "Steps of a plan (default: as an experiment has)")
      ->check(CLI::Range(1, 100000));
  command->add_flag(
      "--learn", options->learn,
      "Go on learning from every step; what tells\nmost becomes experiments of a run of `rhc new`");
  command->add_flag("--json", options->json, "Print the summary as one JSON object");
  add_task_options(*command, options->task);
  add_threads_option(*command, options->threads);
  command->callback([options, &exit_code] {
    try {
      exit_code = control_plant(*options);
    } catch (const Interrupted&) {
      fmt::print(stderr, "rhc: interrupted before anything moved\n");
      exit_code = kInterrupted;
    }
  });
}

}  // namespace rhc::app
