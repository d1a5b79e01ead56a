#include "rhc/plan/state_bounds.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rhc {

namespace {
// The cost of a plan is scaled to about 1: a tenth of the range outside then costs as much.
constexpr double kFirstWeight = 200, kLargestWeight = 1e8;
// The penalty aims this share of the range inside, so that what is left of the violation is none.
constexpr double kInside = 5e-4;
}  // namespace

StateBounds::StateBounds(const Box& bounds, const Matrix& margin, Index horizon) {
  for (Index i = 0; i < bounds.size(); ++i) {
    const double width = bounds.upper[i] - bounds.lower[i];
    const double range = std::isfinite(width) && width > 0 ? width : 1;
    for (const double sign : {-1.0, 1.0}) {
      const double bound = sign < 0 ? bounds.lower[i] : bounds.upper[i];
      if (!std::isfinite(bound)) continue;
      Side side{i, sign, Vector::Constant(horizon, bound), range, Vector::Zero(horizon)};
      if (margin.size() > 0) side.bound -= sign * margin.row(i).transpose();
      sides_.push_back(std::move(side));
    }
  }
  reset();
}

void StateBounds::reset() {
  weight_ = kFirstWeight;
  last_violation_ = kInfinity;
  for (Side& side : sides_) side.multiplier.setZero();
}

double StateBounds::violation(const Rollout& rollout) const {
  double largest = 0;
  for (const Side& side : sides_)
    for (Index t = 1; t <= rollout.horizon(); ++t)
      largest = std::max(largest, side.excess(rollout, t));
  return largest;
}

double StateBounds::evaluate(const Rollout& rollout) const {
  double total = 0;
  for (const Side& side : sides_)
    for (Index t = 1; t <= rollout.horizon(); ++t) {
      const double excess = side.excess(rollout, t) + kInside;
      const double m = side.multiplier[t - 1], force = std::max(0.0, m + weight_ * excess);
      total += (force * force - m * m) / (2 * weight_);
    }
  return total;
}

void StateBounds::expand(const Rollout& rollout, lq::Problem& stages) const {
  const Index T = rollout.horizon(), n = stages.n();
  for (const Side& side : sides_)
    for (Index t = 1; t <= T; ++t) {
      const double excess = side.excess(rollout, t) + kInside;
      const double force = side.multiplier[t - 1] + weight_ * excess;
      if (force <= 0) continue;
      const double slope = side.sign * force / side.range;
      const double bend = weight_ / (side.range * side.range);
      if (t < T) {
        stages.g(side.state, t) += slope;
        stages.H(side.state, t * n + side.state) += bend;
      } else {
        stages.p[side.state] += slope;
        stages.P(side.state, side.state) += bend;
      }
    }
}

void StateBounds::rescale(double ratio) {
  for (Side& side : sides_) side.multiplier *= ratio;
}

void StateBounds::take_over(const StateBounds& earlier, Index steps, double ratio) {
  if (earlier.sides_.size() != sides_.size()) return;
  // A penalty that only grew would end as a wall.
  weight_ = std::max(kFirstWeight, 0.1 * earlier.weight_);
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    Vector& here = sides_[i].multiplier;
    const Vector& there = earlier.sides_[i].multiplier;
    here.setZero();
    const Index shared = std::min(there.size() - steps, here.size());
    if (shared > 0) here.head(shared) = ratio * there.segment(steps, shared);
  }
}

void StateBounds::update(const Rollout& rollout) {
  for (Side& side : sides_)
    for (Index t = 1; t <= rollout.horizon(); ++t) {
      const double excess = side.excess(rollout, t) + kInside;
      double& m = side.multiplier[t - 1];
      m = std::max(0.0, m + weight_ * excess);
    }
  const double now = violation(rollout);
  if (now > 0.25 * last_violation_) weight_ = std::min(10 * weight_, kLargestWeight);
  last_violation_ = now;
}

}  // namespace rhc
