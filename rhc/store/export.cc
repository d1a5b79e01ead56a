#include "rhc/store/export.h"

#include <cmath>
#include <functional>
#include <limits>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/format/npz.h"

namespace rhc {

namespace {

// A step as an object, and all steps one after the other.
void for_each_step(const RunRecord& run, const std::function<void(const Json&)>& take) {
  for (std::size_t i = 0; i < run.episodes.size(); ++i) {
    if (!run.episodes[i]) continue;
    const Trajectory& trajectory = *run.episodes[i];
    for (Index t = 0; t <= trajectory.steps(); ++t) {
      Json row = {{"episode", i + 1}, {"step", t}};
      for (Index k = 0; k < run.spec.outputs(); ++k)
        row[run.spec.observation[static_cast<std::size_t>(k)].name] = trajectory.observations(k, t);
      for (Index k = 0; k < trajectory.actions.rows(); ++k)
        row[run.spec.action[static_cast<std::size_t>(k)].name] =
            t < trajectory.steps() ? Json(trajectory.actions(k, t)) : Json();
      take(row);
    }
  }
}

void append_row(std::string& csv, const Json& row) {
  std::string line;
  for (const auto& [name, value] : row.items()) line += (line.empty() ? "" : ",") + csv_cell(value);
  csv += line + "\n";
}

std::string header(const Json& row) {
  std::string line;
  for (const auto& [name, value] : row.items()) line += (line.empty() ? "" : ",") + name;
  return line + "\n";
}

// A row of numbers for each row of the metrics; NaN where there are none.
Matrix information_columns(const RunRecord& run) {
  Matrix columns = Matrix::Constant(run.spec.outputs(), static_cast<Index>(run.rows.size()),
                                    std::numeric_limits<double>::quiet_NaN());
  for (std::size_t r = 0; r < run.rows.size(); ++r) {
    const std::vector<double>& nats = run.rows[r].information_by_output;
    for (std::size_t j = 0; j < nats.size() && static_cast<Index>(j) < columns.rows(); ++j)
      columns(static_cast<Index>(j), static_cast<Index>(r)) = nats[j];
  }
  return columns;
}

void add_metrics(const RunRecord& run, Npz& npz) {
  const Json columns = metrics_cells({});
  for (const auto& [name, unused] : columns.items()) {
    if (name == "information_by_output") {
      npz.add_columns("metrics_" + name, information_columns(run));
      continue;
    }
    std::vector<double> numbers;
    std::vector<std::string> words;
    for (const MetricsRow& row : run.rows) {
      const Json value = metrics_cells(row)[name];
      numbers.push_back(value.is_number() ? value.get<double>()
                                          : std::numeric_limits<double>::quiet_NaN());
      words.push_back(csv_cell(value));
    }
    if (name == "plan_status" || name == "trouble")
      npz.add("metrics_" + name, words);
    else
      npz.add("metrics_" + name, numbers);
  }
}

}  // namespace

std::string csv_cell(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float())
    return std::isfinite(value.get<double>()) ? exact(value.get<double>()) : "";
  if (value.is_array()) {
    std::string cell;
    for (const Json& entry : value) cell += (cell.empty() ? "" : " ") + csv_cell(entry);
    return cell;
  }
  return value.is_null() ? "" : value.dump();
}

std::vector<std::string> export_formats() { return {"csv", "jsonl", "npz"}; }

std::string steps_as_csv(const RunRecord& run) {
  std::string csv = "episode,step";
  for (const auto* quantities : {&run.spec.observation, &run.spec.action})
    for (const std::string& name : names_of(*quantities)) csv += "," + name;
  csv += "\n";
  for_each_step(run, [&](const Json& row) { append_row(csv, row); });
  return csv;
}

std::string steps_as_jsonl(const RunRecord& run) {
  std::string lines;
  for_each_step(run, [&](const Json& row) { lines += row.dump() + "\n"; });
  return lines;
}

std::string metrics_as_csv(const RunRecord& run) {
  std::string csv = header(metrics_cells({}));
  for (const MetricsRow& row : run.rows) append_row(csv, metrics_cells(row));
  return csv;
}

std::string metrics_as_jsonl(const RunRecord& run) { return metrics_text(run.rows); }

std::string run_as_npz(const RunRecord& run) {
  Index count = 0;
  for (const auto& trajectory : run.episodes) count += trajectory ? trajectory->steps() : 0;
  const Index D = run.spec.outputs(), k = run.spec.action_bounds.size();
  std::vector<std::int64_t> episode, step;
  Matrix observations(D, count), actions(k, count), next(D, count);
  Index at = 0;
  for (std::size_t i = 0; i < run.episodes.size(); ++i) {
    if (!run.episodes[i]) continue;
    const Trajectory& trajectory = *run.episodes[i];
    const Index steps = trajectory.steps();
    for (Index t = 0; t < steps; ++t) {
      episode.push_back(static_cast<std::int64_t>(i) + 1);
      step.push_back(t);
    }
    observations.middleCols(at, steps) = trajectory.observations.leftCols(steps);
    actions.middleCols(at, steps) = trajectory.actions;
    next.middleCols(at, steps) = trajectory.observations.rightCols(steps);
    at += steps;
  }

  Npz npz;
  npz.add("episode", episode);
  npz.add("step", step);
  npz.add_columns("observations", observations);
  npz.add_columns("actions", actions);
  npz.add_columns("next_observations", next);
  npz.add("observation_names", names_of(run.spec.observation));
  npz.add("action_names", names_of(run.spec.action));
  add_metrics(run, npz);
  return npz.bytes();
}

std::string export_run(const RunRecord& run, std::string_view format, bool metrics) {
  if (format == "csv") return metrics ? metrics_as_csv(run) : steps_as_csv(run);
  if (format == "jsonl") return metrics ? metrics_as_jsonl(run) : steps_as_jsonl(run);
  if (format == "npz" && metrics)
    throw InputError("an npz file holds the metrics already; leave --metrics out");
  if (format == "npz") return run_as_npz(run);
  throw InputError(unknown_name("format", format, export_formats()));
}

}  // namespace rhc
