// What a caller must be able to tell apart when something goes wrong.
#pragma once

#include <stdexcept>
#include <string>

namespace rhc {

// The caller gave something that cannot be used: a name, a value, a file. Exit code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The surroundings failed: a disk, a permission. Exit code 1.
struct IoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Somebody else is at it: wait, or do something else. Exit code 1.
struct BusyError : IoError {
  using IoError::IoError;
};

// Learning left the numbers: nothing that was kept is harmed. Exit code 1.
struct LearningError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Asked to stop in the middle of something long, of which nothing is kept.
struct Interrupted {};

}  // namespace rhc
