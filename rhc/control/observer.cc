#include "rhc/control/observer.h"

#include <algorithm>
#include <cmath>

#include "rhc/model/circle.h"

namespace rhc {

namespace {

// Of half the range of an action: the deviation of what may be added to it.
constexpr double kDisturbedAction = 0.25;
// Of the sensors' noise: the deviation of a disturbance, beside the noise that moves the system.
constexpr double kSensorShare = 0.1;
// Of a disturbance of the changes that is left a step later, on the way.
constexpr double kForgotten = 0.95;

}  // namespace

Observer::Observer(LearnedMotion& motion, const Vector& half_range, ObserverSettings settings)
    : motion_(motion),
      settings_(settings),
      nx_(motion.dynamics.states()),
      nd_(motion.disturbances()),
      mean_(Vector::Zero(nx_ + nd_)),
      covariance_(Matrix::Zero(nx_ + nd_, nx_ + nd_)),
      wander_(nd_),
      most_(nd_),
      H_(Matrix::Identity(motion.layout.observed, nx_ + nd_)),
      F_(Matrix::Zero(nx_ + nd_, nx_ + nd_)),
      Fx_(nx_, nx_ + motion.dynamics.actions()),
      step_variance_(Vector::Zero(nx_ + nd_)),
      workspace_(nx_ + nd_, motion.layout.observed),
      at_(motion.one_step()),
      expected_(Vector::Zero(motion.layout.observed)),
      expected_deviation_(expected_),
      innovation_(expected_) {
  // A part of what is taken for the sensors' noise may well be a disturbance.
  const Vector unexplained =
      motion.process_variance.cwiseSqrt() + kSensorShare * motion.sensor_variance.cwiseSqrt();
  const Index acts = motion.disturbed_actions();
  for (Index k = 0; k < nd_; ++k) {
    const double deviation =
        k < acts ? kDisturbedAction * half_range[k]
                 : unexplained.cwiseProduct(motion.directions().col(k - acts)).norm();
    wander_[k] = std::pow(deviation / settings.disturbance_steps, 2);
    most_[k] = deviation * deviation;
  }
}

void Observer::start(const Eigen::Ref<const Vector>& state) {
  mean_.setZero();
  mean_.head(nx_) = state;
  covariance_.setZero();
  const Index D = motion_.layout.observed;
  for (Index back = 0; back < motion_.layout.history; ++back)
    covariance_.diagonal().segment(back * D, D) = motion_.sensor_variance;
  covariance_.diagonal().tail(nd_) = most_;
  in_a_row_ = absurd_in_a_row_ = 0;
  hand_on();
  expect();
  innovation_.setZero();
}

void Observer::hand_on() { motion_.set_disturbance(mean_.tail(nd_)); }

void Observer::predict(const Eigen::Ref<const Vector>& control, bool comes_to_rest) {
  const Index D = motion_.layout.observed;
  at_.states.col(0) = mean_.head(nx_);
  at_.actions.col(0) = control;
  motion_.step(at_);
  motion_.dynamics.linearize(at_, Fx_);
  F_.topLeftCorner(nx_, nx_) = Fx_.leftCols(nx_);
  motion_.slope_of_disturbance(Fx_, F_.topRightCorner(nx_, nd_));
  const Index acts = motion_.disturbed_actions();
  F_.bottomRightCorner(nd_, nd_).setIdentity();
  if (!comes_to_rest) {
    F_.bottomRightCorner(nd_, nd_).diagonal().tail(nd_ - acts).setConstant(kForgotten);
    mean_.tail(nd_ - acts) *= kForgotten;
  }

  motion_.doubt(at_, step_variance_.head(D));
  step_variance_.head(D) += motion_.process_variance;
  step_variance_.tail(nd_) = wander_;
  spread_covariance(F_, step_variance_, covariance_, workspace_);
  mean_.head(nx_) = at_.next.col(0);
  // A disturbance that nothing tells of is not doubted more and more, in numbers without end.
  for (Index k = 0; k < nd_; ++k) {
    const double variance = covariance_(nx_ + k, nx_ + k);
    if (variance <= most_[k]) continue;
    const double less = std::sqrt(most_[k] / variance);
    covariance_.row(nx_ + k) *= less;
    covariance_.col(nx_ + k) *= less;
  }
  expect();
}

void Observer::expect() {
  expected_ = mean_.head(expected_.size());
  expect_innovation(H_, motion_.sensor_variance, covariance_, workspace_);
  expected_deviation_ = workspace_.S.diagonal().cwiseMax(0).cwiseSqrt();
}

MeasuredAs Observer::measure(const Vector* measured) {
  surprise_ = 0;
  if (!measured || measured->size() != expected_.size()) {
    innovation_.setZero();
    ++in_a_row_;
    return MeasuredAs::lost;
  }
  innovation_ = *measured - expected_;
  const bool number = innovation_.allFinite();
  if (number)
    for (Index i = 0; i < innovation_.size(); ++i)
      surprise_ = std::max(surprise_, std::abs(innovation_[i]) / expected_deviation_[i]);
  if (!number || !(surprise_ <= settings_.gate)) {
    ++in_a_row_;
    if (!measured->allFinite()) return MeasuredAs::absurd;
    if (++absurd_in_a_row_ < settings_.believe_after) return MeasuredAs::absurd;
    begin_anew(*measured);
    return MeasuredAs::believed;
  }
  take_innovation(H_, innovation_, mean_, covariance_, workspace_);
  project_on_circles(motion_.planned.angles, mean_.head(expected_.size()));
  in_a_row_ = absurd_in_a_row_ = 0;
  hand_on();
  return MeasuredAs::taken;
}

// What was remembered of earlier observations is as doubtful as the last one was wrong.
void Observer::begin_anew(const Vector& measured) {
  const Index D = expected_.size();
  for (Index i = 0; i < nx_; ++i)
    if (!std::isfinite(mean_[i])) mean_[i] = i < D * motion_.layout.history ? measured[i % D] : 0;
  for (Index k = 0; k < nd_; ++k)
    if (!std::isfinite(mean_[nx_ + k])) mean_[nx_ + k] = 0;
  covariance_.setZero();
  for (Index back = 0; back < motion_.layout.history; ++back)
    for (Index i = 0; i < D; ++i) {
      const double off = std::isfinite(innovation_[i]) ? innovation_[i] : 0;
      covariance_(back * D + i, back * D + i) =
          motion_.sensor_variance[i] + (back > 0 ? off * off : 0);
    }
  covariance_.diagonal().tail(nd_) = most_;
  mean_.head(D) = measured;
  project_on_circles(motion_.planned.angles, mean_.head(D));
  in_a_row_ = absurd_in_a_row_ = 0;
  hand_on();
}

void Observer::give_up(const Eigen::Ref<const Vector>& changes) {
  mean_.tail(nd_ - motion_.disturbed_actions()).noalias() -=
      motion_.directions().transpose() * changes;
  hand_on();
}

bool Observer::finite() const { return mean_.allFinite() && covariance_.allFinite(); }

double Observer::deviation(Index i) const { return std::sqrt(std::max(0.0, covariance_(i, i))); }

}  // namespace rhc
