// What the numbers of a log say of each column, before anybody says what it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rhc/core/types.h"
#include "rhc/describe/log_table.h"

namespace rhc {

struct ColumnProfile {
  std::string name, unit;  // the unit is empty where the header has none
  Vector values{};         // empty where they are not all numbers
  bool blank_end = false;  // the last row has none, as of an action that led nowhere
  bool constant = false;
  bool counts = false;  // each row one more than the row before
  double lowest = 0, highest = 0;
  double noise = 0;      // its deviation, where the motion is smooth
  double roughness = 0;  // deviation of the changes over that of the values: white noise has 1.4
  double held = 0;       // share of the rows that repeat the row before
};

struct LogProfile {
  std::vector<ColumnProfile> columns;  // without that of the time
  std::vector<double> times{};         // in seconds; empty where no column tells
  std::string time_column{};
  std::string guessed_time_unit{};  // where the header has none and they look like no seconds
  double step = 0;                  // the median of the steps, in seconds
  double jitter = 0;                // their root mean square distance from it, as a share
};

LogProfile profile_of(const LogTable& log);

// The numbers by which one row differs from the next, with an angle taken the shorter way: `turn`
// is a full one in its unit, 0 of what is no angle.
Vector changes_of(const Vector& values, double turn);

}  // namespace rhc
