#include "rhc/store/replace_evaluation.h"

#include <fmt/format.h>

#include "rhc/core/error.h"
#include "rhc/describe/config_file.h"
#include "rhc/format/files.h"
#include "rhc/store/trajectory_csv.h"

namespace rhc {

namespace {

void remove_file(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) throw IoError(fmt::format("cannot remove '{}': {}", path.string(), error.message()));
}

}  // namespace

void replace_evaluation(const Lock&, const RunRecord& run, const NewEvaluation& evaluation) {
  const std::filesystem::path& path = run.path;
  NamedValues checkpoint = evaluation.checkpoint;
  std::vector<MetricsRow> timeless;
  for (const MetricsRow& row : evaluation.rows) timeless.push_back(row.without_seconds());
  checkpoint.put_text("settings", lasting_settings(evaluation.config));
  checkpoint.put_text("metrics", metrics_text(timeless));

  // A line of other settings would be taken for this one's; one that is missing is drawn again.
  remove_file(path / "best_achievable.json");
  checkpoint.put(kReplacing, 1);
  write_atomically(path / "checkpoint", archive_bytes(checkpoint));

  write_atomically(path / "config.toml", config_toml(evaluation.config));
  write_atomically(path / "metrics.jsonl", metrics_text(evaluation.rows));
  make_directories(path / "tasks");
  for (std::size_t i = 0; i < run.episodes.size(); ++i) {
    const std::filesystem::path file = path / "tasks" / episode_file(static_cast<int>(i) + 1);
    if (i < evaluation.tasks.size() && evaluation.tasks[i])
      write_atomically(file, trajectory_csv(run.spec, *evaluation.tasks[i]));
    else
      remove_file(file);
  }
  if (evaluation.best_achievable)
    write_atomically(path / "best_achievable.json",
                     best_achievable_text(*evaluation.best_achievable,
                                          evaluation.config.judge.best_achievable_transitions));
  checkpoint.erase(kReplacing);
  write_atomically(path / "checkpoint", archive_bytes(checkpoint));

  Manifest manifest = run.manifest;
  const Manifest here = new_manifest(evaluation.config);
  manifest.rhc = here.rhc;
  manifest.compiler = here.compiler;
  manifest.cpu = here.cpu;
  write_atomically(path / "manifest.json", manifest_json(manifest));
}

}  // namespace rhc
