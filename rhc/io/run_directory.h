// Where a run is kept. Every file is whole at every moment.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rhc/io/config.h"
#include "rhc/io/metrics.h"

namespace rhc {

class RunDirectory {
 public:
  // Makes a new one. InputError where the directory already holds something.
  RunDirectory(std::filesystem::path path, const Config& config);

  const std::filesystem::path& path() const { return path_; }

  void write_episode(int episode, const SystemSpec& spec, const Trajectory& trajectory);
  void write_model(const BayesianLinearModel& model);
  void write_best_achievable(const Scores& scores);
  void append_metrics(const MetricsRow& row);

  // status: "finished", "interrupted" or "failed: why".
  void close(const std::string& status);

 private:
  void write_manifest(const std::string& status, const std::string& ended);

  std::filesystem::path path_;
  Config config_;
  std::string started_;
  std::string metrics_;  // all rows so far, as they stand in the file
  int episodes_done_ = 0;
};

// `base`, or base-2, base-3, ... where it is taken.
std::filesystem::path free_path(const std::filesystem::path& base);

}  // namespace rhc
