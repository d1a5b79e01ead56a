// How good a model is, judged by trajectories it has not seen.
#pragma once

#include <optional>

#include "rhc/evaluate/test_set.h"
#include "rhc/model/regression.h"

namespace rhc {

struct Scores {
  // One step: root mean square error, each output in its standard deviation over the test set.
  double rmse;
  // Mean over trajectories of the sum over steps of log N(truth; mean, covariance):
  double log_likelihood;           // free-running, covariance propagated through the mean dynamics
  double log_likelihood_one_step;  // from the true previous observation
  double log_likelihood_paper;     // free-running, predictive variance at the predicted point alone
  // Share of one-step truths inside the central 95 % interval.
  double coverage95;
  // Free-running, with weights that are the same at all steps: their errors add up.
  std::optional<double> log_likelihood_coherent{};  // nothing where rhc 0.1 did not know it
};

Scores score(const Regression& model, const TestSet& set, int threads);

// The error of "nothing changes", which is what a model without data predicts.
double rmse_without_data(const TestSet& set);

}  // namespace rhc
