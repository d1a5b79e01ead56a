// A network of sines, whose last layer becomes the features of a model.
#pragma once

#include "rhc/explore/neural_methods.h"

namespace rhc {

// Trained by squared error and early stopping; what a straight line explains is the affine part's.
FourierFeatures sine_network(const NetworkLesson& lesson);

}  // namespace rhc
