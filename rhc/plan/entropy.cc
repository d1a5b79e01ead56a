#include "rhc/plan/entropy.h"

#include <algorithm>
#include <cmath>

#include "rhc/model/log_det.h"

namespace rhc {

Entropy::Entropy(const PlanningModel& model, Vector time_weights)
    : leverage_(model, time_weights.size()),
      root_weights_(time_weights.cwiseSqrt()),
      outputs_(static_cast<double>(model.outputs)),
      weighted_(model.features(), time_weights.size()) {
  const Index size = std::min(weighted_.rows(), weighted_.cols());
  factor_.resize(size, size);
  if (by_steps())
    transposed_.resize(weighted_.cols(), weighted_.rows());
  else
    inverse_factor_.resize(size, size);
}

double Entropy::evaluate(const Rollout& rollout) {
  leverage_.evaluate(rollout);
  weighted_.noalias() = leverage_.Z * root_weights_.asDiagonal();
  factor_.setZero();
  if (by_steps())
    factor_.selfadjointView<Eigen::Lower>().rankUpdate(weighted_.transpose());
  else
    factor_.selfadjointView<Eigen::Lower>().rankUpdate(weighted_);
  factor_.diagonal().array() += 1;
  const double nats = outputs_ * factorize_gram(factor_, weighted_, !by_steps());
  return std::isfinite(nats) ? -nats : kInfinity;
}

void Entropy::expand(const Rollout& rollout, Expansion& at) {
  // The slope by phi_t is -D w_t A_T^-1 phi_t, with A_T the precision after the whole plan. Its
  // second derivative in the features is left out, as for the variance.
  if (by_steps()) {
    transposed_ = (-outputs_ * weighted_).transpose();
    factor_.triangularView<Eigen::Lower>().solveInPlace(transposed_);
    factor_.transpose().triangularView<Eigen::Upper>().solveInPlace(transposed_);
    weighted_.noalias() = transposed_.transpose() * root_weights_.asDiagonal();
    leverage_.add_slope(weighted_, at.feature_slope);
  } else {
    // The inverse factor of A_T serves all steps.
    inverse_factor_ = leverage_.model.inverse_factor;
    factor_.triangularView<Eigen::Lower>().solveInPlace(inverse_factor_);
    weighted_.noalias() = inverse_factor_.triangularView<Eigen::Lower>() * rollout.phi;
    weighted_ = weighted_ * (-outputs_ * root_weights_.cwiseAbs2()).asDiagonal();
    at.feature_slope.noalias() +=
        inverse_factor_.transpose().triangularView<Eigen::Upper>() * weighted_;
  }
}

}  // namespace rhc
