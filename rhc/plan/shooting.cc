#include "rhc/plan/shooting.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rhc {

namespace {

// Curvature is lifted to this share of its typical size: less would make the step jump.
constexpr double kLeastCurvature = 0.02;
// A step that fails is tried again this much shorter, so many times.
constexpr double kShorter = 0.4;
constexpr int kLengths = 4;
// How far outside a state bound a step may lead, as a share of the range.
constexpr double kFunnel = 0.01;

}  // namespace

Shooting::Shooting(const Dynamics& dynamics, Objective& objective, const Box& action_bounds,
                   const Box& state_bounds, Index horizon, const Matrix& margin)
    : dynamics_(dynamics),
      objective_(objective),
      action_bounds_(action_bounds),
      bounds_(state_bounds, margin, horizon),
      here_(dynamics.states(), dynamics.actions(), dynamics.features(), horizon),
      there_(here_),
      stages_(dynamics.states(), dynamics.actions(), horizon),
      riccati_(dynamics.states(), dynamics.actions()),
      policy_(dynamics.states(), dynamics.actions(), horizon),
      feature_slope_(dynamics.features(), horizon),
      multipliers_(dynamics.states(), horizon),
      gaps_(dynamics.states(), horizon),
      linear_states_(dynamics.states(), horizon + 1),
      linear_actions_(dynamics.actions(), horizon) {}

void Shooting::begin(const Eigen::Ref<const Vector>& first_state, const Matrix& actions) {
  here_.states.col(0) = first_state;
  for (Index t = 0; t < here_.horizon(); ++t)
    here_.actions.col(t) =
        actions.col(t).cwiseMax(action_bounds_.lower).cwiseMin(action_bounds_.upper);
  follow(dynamics_, here_);
  start();
}

void Shooting::begin_open(const Matrix& states, const Matrix& actions) {
  here_.states = states;
  for (Index t = 0; t < here_.horizon(); ++t) {
    here_.actions.col(t) =
        actions.col(t).cwiseMax(action_bounds_.lower).cwiseMin(action_bounds_.upper);
    dynamics_.step(here_, t);
  }
  start();
}

void Shooting::start() {
  bounds_.reset();
  gap_weight_ = curvature_ = damping_ = 0;
  iterations_ = bound_updates_ = small_steps_ = 0;
  expanded_ = evaluated_elsewhere_ = false;
  cost_ = objective_.evaluate(here_);
  status_ = std::isfinite(cost_) && here_.next.allFinite() ? ShootingStatus::running
                                                           : ShootingStatus::not_finite;
  scale_ = std::abs(cost_) > 1e-290 ? 1 / std::abs(cost_) : 1;
  merit_ = merit(here_, cost_);
}

void Shooting::go_on_from(const HeldBounds& earlier, Index steps) {
  bounds_.take_over(earlier.bounds, steps, scale_ / earlier.scale);
  merit_ = merit(here_, cost_);
}

double Shooting::merit(const Rollout& rollout, double cost) const {
  const double gaps =
      gap_weight_ > 0
          ? (rollout.next - rollout.states.rightCols(rollout.horizon())).cwiseAbs().sum()
          : 0;
  return scale_ * cost + bounds_.evaluate(rollout) + gap_weight_ * gaps;
}

// The linear-quadratic problem at the present point, with the second derivatives of the Lagrangian.
void Shooting::expand() {
  const Index T = here_.horizon(), nx = dynamics_.states();
  stages_.g.setZero();
  stages_.H.setZero();
  stages_.P.setZero();
  stages_.p.setZero();
  feature_slope_.setZero();
  Expansion expansion{stages_, feature_slope_};
  objective_.expand(here_, expansion);
  evaluated_elsewhere_ = true;  // it may have used up what it remembered
  stages_.g *= scale_;
  stages_.H *= scale_;
  stages_.P *= scale_;
  stages_.p *= scale_;
  feature_slope_ *= scale_;
  bounds_.expand(here_, stages_);
  dynamics_.add_slope(here_, feature_slope_, stages_.g);
  dynamics_.linearize(here_, stages_.F);
  stages_.d = here_.next - here_.states.rightCols(T);
  for (Index t = 0; t < T; ++t) {
    stages_.lower.col(t) = action_bounds_.lower - here_.actions.col(t);
    stages_.upper.col(t) = action_bounds_.upper - here_.actions.col(t);
  }

  // Multipliers of the dynamics: what a change of the next state costs.
  multipliers_.col(T - 1) = stages_.p;
  for (Index t = T - 1; t > 0; --t) {
    multipliers_.col(t - 1) = stages_.g.col(t).head(nx);
    multipliers_.col(t - 1).noalias() +=
        stages_.F_(t).leftCols(nx).transpose().lazyProduct(multipliers_.col(t));
  }
  dynamics_.add_curvature(here_, multipliers_, feature_slope_, stages_.H);
  expanded_ = true;
}

// What a full step should change the merit by, to first order.
double Shooting::predicted_change() {
  const double gap = stages_.d.cwiseAbs().maxCoeff();
  if (gap <= 1e-12) return policy_.slope;
  gap_weight_ = std::max(gap_weight_, 1.5 * multipliers_.cwiseAbs().maxCoeff());
  merit_ = merit(here_, cost_);
  lq::simulate(stages_, policy_, linear_states_, linear_actions_);
  const Index T = here_.horizon(), nx = dynamics_.states();
  double change = stages_.p.dot(linear_states_.col(T));
  for (Index t = 0; t < T; ++t)
    change += stages_.g.col(t).head(nx).dot(linear_states_.col(t)) +
              stages_.g.col(t).tail(linear_actions_.rows()).dot(linear_actions_.col(t));
  return change - gap_weight_ * stages_.d.cwiseAbs().sum();
}

