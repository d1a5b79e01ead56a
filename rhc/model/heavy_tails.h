// Transitions that a model's noise does not explain: a wall that was hit, a slip, a glitch of a
// sensor.
#pragma once

#include "rhc/model/regression.h"

namespace rhc {

// How far each output of each transition is off what the others tell of it (D x N).
struct LeftOut {
  Matrix off;        // in predictive deviations
  Matrix deviation;  // of the prediction, in the units of the observations
};

// Of data that were learned from, with the weights that they had then.
LeftOut left_out(const Regression& regression, const Transitions& data, int threads = 1,
                 const StopSignal& stop = {});

// Student's t distribution over what is off, by output: where its tails are no heavier than a
// normal distribution's, `freedom` is infinite.
struct Tails {
  Vector freedom, scale;
};
Tails tails_of(const Matrix& off);

// As how many transitions each counts: one, and next to nothing where it lies far outside the bulk
// of an output with heavy tails, or follows one that does.
Vector weights_by(const Tails& tails, const Matrix& off);

// The same of data that were not learned from, by what was predicted of them: what a model that
// explained all until now would not have thought possible.
Vector weights_by_prediction(const Regression& regression, const Transitions& data);

}  // namespace rhc
