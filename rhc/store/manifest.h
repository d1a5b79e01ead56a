// manifest.json: what a run is, who made it and how it ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "rhc/explore/config.h"

namespace rhc {

// The status of a run whose experiments are carried out by hand.
inline constexpr char kOpen[] = "open";

struct Manifest {
  std::string rhc, commit, compiler, cpu;  // of the process that wrote last
  std::string system, method;
  std::uint64_t seed = 1;
  int episodes = 0, episodes_done = 0;
  // Or "finished", "interrupted", "stopped: why", "failed: why", "open".
  std::string status = "running";
  std::string started;                 // by the clock on the wall, which may be wrong
  std::optional<std::string> ended{};  // none while it runs
  double seconds = 0;                  // of work, by a clock that never goes back
  double cpu_seconds = 0;              // of all cores, which others' work does not lengthen
  int resumed = 0;                     // times that another process went on with it
  std::optional<std::uint32_t> metrics_checksum{};  // of metrics.jsonl when the last one ended
};

// Of a run that begins now on this machine.
Manifest new_manifest(const Config& config);

// "2019-10-30T12:00:00Z"
std::string utc_now();

std::string manifest_json(const Manifest& manifest);
Manifest read_manifest(const std::filesystem::path& path);

}  // namespace rhc
