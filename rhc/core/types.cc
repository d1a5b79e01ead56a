#include "rhc/core/types.h"

namespace rhc {

Box Box::unbounded(Index size) {
  return {Vector::Constant(size, -kInfinity), Vector::Constant(size, kInfinity)};
}

Index Box::first_outside(const Eigen::Ref<const Vector>& point) const {
  for (Index i = 0; i < size(); ++i)
    if (!(point[i] >= lower[i] && point[i] <= upper[i])) return i;
  return -1;
}

Transitions transitions_of(const Trajectory& trajectory, const Box& limits) {
  const Index observed = trajectory.observations.rows(), acted = trajectory.actions.rows();
  Index count = 0;
  while (count < trajectory.steps() && limits.contains(trajectory.observations.col(count + 1)))
    ++count;

  Transitions result{Matrix(observed + acted, count), Matrix(observed, count)};
  result.inputs.topRows(observed) = trajectory.observations.leftCols(count);
  result.inputs.bottomRows(acted) = trajectory.actions.leftCols(count);
  result.outputs =
      trajectory.observations.middleCols(1, count) - trajectory.observations.leftCols(count);
  return result;
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
