// Runs the program as a person would.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/temporary_directory.h"

namespace rhc {

using Words = std::vector<std::string>;

struct Outcome {
  int code;  // exit code, or minus the signal that ended it
  std::string out, err;
};

// Starts the program in `directory`; `prepare` runs in the child just before.
class Program {
 public:
  Program(std::vector<std::string> arguments, const TemporaryDirectory& directory,
          const std::function<void()>& prepare = {})
      : directory_(directory) {
    const char* other = std::getenv("RHC_PROGRAM");
    arguments.insert(arguments.begin(), other ? other : RHC_PROGRAM);
    std::vector<char*> raw;
    for (std::string& a : arguments) raw.push_back(a.data());
    raw.push_back(nullptr);
    std::fflush(nullptr);  // or the child writes what waits here a second time
    child_ = fork();
    if (child_ == 0) {
      if (chdir(directory.path().c_str()) != 0 || !freopen("out.txt", "w", stdout) ||
          !freopen("err.txt", "w", stderr))
        _exit(99);
      if (prepare) prepare();
      execv(raw[0], raw.data());
      _exit(98);
    }
  }

  pid_t pid() const { return child_; }
  void signal(int number) const { kill(child_, number); }

  Outcome wait() const {
    int status = 0;
    waitpid(child_, &status, 0);
    return outcome(status);
  }

  std::optional<Outcome> outcome_if_ended() const {
    int status = 0;
    if (waitpid(child_, &status, WNOHANG) != child_) return std::nullopt;
    return outcome(status);
  }

  // Nothing where it has not ended after a minute; it is then killed.
  std::optional<Outcome> wait_a_minute() const {
    for (int i = 0; i < 6000; ++i) {
      if (const auto ended = outcome_if_ended()) return ended;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    signal(SIGKILL);
    wait();
    return std::nullopt;
  }

 private:
  Outcome outcome(int status) const {
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
            slurp(directory_.path() / "out.txt"), slurp(directory_.path() / "err.txt")};
  }

  const TemporaryDirectory& directory_;
  pid_t child_;
};

inline Outcome run(const std::vector<std::string>& arguments, const TemporaryDirectory& directory) {
  return Program(arguments, directory).wait();
}

inline Outcome run(const std::vector<std::string>& arguments, const TemporaryDirectory& directory,
                   const std::function<void()>& prepare) {
  return Program(arguments, directory, prepare).wait();
}

inline Outcome run(const std::vector<std::string>& arguments) {
  return run(arguments, TemporaryDirectory());
}

// Without the settings that come again later with another value, which the program would refuse.
inline Words later_wins(const Words& words) {
  const auto key_of = [](const std::string& word) { return word.substr(0, word.find('=') + 1); };
  Words kept;
  for (auto word = words.begin(); word != words.end(); ++word)
    if (key_of(*word).empty() || std::none_of(word + 1, words.end(), [&](const std::string& later) {
          return key_of(later) == key_of(*word);
        }))
      kept.push_back(*word);
  return kept;
}

// `words` and settings that make an episode a matter of milliseconds; `words` win.
inline std::vector<std::string> tiny(std::vector<std::string> words) {
  std::vector<std::string> all = {"explore",
                                  words[0],
                                  "features=20",
                                  "forecast_features=40",
                                  "evidence_starts=2",
                                  "plan_starts=2",
                                  "task_starts=2",
                                  "task_hops=0",
                                  "task_draws=0",
                                  "limit_hops=0",
                                  "test_trajectories=20",
                                  "test_steps=3",
                                  "best_achievable_transitions=20"};
  if (std::find(words.begin(), words.end(), "--out") == words.end())
    all.insert(all.end(), {"--out", "r"});
  all.insert(all.end(), words.begin() + 1, words.end());
  return later_wins(all);
}

// Waits up to a minute for a file to appear.
inline bool appears(const std::filesystem::path& path) {
  for (int i = 0; i < 6000; ++i) {
    if (std::filesystem::exists(path)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace rhc
