#include "rhc/plan/leverage.h"

namespace rhc {

Leverage::Leverage(const PlanningModel& m, Index horizon)
    : model(m), Z(m.features(), horizon), variance(horizon) {}

void Leverage::evaluate(const Rollout& rollout) {
  Z.noalias() = model.inverse_factor.triangularView<Eigen::Lower>() * rollout.phi;
  variance = Z.colwise().squaredNorm().transpose();
}

void Leverage::add_slope(const Matrix& Y, Matrix& slope) const {
  slope.noalias() += model.inverse_factor.transpose().triangularView<Eigen::Upper>() * Y;
}

}  // namespace rhc
