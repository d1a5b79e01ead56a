#include "rhc/store/trajectory_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/format/csv_table.h"
#include "rhc/format/files.h"

namespace rhc {

namespace {

std::vector<std::string> forecast_columns(const SystemSpec& spec) {
  std::vector<std::string> names = names_of(spec.observation);
  for (const Quantity& quantity : spec.observation) names.push_back(quantity.name + "_sd");
  return names;
}

constexpr char kEnded[] = "ended";

// A row a step; `states` has one column more than `actions`.
std::string steps_csv(const std::vector<std::string>& state_names, const Matrix& states,
                      const std::vector<std::string>& action_names, const Matrix& actions,
                      bool ended = false) {
  std::string text =
      fmt::format("step,{},{}{}\n", fmt::join(state_names, ","), fmt::join(action_names, ","),
                  ended ? std::string(",") + kEnded : "");
  for (Index t = 0; t < states.cols(); ++t) {
    text += std::to_string(t);
    for (const double value : states.col(t)) text += "," + exact(value);
    for (Index k = 0; k < actions.rows(); ++k) {
      text += ",";
      if (t < actions.cols()) text += exact(actions(k, t));
    }
    if (ended) text += t < actions.cols() ? ",0" : ",1";
    text += "\n";
  }
  return text;
}

// A quantity may have the column's name, too: then there is one column more of it.
bool ended_by(const CsvTable& table, const SystemSpec& spec) {
  const std::size_t quantities = 1 + spec.observation.size() + spec.action.size();
  return table.columns().size() > quantities && table.columns().back() == kEnded &&
         table.last_cell() == "1";
}

}  // namespace

std::string trajectory_csv(const SystemSpec& spec, const Trajectory& trajectory) {
  return steps_csv(names_of(spec.observation), trajectory.observations, names_of(spec.action),
                   trajectory.actions, trajectory.ended);
}

std::string forecast_csv(const SystemSpec& spec, const Forecast& forecast) {
  Matrix both(2 * forecast.mean.rows(), forecast.mean.cols());
  both << forecast.mean, forecast.deviation;
  return steps_csv(forecast_columns(spec), both, names_of(spec.action), forecast.actions);
}

Forecast read_forecast(const std::filesystem::path& path, const SystemSpec& spec) {
  const CsvTable table(path);
  const Matrix both = table.numbers(forecast_columns(spec)).transpose();
  const Matrix actions = table.numbers(names_of(spec.action), true).transpose();
  if (both.cols() != actions.cols() + 1)
    throw InputError(
        fmt::format("{}: {} observations and {} actions; a forecast has one observation more",
                    path.string(), both.cols(), actions.cols()));
  return {both.topRows(spec.outputs()), both.bottomRows(spec.outputs()), actions};
}

std::string actions_csv(const SystemSpec& spec, const Matrix& actions) {
  std::string text = fmt::format("step,{}\n", fmt::join(names_of(spec.action), ","));
  for (Index t = 0; t < actions.cols(); ++t) {
    text += std::to_string(t);
    for (const double value : actions.col(t)) text += "," + exact(value);
    text += "\n";
  }
  return text;
}

Trajectory read_trajectory(const std::filesystem::path& path, const SystemSpec& spec) {
  return parse_trajectory(read_text(path), path.string(), spec);
}

Trajectory parse_trajectory(std::string_view text, const std::string& path,
                            const SystemSpec& spec) {
  const CsvTable table(text, path, {});
  Trajectory trajectory{table.numbers(names_of(spec.observation)).transpose(),
                        table.numbers(names_of(spec.action), true).transpose()};
  if (trajectory.observations.cols() != trajectory.actions.cols() + 1)
    throw InputError(
        fmt::format("{}: {} observations and {} actions; a trajectory has one observation more",
                    path, trajectory.observations.cols(), trajectory.actions.cols()));
  trajectory.ended = ended_by(table, spec);
  return trajectory;
}

Matrix read_actions(const std::filesystem::path& path, const SystemSpec& spec) {
  return parse_actions(read_text(path), path.string(), spec);
}

Matrix parse_actions(std::string_view text, const std::string& path, const SystemSpec& spec) {
  std::vector<std::string> names = names_of(spec.action);
  const CsvTable table(text, path, names);
  if (names.size() == 1 && !table.has(names[0]) && table.has("action")) names = {"action"};
  return table.numbers(names, true).transpose();
}

}  // namespace rhc
