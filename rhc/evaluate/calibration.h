// Is a model as sure as it should be?
#pragma once

#include "rhc/model/regression.h"

namespace rhc {

// Share of the one-step truths inside the model's central interval of each level, all outputs
// together. A model that is honest about what it does not know gives the levels themselves.
Vector coverage(const Regression& model, const Transitions& truth, const Vector& levels);

}  // namespace rhc