// A step of this length along the policy: states follow the true dynamics, and of each gap the
// share 1 - length stays open.
bool Shooting::try_step(double length, double predicted) {
  const Index T = here_.horizon(), nx = dynamics_.states();
  there_.states.col(0) = here_.states.col(0);
  for (Index t = 0; t < T; ++t) {
    auto action = there_.actions.col(t);
    action = here_.actions.col(t) + length * policy_.k.col(t);
    for (Index j = 0; j < nx; ++j)
      action += (there_.states(j, t) - here_.states(j, t)) * policy_.K.col(t * nx + j);
    action = action.cwiseMax(action_bounds_.lower).cwiseMin(action_bounds_.upper);
    dynamics_.step(there_, t);
    there_.states.col(t + 1) = there_.next.col(t) - (1 - length) * stages_.d.col(t);
  }
  // Outside the bounds a gain may grow faster than any penalty: no step leads further out.
  if (bounds_.violation(there_) > std::max(bounds_.violation(here_), kFunnel)) return false;
  const double cost = objective_.evaluate(there_);
  const double merit_there = merit(there_, cost);
  if (!(merit_there <= merit_ + 1e-4 * length * std::min(predicted, 0.0)) ||
      !(merit_there < merit_) || !std::isfinite(merit_there)) {
    evaluated_elsewhere_ = true;
    return false;
  }
  std::swap(here_, there_);
  cost_ = cost;
  merit_ = merit_there;
  evaluated_elsewhere_ = false;
  return true;
}

bool Shooting::iterate(int steps, const ShootingSettings& settings) {
  for (int i = 0; i < steps && status_ == ShootingStatus::running; ++i) {
    ++iterations_;
    if (!expanded_) {
      if (evaluated_elsewhere_) objective_.evaluate(here_);
      expand();
    }
    // The curvature of the last pass tells what is small.
    const double size = curvature_;
    if (riccati_.solve(stages_, {damping_ * size, kLeastCurvature * size}, policy_) !=
        lq::RiccatiStatus::ok) {
      status_ = ShootingStatus::stalled;
      break;
    }
    curvature_ = policy_.curvature;
    const double predicted = predicted_change();
    const double before = merit_;
    double length = 1;
    bool accepted = try_step(length, predicted);
    for (int k = 1; k < kLengths && !accepted; ++k) {
      length *= kShorter;
      accepted = try_step(length, predicted);
    }

    const double gain = before - merit_, size_of_cost = std::abs(scale_ * cost_);
    if (!accepted) {
      // A more careful step next time, unless there is none left.
      if (damping_ > 1e8 || -predicted <= 1e-14) {
        finish_inner(settings);
        continue;
      }
      damping_ = std::max(10 * damping_, 0.1);
      continue;
    }
    expanded_ = false;
    keep_scale();
    if (length < 0.2)
      damping_ = std::max(4 * damping_, 0.03);
    else if (length >= 0.5)
      damping_ = damping_ > 1e-4 ? 0.2 * damping_ : 0;

    // While a bound is violated, the multipliers are worth more than the last digits of the cost.
    const bool outside = bounds_.violation(here_) > settings.bound_tolerance;
    const double enough = outside ? std::max(settings.tolerance, 1e-3) : settings.tolerance;
    small_steps_ = gain <= enough * size_of_cost ? small_steps_ + 1 : 0;
    if (small_steps_ >= (outside ? 1 : 3)) finish_inner(settings);
  }
  return status_ == ShootingStatus::running;
}

// A gain may grow a million times from where it started: penalties would no longer count.
void Shooting::keep_scale() {
  const double size = std::abs(scale_ * cost_);
  if (size < 4 && (size > 0.25 || std::abs(cost_) < 1e-290)) return;
  const double ratio = 1 / size;
  scale_ *= ratio;
  bounds_.rescale(ratio);
  gap_weight_ *= ratio;
  curvature_ *= ratio;
  merit_ = merit(here_, cost_);
}

// The penalised problem is solved: done, unless a state bound is still violated.
void Shooting::finish_inner(const ShootingSettings& settings) {
  small_steps_ = 0;
  damping_ = 0;
  const bool closed = here_.defect() <= settings.defect_tolerance;
  if (!closed) {
    follow(dynamics_, here_);
    cost_ = objective_.evaluate(here_);
    evaluated_elsewhere_ = false;
    if (!std::isfinite(cost_) || !here_.states.allFinite()) {
      status_ = ShootingStatus::not_finite;
      return;
    }
  }
  const double violation = bounds_.violation(here_);
  if (violation <= settings.bound_tolerance) {
    // Where gaps had to be closed by simulation, no step was found that does it: that is no
    // optimum.
    status_ = closed ? ShootingStatus::converged : ShootingStatus::stalled;
  } else if (bound_updates_ >= settings.most_bound_updates) {
    status_ = ShootingStatus::infeasible;
  } else {
    ++bound_updates_;
    bounds_.update(here_);
    merit_ = merit(here_, cost_);
    expanded_ = false;
  }
}

}  // namespace rhc
