#include "rhc/evaluate/information.h"

#include <Eigen/Cholesky>

#include "rhc/model/cholesky.h"

namespace rhc {

double information(const BayesianLinearModel& model, const ConstMatrixRef& inputs) {
  if (inputs.cols() == 0) return 0;
  Matrix Z;
  model.features.evaluate(inputs, Z);
  solve_lower(model.factor, Z);
  // 1/2 log det(I + Z' Z) for each output.
  Matrix K = Matrix::Identity(inputs.cols(), inputs.cols());
  K.selfadjointView<Eigen::Lower>().rankUpdate(Z.transpose());
  const Matrix factor = Eigen::LLT<Matrix>(K).matrixL();
  return static_cast<double>(model.noise.size()) * factor.diagonal().array().log().sum();
}

}  // namespace rhc
