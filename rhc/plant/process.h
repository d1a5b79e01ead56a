// Other programs: called, and listened to.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rhc {

struct ProcessResult {
  int code;  // as a shell tells it: 127 where there is no such program, 128 + N after signal N
  std::string out, err;
  bool out_of_time = false;  // and therefore killed
};

// Runs a program to its end, found by PATH, with nothing to read. One that takes longer than
// `seconds` is killed, with all that it started. IoError where no process can be made at all.
ProcessResult run_process(const std::vector<std::string>& command,
                          std::optional<double> seconds = std::nullopt);

// The absolute path of the program that this process runs.
std::string own_program();

}  // namespace rhc
