#include "rhc/plan/entropy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rhc/model/log_det.h"

namespace rhc {

Entropy::Group::Group(Leverage of_group) : leverage(std::move(of_group)) {
  const Index rows = leverage.Z.rows(), steps = leverage.Z.cols(), size = std::min(rows, steps);
  factor.resize(size, size);
  if (by_steps())
    transposed.resize(steps, rows);
  else
    inverse_factor.resize(size, size);
}

Entropy::Entropy(const PlanningModel& model, Vector time_weights)
    : root_weights_(time_weights.cwiseSqrt()) {
  for (Leverage& leverage : leverages(model, time_weights.size()))
    groups_.emplace_back(std::move(leverage));
}

double Entropy::evaluate(const Rollout& rollout) {
  double nats = 0;
  for (Group& group : groups_) nats += evaluate(group, rollout);
  return std::isfinite(nats) ? -nats : kInfinity;
}

double Entropy::evaluate(Group& group, const Rollout& rollout) const {
  auto& [leverage, factor, transposed, inverse_factor] = group;
  Matrix& weighted = leverage.weighted;
  leverage.evaluate(rollout);
  weighted.noalias() = leverage.Z * root_weights_.asDiagonal();
  factor.setZero();
  if (group.by_steps())
    factor.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
  else
    factor.selfadjointView<Eigen::Lower>().rankUpdate(weighted);
  factor.diagonal().array() += 1;
  return leverage.doubt.outputs * factorize_gram(factor, weighted, !group.by_steps());
}

void Entropy::expand(const Rollout&, Expansion& at) {
  for (Group& group : groups_) expand(group, at);
}

void Entropy::expand(Group& group, Expansion& at) const {
  auto& [leverage, factor, transposed, inverse_factor] = group;
  Matrix& weighted = leverage.weighted;
  // The slope by phi_t is -D w_t A_T^-1 phi_t, with A_T the precision after the whole plan. Its
  // second derivative in the features is left out, as for the variance.
  if (group.by_steps()) {
    transposed = (-leverage.doubt.outputs * weighted).transpose();
    factor.triangularView<Eigen::Lower>().solveInPlace(transposed);
    factor.transpose().triangularView<Eigen::Upper>().solveInPlace(transposed);
    weighted.noalias() = transposed.transpose() * root_weights_.asDiagonal();
    leverage.add_slope(weighted, at.feature_slope);
  } else {
    // The inverse factor of A_T serves all steps.
    inverse_factor = leverage.doubt.inverse_factor;
    factor.triangularView<Eigen::Lower>().solveInPlace(inverse_factor);
    weighted.noalias() = inverse_factor.triangularView<Eigen::Lower>() * leverage.phi;
    weighted = weighted * (-leverage.doubt.outputs * root_weights_.cwiseAbs2()).asDiagonal();
    leverage.add_slope(inverse_factor, weighted, at.feature_slope);
  }
}

}  // namespace rhc
