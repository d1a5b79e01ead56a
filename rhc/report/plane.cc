#include "rhc/report/plane.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

namespace rhc {

namespace {

// "cos_hip" -> "hip", "cos" -> "angle"
std::string angle_name(std::string cosine) {
  for (const char* word : {"cosine", "cos"})
    if (cosine.starts_with(word)) cosine.erase(0, std::string_view(word).size());
  std::erase_if(cosine, [](char c) { return c == '(' || c == ')' || c == ' '; });
  while (cosine.starts_with('_') || cosine.starts_with('-')) cosine.erase(0, 1);
  return cosine.empty() ? "angle" : cosine;
}

}  // namespace

double Coordinate::of(const Eigen::Ref<const Vector>& observation) const {
  return sine < 0 ? observation[index] : std::atan2(observation[sine], observation[index]);
}

void Coordinate::set(Vector& observation, double value) const {
  observation[index] = sine < 0 ? value : std::cos(value);
  if (sine >= 0) observation[sine] = std::sin(value);
}

std::vector<Coordinate> coordinates_of(const SystemSpec& spec) {
  std::vector<Coordinate> coordinates;
  for (Index i = 0; i < spec.outputs(); ++i) {
    const Quantity& quantity = spec.observation[static_cast<std::size_t>(i)];
    const auto angle = std::find_if(spec.angles.begin(), spec.angles.end(),
                                    [&](auto& a) { return a.cosine == i || a.sine == i; });
    if (angle == spec.angles.end())
      coordinates.push_back({quantity.name, quantity.unit, i});
    else if (angle->cosine == i)
      coordinates.push_back({angle_name(quantity.name), "rad", i, angle->sine});
  }
  return coordinates;
}

Interval range_of(const Coordinate& coordinate,
                  const std::vector<const Trajectory*>& trajectories) {
  if (coordinate.sine >= 0) return {-std::numbers::pi, std::numbers::pi};
  Interval range{kInfinity, -kInfinity};
  for (const Trajectory* trajectory : trajectories) {
    const auto values = trajectory->observations.row(coordinate.index);
    range = {std::min(range.low, values.minCoeff()), std::max(range.high, values.maxCoeff())};
  }
  if (!(range.low <= range.high)) return {-1, 1};
  const double margin = range.high > range.low ? 0.1 * (range.high - range.low)
                                               : std::max(1.0, 0.1 * std::abs(range.low));
  return {range.low - margin, range.high + margin};
}

Matrix entropy_map(const Regression& model, const SystemSpec& spec,
                   const std::vector<Coordinate>& coordinates, const Plane& plane,
                   const Vector& around, Index cells) {
  const auto centre = [&](const Interval& range, Index i) {
    return range.low +
           (range.high - range.low) * (static_cast<double>(i) + 0.5) / static_cast<double>(cells);
  };
  const Vector action = spec.action_bounds.clip(Vector::Zero(spec.action_bounds.size()));
  Matrix inputs(spec.inputs(), cells * cells);
  Vector observation = around;
  for (Index row = 0; row < cells; ++row)
    for (Index column = 0; column < cells; ++column) {
      coordinates[plane.x].set(observation, centre(plane.x_range, column));
      coordinates[plane.y].set(observation, centre(plane.y_range, row));
      inputs.col(row * cells + column) << observation.replicate(spec.history, 1),
          action.replicate(spec.history, 1);
    }

  const Prediction prediction = model.predict(inputs);
  const Matrix variance = prediction.epistemic.colwise() + prediction.noise;
  const Vector entropy =
      0.5 * ((2 * std::numbers::pi * std::numbers::e) * variance.array()).log().colwise().sum();
  return Eigen::Map<const Matrix>(entropy.data(), cells, cells).transpose();
}

}  // namespace rhc
