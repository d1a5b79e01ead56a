#include "rhc/plan/leverage.h"

namespace rhc {

Leverage::Leverage(const Belief& b, Index horizon)
    : belief(b), Z(b.features(), horizon), variance(horizon) {}

void Leverage::evaluate(const Rollout& rollout) {
  Z.noalias() = belief.inverse_factor.triangularView<Eigen::Lower>() * rollout.phi;
  variance = Z.colwise().squaredNorm().transpose();
}

void Leverage::add_slope(const Matrix& Y, Matrix& slope) const {
  slope.noalias() += belief.inverse_factor.transpose().triangularView<Eigen::Upper>() * Y;
}

}  // namespace rhc
