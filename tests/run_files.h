// The files of a run, for comparing one run with another.
#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/temporary_directory.h"

namespace rhc {

using Files = std::map<std::string, std::string>;  // path in the run -> bytes

// Every file, but for the lock, which goes with its process.
inline Files all_files(const std::filesystem::path& run) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(run))
    if (entry.is_regular_file() && entry.path().filename() != "lock")
      files[std::filesystem::relative(entry.path(), run).string()] = slurp(entry.path());
  return files;
}

// Rows of metrics.jsonl without what depends on the clock.
inline std::string without_seconds(const std::string& metrics) {
  std::istringstream lines(metrics);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    auto json = nlohmann::ordered_json::parse(line);
    for (const char* key : {"plan_seconds", "fit_seconds", "evaluate_seconds"}) json.erase(key);
    result += json.dump() + "\n";
  }
  return result;
}

// What two runs with the same settings share, to the last byte.
inline Files lasting_files(const std::filesystem::path& run) {
  Files files = all_files(run);
  files.erase("manifest.json");
  files.erase("report.html");  // it shows both
  if (files.contains("metrics.jsonl"))
    files["metrics.jsonl"] = without_seconds(files["metrics.jsonl"]);
  return files;
}

// The names of files that only one has, or that differ; empty where all are equal.
inline std::string difference(const Files& a, const Files& b) {
  std::string names;
  for (const auto& [name, bytes] : a)
    if (!b.contains(name) || b.at(name) != bytes) names += name + " ";
  for (const auto& [name, bytes] : b)
    if (!a.contains(name)) names += name + " ";
  return names;
}

// Whether all that was there is there still, with the same content.
inline bool all_kept(const Files& before, const Files& after) {
  return std::all_of(before.begin(), before.end(), [&](const auto& file) {
    return after.contains(file.first) && after.at(file.first) == file.second;
  });
}

}  // namespace rhc
