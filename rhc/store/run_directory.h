// Where a run is kept. Every file is whole at every moment, and one process writes at a time.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/core/stopwatch.h"
#include "rhc/format/files.h"
#include "rhc/model/forecast.h"
#include "rhc/store/lock.h"
#include "rhc/store/run_record.h"

namespace rhc {

class RunDirectory {
 public:
  // Makes a new one. InputError where the directory already holds something.
  // `sync`: whether every file is on the disk before the run goes on, as it must be where an
  // episode cannot be repeated, or all are when it ends. `description`: of the system; empty for a
  // bundled one. `notes`: on experiments, for a run whose experiments are carried out by hand.
  // It comes into being with its manifest, as the last of its files; where one cannot be written,
  // nothing is left.
  RunDirectory(const std::filesystem::path& path, const Config& config, Sync sync = Sync::now,
               const std::string& description = {}, const std::string& notes = {});

  // Goes on with one that an earlier process left. InputError that names what is damaged, unless it
  // is to be repaired: a damaged episode is then set aside and done again, and the belief is
  // learned anew from the others. `episodes` extends or shortens the run.
  static RunDirectory reopen(const std::filesystem::path& path, std::optional<int> episodes,
                             bool repair, Sync sync = Sync::now);
  // With a lock that the caller has taken, to look before it goes on.
  static RunDirectory reopen(Lock lock, const std::filesystem::path& path,
                             std::optional<int> episodes, bool repair, Sync sync);
  // With a lock and a record that the caller has taken; nothing is written before there is
  // something to write.
  static RunDirectory look_into(Lock lock, RunRecord past, int episodes);

  const std::filesystem::path& path() const { return path_; }
  const Config& config() const { return config_; }

  // What an earlier process left: nothing in a new run.
  const RunRecord& past() const { return past_; }

  // The run is to have so many episodes.
  void extend(int episodes);

  // Returns its checksum.
  std::uint32_t write_prediction(int episode, const SystemSpec& spec, const Forecast& forecast);
  void write_episode(int episode, const SystemSpec& spec, const Trajectory& trajectory);
  // What was measured of an episode that is not learned from, beside what there is already.
  void write_unfinished(int episode, const SystemSpec& spec, const Trajectory& trajectory);
  void write_task(int episode, const SystemSpec& spec, const Trajectory& trajectory);
  void write_model(const Regression& model);
  void remove_model();                           // where there is none any more
  void put_model_back(const Regression& model);  // where the file holds another one
  void write_best_achievable(const Scores& scores);

  // A text that every checkpoint holds from here on.
  void keep(const std::string& name, std::string text) { kept_[name] = std::move(text); }

  // The checkpoint anew, with what is kept now.
  void amend();

  // Another description of the system holds from here on.
  void describe(const std::string& description, const DescriptionHistory& history);

  // The end of an episode: what is known now, and all that is needed to go on from here.
  void commit(const MetricsRow& row, const std::optional<BeliefRecord>& belief, NamedValues state);

  // status: "finished", "interrupted" or "failed: why". Nothing happens where nothing was written.
  void close(const std::string& status);

 private:
  RunDirectory(Lock lock, RunRecord past, Sync sync);

  static RunDirectory read(Lock lock, const std::filesystem::path& path,
                           std::optional<int> episodes, bool repair, Sync sync);
  void take_up();
  void write(const std::filesystem::path& file, std::string_view content);
  std::uint32_t write_episode_file(const char* folder, int episode, std::string_view content);
  void put_back(const char* file, const std::string& content);
  void write_beliefs(const std::string& beliefs);
  void write_checkpoint();
  void write_manifest();

  std::filesystem::path path_;
  Lock lock_;
  Sync sync_;
  Config config_;
  Manifest manifest_;
  RunRecord past_;
  bool taken_up_ = true;                     // false: what an earlier process left is as it was
  Ledger files_;                             // of the episodes on disk, and what belongs to them
  std::map<std::string, std::string> kept_;  // texts of every checkpoint
  NamedValues state_;                        // of the last checkpoint
  DescriptionHistory history_;
  std::string metrics_, metrics_without_seconds_, beliefs_;  // all rows so far
  std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
  double seconds_before_ = 0;
  double cpu_opened_ = cpu_seconds(), cpu_before_ = 0;
};

// `base`, or base-2, base-3, ... where it is taken.
std::filesystem::path free_path(const std::filesystem::path& base);

}  // namespace rhc
