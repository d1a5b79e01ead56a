// Actions within (-1, 1): the hyperbolic tangent of a Gaussian.
#pragma once

#include "rhc/neural/tensors.h"

namespace rhc {

struct SquashedSample {
  Tensor actions;
  Tensor log_density;  // of the actions, one a row
};

// tanh(mean + exp(log_deviation) noise); gradients flow through it.
SquashedSample squashed_sample(const Tensor& mean, const Tensor& log_deviation,
                               const Tensor& noise);

}  // namespace rhc
