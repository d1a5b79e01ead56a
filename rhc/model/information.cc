#include "rhc/model/information.h"

#include "rhc/model/cholesky.h"
#include "rhc/model/log_det.h"

namespace rhc {

double information(const BayesianLinearModel& model, const ConstMatrixRef& inputs) {
  if (inputs.cols() == 0) return 0;
  Matrix Z;
  model.features.evaluate(inputs, Z);
  model.features.saturate(Z);
  solve_lower(model.factor, Z);
  // 1/2 log det(I + Z' Z) for each output.
  Matrix gram = Matrix::Identity(inputs.cols(), inputs.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(Z.transpose());
  return static_cast<double>(model.noise.size()) * factorize_gram(gram, Z);
}

}  // namespace rhc
