// What a trajectory teaches.
#pragma once

#include "rhc/model/bayesian_linear_model.h"

namespace rhc {

// Nats by which the entropy of all parameters falls when the outputs at these inputs (one a column)
// are seen, hyperparameters unchanged.
double information(const BayesianLinearModel& model, const ConstMatrixRef& inputs);

}  // namespace rhc
