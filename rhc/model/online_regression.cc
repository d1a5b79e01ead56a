#include "rhc/model/online_regression.h"

#include <utility>

#include "rhc/model/cholesky.h"

namespace rhc {

OnlineRegression::OnlineRegression(Regression learned) : regression(std::move(learned)) {
  for (const OutputGroup& group : regression.groups)
    target.push_back(group.posterior.factor.transpose().triangularView<Eigen::Upper>() *
                     group.posterior.weights);
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

void OnlineRegression::solve() {
  for (std::size_t g = 0; g < target.size(); ++g) {
    BayesianLinearModel& posterior = regression.groups[g].posterior;
    posterior.weights = target[g];
    posterior.factor.transpose().triangularView<Eigen::Upper>().solveInPlace(posterior.weights);
  }
}

}  // namespace rhc
