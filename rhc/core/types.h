// What everything else talks about: vectors, boxes, transitions and trajectories.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

namespace rhc {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using ConstMatrixRef = Eigen::Ref<const Matrix>;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Axis-aligned bounds; an infinite entry is no bound.
struct Box {
  Vector lower, upper;

  static Box unbounded(Index size);

  Index size() const { return lower.size(); }
  Vector width() const { return upper - lower; }
  Vector clip(const Vector& point) const { return point.cwiseMax(lower).cwiseMin(upper); }

  // Index of the first coordinate outside the box (or not a number), -1 when the point is inside.
  Index first_outside(const Eigen::Ref<const Vector>& point) const;
  bool contains(const Eigen::Ref<const Vector>& point) const { return first_outside(point) < 0; }
};

// Two observations that are the cosine and sine of one angle.
struct AnglePair {
  Index cosine, sine;
};

// One episode: column t of `observations` is o_t (T + 1 of them), column t of `actions` is a_t.
struct Trajectory {
  Matrix observations;
  Matrix actions;
  bool ended = false;  // by the plant itself, with the last observation

  Index steps() const { return actions.cols(); }
};

// One that was only looked at so far.
Trajectory standing_at(const Vector& observation, Index actions);

// Whether both are the same, number by number.
bool same(const Trajectory& one, const Trajectory& other);

// The last action of what was seen `before`, or that of rest.
Vector last_action(const Trajectory& before, const Vector& at_rest);

// Data of the regression: column n of `inputs` is z = (o_t, a_t), of `outputs` the difference
// o_{t+1} - o_t. With a history of k, z = (o_t, ..., o_{t-k+1}, a_{t-1}, ..., a_{t-k+1}, a_t):
// where a velocity is not seen, what was done tells as much of it as what was seen.
struct Transitions {
  Matrix inputs;
  Matrix outputs;
  Vector weights{};  // as how many transitions each counts; empty: as one

  Index count() const { return inputs.cols(); }
  // By their weights.
  double counted() const {
    return weights.size() > 0 ? weights.sum() : static_cast<double>(inputs.cols());
  }
};

// z at every step that has an action. Before the first observation all is taken to have been still,
// with this action.
Matrix model_inputs(const Matrix& observations, const Matrix& actions, Index history,
                    const Vector& action_before);

// How many steps the observations stay inside the limits.
Index steps_inside(const Trajectory& trajectory, const Box& limits);

// The transitions of a trajectory that stay inside the limits. Those whose history began before the
// trajectory did are left out.
Transitions transitions_of(const Trajectory& trajectory, const Box& limits, Index history = 1);

// The transitions of many batches, in order; without weights.
Transitions concatenate(const std::vector<Transitions>& batches);

}  // namespace rhc
