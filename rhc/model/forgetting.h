// Data that count less the older they are.
#pragma once

#include <vector>

#include "rhc/core/types.h"

namespace rhc {

// All transitions in order, those of each episode with weight exp(-age / time_constant): its age is
// the number of later episodes that tell anything. 0: all count alike, and have no weights.
Transitions remembered(const std::vector<Transitions>& episodes, double time_constant);

// Columns times the square roots of the weights: what a weighted least-squares problem is made of.
void weigh(const Vector& root_weights, Eigen::Ref<Matrix> columns);

}  // namespace rhc
