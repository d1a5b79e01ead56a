// A regression that learns transition by transition, while a system moves.
#pragma once

#include <vector>

#include "rhc/model/regression.h"

namespace rhc {

// Every transition costs O(M^2) for each output, however many came before. The right-hand side is
// rotated along with the factor: the weights then lose about half as many digits as they would by
// solving with the moments.
struct OnlineRegression {
  // Goes on from the weights that the regression has.
  explicit OnlineRegression(Regression learned);

  void learn(const Vector& input, const Vector& change);

  // The same without allocating, by the features: the sines of all groups, one group behind the
  // other, and the affine ones that all share. Of the change, `left` is what is not known.
  void learn_features(const Eigen::Ref<const Vector>& phi, const Eigen::Ref<const Vector>& left);

  // The variance of each predicted change that is owed to the weights, at such features.
  void doubt(const Eigen::Ref<const Vector>& phi, Eigen::Ref<Vector> variance);

  // Brings the weights up to date with what was learned.
  void solve();

  Regression regression;
  std::vector<Matrix> target;  // by group: L' W

 private:
  void take_row(std::size_t g, Index first, const Eigen::Ref<const Vector>& phi);

  std::vector<Vector> rows_, rights_;  // by group: features and outputs of one transition
};

}  // namespace rhc
