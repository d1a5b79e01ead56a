#include "rhc/describe/log_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rhc {

namespace {

double deviation_in(const Vector& values) {
  return values.size() < 2 ? 0 : std::sqrt((values.array() - values.mean()).square().mean());
}

double median_size(Vector values) {
  if (values.size() == 0) return 0;
  values = values.cwiseAbs();
  double* const middle = values.data() + values.size() / 2;
  std::nth_element(values.data(), middle, values.data() + values.size());
  return *middle;
}

// A smooth motion leaves little in third differences; white noise of variance 1 leaves 20. Their
// median, so that corners of the motion count little.
double noise_between(const Vector& values) {
  constexpr double kOfThirdDifferences = 20, kMedianOfNormal = 0.6745;
  Vector left = values;
  for (int i = 0; i < 3; ++i) left = changes_of(left, 0);
  return median_size(left) / kMedianOfNormal / std::sqrt(kOfThirdDifferences);
}

ColumnProfile column_profile(const LogTable& log, std::size_t column) {
  ColumnProfile profile{.name = log.column(column), .unit = log.unit(column)};
  const std::size_t rows = log.rows();
  Vector values(static_cast<Index>(rows));
  for (std::size_t r = 0; r < rows; ++r) {
    const auto value = log.number_if_any(r, column);
    profile.blank_end = !value && r > 0 && r + 1 == rows && log.blank(r, column);
    if (!value && !profile.blank_end) return profile;
    values[static_cast<Index>(r)] = value ? *value : values[static_cast<Index>(r) - 1];
  }
  profile.values = values;
  profile.lowest = values.minCoeff();
  profile.highest = values.maxCoeff();
  profile.constant = profile.lowest == profile.highest;
  const Vector changes = changes_of(values, 0);
  profile.counts = changes.size() > 0 && (changes.array() == 1).all();
  if (!profile.constant) profile.roughness = deviation_in(changes) / deviation_in(values);
  if (changes.size() > 0)
    profile.held =
        static_cast<double>((changes.array() == 0).count()) / static_cast<double>(changes.size());
  profile.noise = noise_between(values);
  return profile;
}

// Steps of more than two seconds are rather milliseconds, and so on.
std::pair<double, std::string> likely_unit(double step) {
  constexpr double kLongestStep = 2;
  for (const auto& [size, unit] : {std::pair{1.0, ""}, {1e3, "ms"}, {1e6, "us"}, {1e9, "ns"}})
    if (step / size < kLongestStep) return {size, unit};
  return {1, ""};
}

void read_times(const LogTable& log, std::size_t column, LogProfile& profile) {
  profile.time_column = log.column(column);
  const double factor = log.factor(column, "s");
  for (std::size_t r = 0; r < log.rows(); ++r)
    profile.times.push_back(log.number(r, column, factor));
  if (log.unit(column).empty()) {
    const auto [size, unit] = likely_unit(median_step(profile.times));
    profile.guessed_time_unit = unit;
    for (double& time : profile.times) time /= size;
  }
  profile.step = median_step(profile.times);
  if (!(profile.step > 0)) return;
  double squares = 0;
  for (std::size_t r = 1; r < profile.times.size(); ++r)
    squares += std::pow((profile.times[r] - profile.times[r - 1]) / profile.step - 1, 2);
  profile.jitter = std::sqrt(squares / static_cast<double>(profile.times.size() - 1));
}

}  // namespace

Vector changes_of(const Vector& values, double turn) {
  if (values.size() < 2) return {};
  Vector changes = values.tail(values.size() - 1) - values.head(values.size() - 1);
  if (turn > 0) changes.array() -= turn * (changes.array() / turn).round();
  return changes;
}

LogProfile profile_of(const LogTable& log) {
  LogProfile profile;
  const auto time = log.find_time();
  if (time) read_times(log, *time, profile);
  for (std::size_t i = 0; i < log.columns(); ++i)
    if (i != time && !log.column(i).empty()) profile.columns.push_back(column_profile(log, i));
  return profile;
}

}  // namespace rhc
