// Bayesian linear regression of observation differences on Fourier features: one posterior, of one
// output or of several that share it.
//
// In standardised outputs y_j ~ N(w_j' phi, s_j^2) with the prior w_j ~ N(0, s_j^2 / lambda I);
// affine features have a lambda of their own. Prior and noise are tied, so that one precision
// A = lambda I + Phi' Phi serves all outputs, and the covariance of w_j is s_j^2 A^-1. Only the
// Cholesky factor of A is kept: A's condition number reaches 1e12, where an inverse would turn
// indefinite.
#pragma once

#include "rhc/core/random.h"
#include "rhc/core/stop_signal.h"
#include "rhc/core/types.h"
#include "rhc/model/fourier_features.h"

namespace rhc {

// y = (difference - mean) / scale, for each output.
struct Standardization {
  Vector mean, scale;

  Matrix apply(const ConstMatrixRef& outputs) const;
};

// Mean and standard deviation of each output; scale 1 for one that never varies.
Standardization standardization_of(const ConstMatrixRef& outputs);

// What is found by maximising the evidence.
struct Hyperparameters {
  Vector bandwidth;             // nu
  double prior_precision;       // lambda
  Vector noise;                 // s_j, in standard deviations of the outputs
  double affine_precision = 0;  // lambda of the affine features; 0: there are none
  // In the place of the noise in predictions: so many features cannot follow a function away from
  // the data, and what they have wrong there grows with their leverage. Empty: the noise.
  Vector predicted_noise{};
};

// The same with a predicted noise of at least this, in standard deviations of an output.
Hyperparameters with_model_error(Hyperparameters hyperparameters, double model_error);

bool predicts_with_noise_alone(const Hyperparameters& hyperparameters);

// In the units of the observations. The predictive variance of output j at point t is
// epistemic(j, t) + noise[j]; both are relative to the predicted noise.
struct Prediction {
  Matrix mean;
  Matrix epistemic;
  Vector noise;
};

// Memory that predictions at many points reuse.
struct PredictionWorkspace {
  Matrix phi, cosine, solved;
};

struct BayesianLinearModel {
  FourierFeatures features;
  Standardization outputs;
  double prior_precision, affine_precision;
  Vector noise;            // s_j, standardised
  Vector predicted_noise;  // standardised
  Matrix factor;           // lower triangular, factor factor' = A
  Matrix moment;           // Phi' Y, M x D
  Matrix weights;          // A^-1 Phi' Y, M x D
  Index count = 0;         // transitions learned from

  // The prior: the model before any data.
  BayesianLinearModel(FourierFeatures draw, const Hyperparameters& hyperparameters,
                      Standardization standardization);

  // Learns without refitting the hyperparameters, in O(M^2) a transition. Data that are not finite
  // are refused with an InputError, and the posterior stays as it was; as it does where somebody
  // wishes to stop. Many data are gone through in blocks.
  void learn(const Transitions& data, const StopSignal& stop = {});

  Prediction predict(const ConstMatrixRef& inputs) const;

  // The mean (D x T), and the leverage phi' A^-1 phi of each point: times the predicted noise
  // variance, it is the epistemic variance. The features' cosines are left in the workspace when
  // asked for; without them many inputs are gone through in blocks, and it has what belongs to the
  // last.
  void predict(const ConstMatrixRef& inputs, bool with_cosine, PredictionWorkspace& workspace,
               Matrix& mean, Vector& leverage, const StopSignal& stop = {}) const;
  // The mean alone, all inputs at once, in far fewer operations.
  void predict_mean(const ConstMatrixRef& inputs, bool with_cosine, PredictionWorkspace& workspace,
                    Matrix& mean) const;

  // In the units of the observations: s_j^2, which the weights' covariance is relative to, and what
  // takes its place in predictions.
  Vector noise_variance() const { return noise.cwiseProduct(outputs.scale).cwiseAbs2(); }
  Vector predicted_noise_variance() const {
    return predicted_noise.cwiseProduct(outputs.scale).cwiseAbs2();
  }

  // Entropy of all weights (standardised), in nats.
  double parameter_entropy() const;

  Hyperparameters hyperparameters() const {
    return {features.bandwidth, prior_precision, noise, affine_precision, predicted_noise};
  }

  // Weights drawn from the posterior, M x D, standardised.
  Matrix sample_weights(RandomStream& randomness) const;

 private:
  void predict_block(const ConstMatrixRef& inputs, bool with_cosine, PredictionWorkspace& workspace,
                     Matrix& mean, Vector& leverage) const;
};

// How many inputs are looked at at once, so that their features stay in the cache. Results depend
// on it in their last bits, so it depends on the number of features alone.
Index prediction_block(Index features);
Index learning_block(Index features);

// Throws InputError that names the first entry that is not finite, or shapes that do not fit.
void check(const Transitions& data, Index inputs, Index outputs);

}  // namespace rhc
