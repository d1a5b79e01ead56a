// The log marginal likelihood of the data as a function of the hyperparameters.
#pragma once

#include <vector>

#include "rhc/core/stop_signal.h"
#include "rhc/model/bayesian_linear_model.h"

namespace rhc {

struct EvidenceGradient {
  Vector log_bandwidth;
  double log_prior, log_affine;
  Vector log_noise;
};

// log p(Y | nu, lambda, s) of standardised outputs, with gradients in the logs of all three; and
// the uncertainty that would be left in a region of interest.
class Evidence {
 public:
  using Gradient = EvidenceGradient;

  // inputs: n x N; outputs: D x N, standardised; region: n x K, possibly none. All three are
  // referred to, not copied. With root weights, a transition's likelihood is taken to the power of
  // its weight, and the outputs are given times them. Many transitions are gone through in blocks
  // (learning_block), between which Interrupted is thrown where somebody wishes to stop.
  Evidence(const FourierFeatures& draw, const Matrix& inputs, const Matrix& outputs,
           const Matrix& region, Vector root_weights = {}, StopSignal stop = {});

  // Sets nu and lambda, also that of affine features; false where the precision is not numerically
  // positive definite.
  bool set(const Eigen::Ref<const Vector>& log_bandwidth, double log_prior, double log_affine = 0);

  // For what was set:
  Vector best_noise(double floor) const;  // the s_j that maximise it, not below the floor
  double value(const Vector& noise) const;
  double effective_parameters();  // directions that the data determine, of M
  // Mean over the region of 1/2 log(1 + phi' A^-1 phi): nats that one more observation would bring.
  double uncertainty() const;
  // Of value(noise) + caution * uncertainty().
  Gradient gradient(const Vector& noise, double caution = 0);

 private:
  struct Block {
    Index first, count;
  };
  std::vector<Block> blocks() const;
  // The features of a block; where there is one alone, it is there already.
  void look_at(const Block& block, bool with_cosine);

  const Matrix& inputs_;
  const Matrix& outputs_;
  const Matrix& region_;
  Vector root_weights_;  // empty: all count as one
  const StopSignal stop_;
  double count_;  // of transitions that the data count as
  FourierFeatures features_;
  double log_prior_ = 0, log_affine_ = 0;
  double log_det_ = 0;   // of A
  Vector residual_;      // y_j' (I + Phi Phi' / lambda)^-1 y_j
  Vector leverage_;      // phi' A^-1 phi in the region
  Matrix phi_, cosine_;  // of the block that was looked at last
  Matrix factor_, inverse_, weights_, error_, slope_;
  Matrix region_phi_, region_cosine_, region_solved_;
};

}  // namespace rhc
