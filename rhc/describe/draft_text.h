// A drafted description as a file: values, and as comments where they come from.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "rhc/describe/log_profile.h"

namespace rhc {

struct DraftColumn {
  const ColumnProfile* profile;
  std::string name;  // of the quantity
  std::string unit;
  bool angle = false;
  double turn = 0;                      // of an angle, in its unit
  const ColumnProfile* sine = nullptr;  // where it was logged as cosine and sine
  std::string why{};
  Vector values{};
};

struct DraftParts {
  std::string name;
  std::size_t rows;  // of the recording
  double time_step;
  int horizon, history;
  std::vector<DraftColumn> observations, actions;
  std::vector<std::pair<std::string, std::string>> derivatives;  // a speed, and of what
};

// With so many significant digits, upwards, downwards or to the nearest.
double round_to(double value, int digits, double (*way)(double) = std::round);

// Of an action, no more than was done already: what a machine survived.
std::pair<double, double> tried_bounds(const DraftColumn& action);

std::string draft_text(const DraftParts& parts);

}  // namespace rhc
