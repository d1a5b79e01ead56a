#include "rhc/store/replace_evaluation.h"

#include <fmt/format.h>

#include "rhc/core/error.h"
#include "rhc/describe/config_file.h"
#include "rhc/format/crc32.h"
#include "rhc/format/files.h"
#include "rhc/store/archive.h"
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
  const std::string line =
      evaluation.best_achievable
          ? best_achievable_text(*evaluation.best_achievable,
                                 evaluation.config.judge.best_achievable_transitions)
          : "";
  // As 0.1 wrote them.
  for (const char* old : {"episode_checksums", kReplacing}) checkpoint.erase(old);
  checkpoint.erase_text(kBestAchievable);
  if (!line.empty()) checkpoint.put_text(kBestAchievable, line);

  std::vector<std::string> tasks(run.episodes.size());
  Ledger files = run.files;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::string name = episode_name("tasks", static_cast<int>(i) + 1);
    files.erase(name);
    if (i >= evaluation.tasks.size() || !evaluation.tasks[i]) continue;
    tasks[i] = trajectory_csv(run.spec, *evaluation.tasks[i]);
    files[name] = crc32(tasks[i]);
  }
  checkpoint.put_text(
      "files", ledger_text(up_to_episode(static_cast<int>(evaluation.rows.size()) - 1, files)));
  if (!run.description.empty()) checkpoint.put_text("system", run.description);

  // From here on the new evaluation holds, whatever stands in the other files.
  checkpoint.put_text(kReplacing, "metrics, settings and tasks");
  write_atomically(path / "checkpoint", archive_bytes(checkpoint));

  write_atomically(path / "config.toml", config_toml(evaluation.config));
  const std::string metrics = metrics_text(evaluation.rows);
  write_atomically(path / "metrics.jsonl", metrics);
  make_directories(path / "tasks");
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::filesystem::path file = path / episode_name("tasks", static_cast<int>(i) + 1);
    if (tasks[i].empty())
      remove_file(file);
    else
      write_atomically(file, tasks[i]);
  }
  if (line.empty())
    remove_file(path / "best_achievable.json");
  else
    write_atomically(path / "best_achievable.json", line);

  Manifest manifest = run.manifest;
  const Manifest here = new_manifest(evaluation.config);
  manifest.rhc = here.rhc;
  manifest.compiler = here.compiler;
  manifest.cpu = here.cpu;
  manifest.metrics_checksum = crc32(metrics);
  write_atomically(path / "manifest.json", manifest_json(manifest));

  checkpoint.erase_text(kReplacing);
  write_atomically(path / "checkpoint", archive_bytes(checkpoint));
}

}  // namespace rhc
