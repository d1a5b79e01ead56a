#include "rhc/run/validate_run.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/describe/log_file.h"
#include "rhc/format/crc32.h"
#include "rhc/format/files.h"
#include "rhc/run/learned_model.h"

namespace rhc {

namespace {

// How a log of this run is read. A system that is simulated has no measures of its own.
SystemFile reading_of(const RunRecord& run) {
  if (!run.description.empty())
    if (SystemFile described = system_file_of(run); !described.measures.empty()) return described;
  std::vector<Measure> measures;
  for (const Quantity& quantity : run.spec.observation) measures.push_back({quantity});
  return {{}, std::move(measures), system_of(run)};
}

bool same_data(const Trajectory& a, const Trajectory& b) {
  return a.steps() == b.steps() && a.observations == b.observations && a.actions == b.actions;
}

// Which episode has these data; 0: none.
int learned_as(const RunRecord& run, const Trajectory& log) {
  for (std::size_t i = 0; i < run.episodes.size(); ++i)
    if (run.episodes[i] && run.episodes[i]->steps() > 0 && same_data(*run.episodes[i], log))
      return static_cast<int>(i) + 1;
  return 0;
}

// Which experiment was told from a file with this content, in whatever way it was read; 0: none.
int told_as(const RunRecord& run, const std::string& text) {
  for (int n = 1; run.lab && n <= run.lab->notes.count(); ++n) {
    const ExperimentNote& note = run.lab->notes[n];
    const auto told = note.files.find(episode_name("measured", n));
    if (has_data(note.state) && told != note.files.end() && told->second == crc32(text)) return n;
  }
  return 0;
}

void note_learned(int episode, ValidationLog& log) {
  if (episode > 0)
    log.remarks.push_back(fmt::format(
        "the run has learned from it, as episode {}: it says nothing about what is new", episode));
}

void note_limits(const SystemSpec& spec, ValidationLog& log) {
  for (Index t = 0; t <= log.trajectory.steps(); ++t) {
    const Index i = spec.limits.first_outside(log.trajectory.observations.col(t));
    if (i < 0) continue;
    log.remarks.push_back(
        fmt::format("'{}' is outside its limits [{}, {}] at step {}; nothing is learned there",
                    spec.observation[static_cast<std::size_t>(i)].name, spec.limits.lower[i],
                    spec.limits.upper[i], t));
    return;
  }
}

}  // namespace

ValidationLog validation_log(const RunRecord& run, const std::string& name, Trajectory trajectory) {
  ValidationLog log{name, std::move(trajectory)};
  note_limits(run.spec, log);
  note_learned(learned_as(run, log.trajectory), log);
  return log;
}

ValidationLog read_validation_log(const RunRecord& run, const std::filesystem::path& file,
                                  const MeasuredSettings& settings) {
  const std::string text = read_log(file);
  Measured measured = parse_measured(text, file.string(), reading_of(run), settings);
  const int learned = learned_as(run, measured.trajectory);
  ValidationLog log = validation_log(run, file.string(), std::move(measured.trajectory));
  if (learned == 0) note_learned(told_as(run, text), log);
  log.remarks.insert(log.remarks.begin(), measured.remarks.begin(), measured.remarks.end());
  return log;
}

ValidationRecord validate_run(const RunRecord& run, const std::vector<ValidationLog>& logs,
                              const ValidationSettings& settings) {
  const Index needed = rows_to_validate(run.spec.history, settings.steps);
  std::vector<Trajectory> trajectories;
  std::vector<std::string> names;
  for (const ValidationLog& log : logs) {
    const Index rows = log.trajectory.observations.cols();
    if (rows < needed)
      throw InputError(fmt::format(
          "{}: {} rows are too few to forecast {} steps{}: at least {} are needed; give "
          "a longer log, or forecast fewer steps",
          log.name, rows, settings.steps,
          run.spec.history > 1 ? fmt::format(" from a history of {} rows", run.spec.history) : "",
          needed));
    trajectories.push_back(log.trajectory);
    names.push_back(log.name);
  }
  const std::optional<DynamicsModel> model = learned_model(run);
  if (!model)
    throw InputError(fmt::format(
        "'{}' has learned nothing yet, so there is no model to validate; {}", run.path.string(),
        run.lab ? fmt::format("`rhc tell {} FILE` teaches it", run.path.string())
                : fmt::format("`rhc resume {}` goes on", run.path.string())));
  return {.validation = validate(*model, trajectories, settings),
          .observations = names_of(run.spec.observation),
          .logs = std::move(names),
          .transitions = model->regression.count()};
}

}  // namespace rhc
