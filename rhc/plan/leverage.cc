#include "rhc/plan/leverage.h"

namespace rhc {

Leverage::Leverage(const PlanningModel& m, const PlanningDoubt& d, Index horizon)
    : model(m),
      doubt(d),
      phi(d.sines + m.affine, horizon),
      Z(d.sines + m.affine, horizon),
      variance(horizon),
      weighted(d.sines + m.affine, horizon),
      bend_(m.affine, horizon),
      part_(d.sines + m.affine, horizon) {}

void Leverage::evaluate(const Rollout& rollout) {
  phi.topRows(doubt.sines) = rollout.phi.middleRows(doubt.first, doubt.sines);
  if (model.affine > 0) {
    // u / sqrt(1 + (u / reach)^2), and its slope; 1 stays 1.
    const Index inputs = model.affine - 1;
    const auto u = rollout.phi.middleRows(model.sines(), inputs).array();
    auto root = bend_.topRows(inputs).array();
    root = (1 + (u / kAffineReach).square()).rsqrt();
    phi.middleRows(doubt.sines, inputs).array() = u * root;
    root = root * root * root;
    phi.bottomRows(1).setOnes();
    bend_.bottomRows(1).setZero();
  }
  Z.noalias() = doubt.inverse_factor.triangularView<Eigen::Lower>() * phi;
  variance = Z.colwise().squaredNorm().transpose();
}

void Leverage::add_slope(const Matrix& Y, Matrix& slope) {
  add_slope(doubt.inverse_factor, Y, slope);
}

void Leverage::add_slope(const Matrix& lower, const Matrix& Y, Matrix& slope) {
  if (model.affine == 0) {
    slope.middleRows(doubt.first, doubt.sines).noalias() +=
        lower.transpose().triangularView<Eigen::Upper>() * Y;
    return;
  }
  part_.noalias() = lower.transpose().triangularView<Eigen::Upper>() * Y;
  slope.middleRows(doubt.first, doubt.sines) += part_.topRows(doubt.sines);
  slope.bottomRows(model.affine) += part_.bottomRows(model.affine).cwiseProduct(bend_);
}

std::vector<Leverage> leverages(const PlanningModel& model, Index horizon) {
  std::vector<Leverage> all;
  for (const PlanningDoubt& doubt : model.doubts) all.emplace_back(model, doubt, horizon);
  return all;
}

}  // namespace rhc
