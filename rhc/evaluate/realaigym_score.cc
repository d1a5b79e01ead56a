#include "rhc/evaluate/realaigym_score.h"

#include <cmath>
#include <numbers>

namespace rhc {

namespace {

constexpr double kUp = 0.9;  // of the height of both links
// A record that ends earlier is no trial.
constexpr double kSeconds = 0.99 * 10;

double deviation(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

SwingUpScore realaigym_score(const SwingUpRecord& record, const DoublePendulum& machine) {
  SwingUpScore result;
  const std::size_t rows = record.time.size();
  if (rows < 3) return result;

  // The original looks at neither the first nor the last row.
  const double high = kUp * (machine.length[0] + machine.length[1]);
  std::size_t since = rows - 1;
  for (std::size_t i = rows - 2; i > 0; --i) {
    if (!(machine.height(record.motion[i][0], record.motion[i][1]) > high)) break;
    since = i;
  }
  result.time = record.time[since];
  result.success = record.time.back() >= kSeconds && since < rows - 1;

  std::vector<double> changes(rows - 1);
  for (int joint = 0; joint < 2; ++joint) {
    for (std::size_t i = 0; i + 1 < rows; ++i) {
      const double seconds = record.time[i + 1] - record.time[i], torque = record.torques[i][joint],
                   speed = record.motion[i][2 + joint];
      result.energy += std::abs((record.motion[i + 1][joint] - record.motion[i][joint]) * torque);
      result.torque += torque * torque * seconds;
      result.velocity += speed * speed * seconds;
      changes[i] = record.torques[i + 1][joint] - torque;
    }
    result.smoothness += deviation(changes);
  }

  const double shares[] = {result.time / 20, result.energy / 60, result.torque / 20,
                           result.smoothness / 0.1, result.velocity / 400};
  double lost = 0;
  for (const double share : shares) lost += std::tanh(std::numbers::pi * share) / 5;
  result.score = result.success ? 1 - lost : 0;
  return result;
}

}  // namespace rhc
