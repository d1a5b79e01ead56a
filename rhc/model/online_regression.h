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

  // Brings the weights up to date with what was learned.
  void solve();

  Regression regression;
  std::vector<Matrix> target;  // by group: L' W
};

}  // namespace rhc
