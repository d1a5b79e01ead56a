#include "rhc/core/types.h"

#include <algorithm>

namespace rhc {

Box Box::unbounded(Index size) {
  return {Vector::Constant(size, -kInfinity), Vector::Constant(size, kInfinity)};
}

Index Box::first_outside(const Eigen::Ref<const Vector>& point) const {
  for (Index i = 0; i < size(); ++i)
    if (!(point[i] >= lower[i] && point[i] <= upper[i])) return i;
  return -1;
}

bool same(const Trajectory& one, const Trajectory& other) {
  return one.steps() == other.steps() && one.observations.cols() == other.observations.cols() &&
         one.observations == other.observations && one.actions == other.actions;
}

Trajectory standing_at(const Vector& observation, Index actions) {
  return {observation, Matrix(actions, 0)};
}

Vector last_action(const Trajectory& before, const Vector& at_rest) {
  return before.steps() > 0 ? Vector(before.actions.rightCols(1)) : at_rest;
}

Matrix model_inputs(const Matrix& observations, const Matrix& actions, Index history,
                    const Vector& action_before) {
  const Index D = observations.rows(), k = actions.rows(), T = actions.cols();
  Matrix inputs(history * (D + k), T);
  for (Index back = 0; back < history; ++back)
    for (Index t = 0; t < T; ++t)
      inputs.col(t).segment(back * D, D) = observations.col(std::max<Index>(0, t - back));
  for (Index back = 1; back < history; ++back)
    for (Index t = 0; t < T; ++t) {
      auto earlier = inputs.col(t).segment(history * D + (back - 1) * k, k);
      if (t < back)
        earlier = action_before;
      else
        earlier = actions.col(t - back);
    }
  inputs.bottomRows(k) = actions;
  return inputs;
}

Index steps_inside(const Trajectory& trajectory, const Box& limits) {
  Index inside = 0;
  while (inside < trajectory.steps() && limits.contains(trajectory.observations.col(inside + 1)))
    ++inside;
  return inside;
}

Transitions transitions_of(const Trajectory& trajectory, const Box& limits, Index history) {
  const Index inside = steps_inside(trajectory, limits);
  const Index first = std::min(inside, history - 1), count = inside - first;
  const Matrix inputs = model_inputs(trajectory.observations, trajectory.actions, history,
                                     Vector::Zero(trajectory.actions.rows()));
  return {inputs.middleCols(first, count), trajectory.observations.middleCols(first + 1, count) -
                                               trajectory.observations.middleCols(first, count)};
}

Transitions concatenate(const std::vector<Transitions>& batches) {
  Index count = 0;
  for (const Transitions& batch : batches) count += batch.count();
  if (batches.empty()) return {};

  Transitions result{Matrix(batches[0].inputs.rows(), count),
                     Matrix(batches[0].outputs.rows(), count)};
  Index at = 0;
  for (const Transitions& batch : batches) {
    result.inputs.middleCols(at, batch.count()) = batch.inputs;
    result.outputs.middleCols(at, batch.count()) = batch.outputs;
    at += batch.count();
  }
  return result;
}

}  // namespace rhc
