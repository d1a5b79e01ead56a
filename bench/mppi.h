// A sampling planner, to be compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "rhc/control/observer.h"
#include "rhc/core/stopwatch.h"
#include "rhc/plan/plan_with_model.h"

namespace rhc::bench {

// Model predictive path integral control: the mean of noisy action sequences, weighted by their
// cost. It has the same filter, the same model and the same time.
class Mppi {
 public:
  Mppi(const DynamicsModel& model, const SystemSpec& spec, Index horizon, double seconds,
       std::uint64_t seed)
      : spec_(spec),
        motion_(model, spec, horizon, false),
        observer_(motion_, 0.5 * spec.action_bounds.width(), {}),
        seconds_(seconds),
        randomness_(seed, "MPPI"),
        rollout_(motion_.dynamics.states(), motion_.dynamics.actions(), motion_.dynamics.features(),
                 horizon),
        plan_(action_at_rest(spec).replicate(1, horizon)) {}

  Vector act(const Vector& seen) {
    if (started_) {
      observer_.predict(action_, false);
      observer_.measure(&seen);
    } else {
      observer_.start(motion_.layout.first_state(standing_at(seen, plan_.rows()), plan_.col(0)));
    }
    const double until = thread_cpu_seconds() + (started_ ? seconds_ : 50 * seconds_);
    started_ = true;
    const Index T = plan_.cols();
    const Vector width = 0.5 * spec_.action_bounds.width();
    costs_.clear();
    sequences_.clear();
    rollout_.states.col(0) = observer_.state();
    while (thread_cpu_seconds() < until || costs_.size() < 8) {
      Matrix actions = plan_;
      // Noise that lasts reaches further than white noise; the first sequence is the plan itself.
      Vector noise = Vector::Zero(width.size());
      for (Index t = 0; t < T; ++t) {
        noise = 0.8 * noise + 0.6 * randomness_.normals(width.size());
        if (!costs_.empty()) actions.col(t) += 0.5 * width.cwiseProduct(noise);
        actions.col(t) = spec_.action_bounds.clip(actions.col(t));
      }
      rollout_.actions = actions;
      follow(motion_.dynamics, rollout_);
      const double cost =
          spec_.task.total({rollout_.states.topRows(motion_.layout.observed), rollout_.actions});
      costs_.push_back(std::isfinite(cost) ? cost : 1e300);
      sequences_.push_back(std::move(actions));
    }
    const double least = *std::min_element(costs_.begin(), costs_.end());
    // So warm that some tens of sequences count.
    std::vector<double> sorted = costs_;
    std::sort(sorted.begin(), sorted.end());
    const double lambda = std::max(1e-12, sorted[sorted.size() / 20] - least);
    double sum = 0;
    Matrix next = Matrix::Zero(plan_.rows(), T);
    for (std::size_t k = 0; k < costs_.size(); ++k) {
      const double weight = std::exp(-(costs_[k] - least) / lambda);
      sum += weight;
      next += weight * sequences_[k];
    }
    plan_ = next / sum;
    action_ = plan_.col(0);
    plan_.leftCols(T - 1) = plan_.rightCols(T - 1).eval();
    return action_;
  }

 private:
  const SystemSpec spec_;
  LearnedMotion motion_;
  Observer observer_;
  const double seconds_;
  RandomStream randomness_;
  Rollout rollout_;
  Matrix plan_;
  Vector action_;
  bool started_ = false;
  std::vector<double> costs_;
  std::vector<Matrix> sequences_;
};

}  // namespace rhc::bench
