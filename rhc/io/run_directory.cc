#include "rhc/io/run_directory.h"

#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/core/version.h"
#include "rhc/io/csv.h"
#include "rhc/io/files.h"
#include "rhc/io/model_file.h"

namespace rhc {

namespace {

constexpr int kFormat = 1;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown";
}

bool occupied(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !std::filesystem::is_empty(path, error);
}

}  // namespace

RunDirectory::RunDirectory(std::filesystem::path path, const Config& config)
    : path_(std::move(path)), config_(config), started_(utc_now()) {
  if (std::filesystem::exists(path_ / "manifest.json"))
    throw InputError(fmt::format("'{}' already holds a run; choose another directory with --out",
                                 path_.string()));
  if (std::filesystem::exists(path_) && !std::filesystem::is_directory(path_))
    throw InputError(fmt::format("'{}' is a file; choose a directory with --out", path_.string()));
  if (occupied(path_))
    throw InputError(
        fmt::format("'{}' is not empty; choose a new directory with --out", path_.string()));
  make_directories(path_ / "episodes");
  write_atomically(path_ / "config.toml", config_toml(config_));
  write_manifest("running", "");
}

void RunDirectory::write_episode(int episode, const SystemSpec& spec,
                                 const Trajectory& trajectory) {
  write_atomically(path_ / "episodes" / fmt::format("{:04}.csv", episode),
                   trajectory_csv(spec, trajectory));
}

void RunDirectory::write_model(const BayesianLinearModel& model) {
  write_atomically(path_ / "model.json", model_json(model));
}

void RunDirectory::write_best_achievable(const Scores& scores) {
  const nlohmann::ordered_json json = {
      {"transitions", config_.best_achievable_transitions},
      {"rmse", scores.rmse},
      {"log_likelihood", scores.log_likelihood},
      {"log_likelihood_one_step", scores.log_likelihood_one_step},
      {"log_likelihood_paper", scores.log_likelihood_paper},
      {"coverage95", scores.coverage95},
  };
  write_atomically(path_ / "best_achievable.json", json.dump(2) + "\n");
}

void RunDirectory::append_metrics(const MetricsRow& row) {
  std::string longer = metrics_ + metrics_json(row) + "\n";
  write_atomically(path_ / "metrics.jsonl", longer);
  metrics_ = std::move(longer);
  episodes_done_ = row.episode;
}

void RunDirectory::close(const std::string& status) { write_manifest(status, utc_now()); }

void RunDirectory::write_manifest(const std::string& status, const std::string& ended) {
  const nlohmann::ordered_json json = {
      {"format", "rhc-run"},
      {"format_version", kFormat},
      {"rhc", version()},
      {"compiler", __VERSION__},
      {"cpu", cpu_name()},
      {"system", config_.system},
      {"method", config_.method},
      {"seed", config_.seed},
      {"episodes", config_.episodes},
      {"episodes_done", episodes_done_},
      {"status", status},
      {"started", started_},
      {"ended", ended.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(ended)},
  };
  write_atomically(path_ / "manifest.json", json.dump(2) + "\n");
}

std::filesystem::path free_path(const std::filesystem::path& base) {
  std::filesystem::path path = base;
  for (int i = 2; std::filesystem::exists(path); ++i) path = fmt::format("{}-{}", base.string(), i);
  return path;
}

}  // namespace rhc
