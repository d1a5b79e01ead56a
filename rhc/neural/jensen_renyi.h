// How much Gaussians disagree.
#pragma once

#include "rhc/neural/tensors.h"

namespace rhc {

// Jensen-Renyi divergence of order two of the equal mixture of diagonal Gaussians, at each of many
// points: the quadratic entropy of the mixture less the mean of its components'. Means and
// variances are members x points x dimensions, the result has one entry a point.
Tensor jensen_renyi(const Tensor& means, const Tensor& variances);

}  // namespace rhc
