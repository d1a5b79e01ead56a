#include "rhc/model/online_regression.h"

#include <utility>

#include "rhc/model/cholesky.h"

namespace rhc {

OnlineRegression::OnlineRegression(Regression learned) : regression(std::move(learned)) {
  for (const OutputGroup& group : regression.groups)
    target.push_back(group.posterior.factor.transpose().triangularView<Eigen::Upper>() *
                     group.posterior.weights);
  for (const OutputGroup& group : regression.groups) {
    rows_.emplace_back(group.posterior.features.count());
    rights_.emplace_back(static_cast<Index>(group.outputs.size()));
  }
}

void OnlineRegression::learn(const Vector& input, const Vector& change) {
  const Transitions one{input, change};
  check(one, regression.inputs(), regression.outputs());
  const Transitions rest = regression.known ? left_to_learn(regression.known, one) : one;
  Matrix phi, seen;
  for (std::size_t g = 0; g < target.size(); ++g) {
    auto& [outputs, posterior] = regression.groups[g];
    posterior.features.evaluate(rest.inputs, phi);
    seen = posterior.outputs.apply(rest.outputs(outputs, Eigen::all));
    posterior.moment.noalias() += phi * seen.transpose();
    Vector row = phi, right = seen;
    cholesky_update(posterior.factor, row, target[g], right);
    ++posterior.count;
  }
}

void OnlineRegression::take_row(std::size_t g, Index first, const Eigen::Ref<const Vector>& phi) {
  const FourierFeatures& features = regression.groups[g].posterior.features;
  rows_[g].head(features.sines()) = phi.segment(first, features.sines());
  rows_[g].tail(features.affine()) = phi.tail(features.affine());
}

void OnlineRegression::learn_features(const Eigen::Ref<const Vector>& phi,
                                      const Eigen::Ref<const Vector>& left) {
  Index first = 0;
  for (std::size_t g = 0; g < target.size(); ++g) {
    auto& [outputs, posterior] = regression.groups[g];
    take_row(g, first, phi);
    first += posterior.features.sines();
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const auto at = static_cast<Index>(k);
      rights_[g][at] =
          (left[outputs[k]] - posterior.outputs.mean[at]) / posterior.outputs.scale[at];
      posterior.moment.col(at) += rights_[g][at] * rows_[g];
    }
    cholesky_update(posterior.factor, rows_[g], target[g], rights_[g]);
    ++posterior.count;
  }
}

void OnlineRegression::doubt(const Eigen::Ref<const Vector>& phi, Eigen::Ref<Vector> variance) {
  Index first = 0;
  for (std::size_t g = 0; g < target.size(); ++g) {
    const auto& [outputs, posterior] = regression.groups[g];
    take_row(g, first, phi);
    first += posterior.features.sines();
    posterior.factor.triangularView<Eigen::Lower>().solveInPlace(rows_[g]);
    const double leverage = rows_[g].squaredNorm();
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const auto at = static_cast<Index>(k);
      const double noise = posterior.noise[at] * posterior.outputs.scale[at];
      variance[outputs[k]] = leverage * noise * noise;
    }
  }
}

void OnlineRegression::solve() {
  for (std::size_t g = 0; g < target.size(); ++g) {
    BayesianLinearModel& posterior = regression.groups[g].posterior;
    posterior.weights = target[g];
    posterior.factor.transpose().triangularView<Eigen::Upper>().solveInPlace(posterior.weights);
  }
}

}  // namespace rhc
