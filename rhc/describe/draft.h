// A description of a system, drafted from a recording of it: what can be guessed, and why.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rhc {

struct DraftSettings {
  std::string name{};                       // of the system; empty: after the file
  std::vector<std::string> actions{};       // columns; empty: those that look like actions
  std::vector<std::string> observations{};  // columns; empty: all others that say something
  std::optional<double> time_step{};        // seconds; nothing: as the stamps say
};

struct Draft {
  std::string toml;
  std::vector<std::string> guesses{};  // what was guessed, and why
  std::vector<std::string> open{};     // what a person must look at
  bool resample = false;               // whether its log must be brought onto the time step
};

// From the text of a log (describe/log_file.h). InputError where it has no rows, no time, or
// nothing that looks like an action.
Draft draft_description(std::string_view log, const std::string& file,
                        const DraftSettings& settings);

}  // namespace rhc
