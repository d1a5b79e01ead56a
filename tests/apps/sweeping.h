// A sweep as a person begins it, and the processes that do it.
#pragma once

#include <gtest/gtest.h>

#include "tests/apps/program.h"
#include "tests/tiny_sweep.h"

namespace rhc {

inline const std::string kFour =
    tiny_sweep("system = [\"mountain-car\", \"pendulum\"]\nmethod = \"random\"\nseed = \"1-2\"\n");

// All processes that have this directory among their words: a sweep's workers do.
inline std::vector<pid_t> processes_at(const std::filesystem::path& directory) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (slurp(entry.path() / "cmdline").find(directory.string()) != std::string::npos)
      found.push_back(std::stoi(name));
  }
  return found;
}

// Whether all of them have ended, after up to a minute.
inline bool none_left_at(const std::filesystem::path& directory) {
  for (int i = 0; i < 6000; ++i) {
    if (processes_at(directory).empty()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// What is left of all runs of a sweep, by "NAME/FILE".
inline Files lasting_files_of_runs(const std::filesystem::path& sweep) {
  Files all;
  for (const auto& entry : std::filesystem::directory_iterator(sweep / "runs"))
    for (const auto& [name, bytes] : lasting_files(entry.path()))
      all[entry.path().filename().string() + "/" + name] = bytes;
  return all;
}

// A directory with the file s.toml; the sweep is in `s`.
class Sweeping {
 public:
  explicit Sweeping(const std::string& toml) { dir_.write("s.toml", toml); }

  const TemporaryDirectory& directory() const { return dir_; }
  std::filesystem::path path() const { return dir_.path() / "s"; }
  std::filesystem::path run_path(const std::string& name) const { return path() / "runs" / name; }

  static std::vector<std::string> words(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"sweep", "s.toml", "--out", "s"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Outcome sweep(const std::vector<std::string>& more = {}) const { return run(words(more), dir_); }

 private:
  TemporaryDirectory dir_;
};

}  // namespace rhc
