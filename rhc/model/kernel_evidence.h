// The log marginal likelihood in the limit of very many features.
#pragma once

#include "rhc/model/evidence.h"

namespace rhc {

// As Evidence, of infinitely many sines (and the affine features, where there are any): a Gaussian
// process with the kernel (M / lambda) / 2 exp(-|(z - z') / nu|^2 / 2). It has no draw that could
// flatter or spoil a point, and takes operations in the cube of the number of transitions, whatever
// the number of inputs. For some hundred transitions.
class KernelEvidence {
 public:
  // Of the draw only the affine part matters. All three matrices are referred to, not copied.
  KernelEvidence(const FourierFeatures& draw, const Matrix& inputs, const Matrix& outputs,
                 const Matrix& region, Vector root_weights = {}, StopSignal stop = {});

  // Sets nu and lambda / M; false where the covariance is not numerically positive definite.
  bool set(const Eigen::Ref<const Vector>& log_bandwidth, double log_prior, double log_affine = 0);

  // For what was set:
  Vector best_noise(double floor) const;
  double value(const Vector& noise) const;
  double effective_parameters() const;
  double uncertainty() const;
  EvidenceGradient gradient(const Vector& noise, double caution = 0);

 private:
  // Of the sines and of the affine features, between the columns of two sets of inputs.
  void covariance(const Matrix& a, const Matrix& b, Matrix& sines) const;

  const Matrix& outputs_;
  const Vector root_weights_;  // empty: all count as one
  const StopSignal stop_;
  const double count_;            // of transitions that the data count as
  const Matrix inputs_, region_;  // n x N and n x K
  // With one more row, of ones; none without affine features.
  const Matrix affine_, region_affine_, affine_products_, region_affine_products_;
  Vector inverse_bandwidth_;
  double amplitude_ = 0, affine_amplitude_ = 0;  // variances, in those of the noise
  double log_det_ = 0;
  Matrix sines_, region_sines_;  // covariances: N x N and N x K, with the weights
  Matrix factor_, solved_, region_solved_;
  Vector residual_, leverage_;
};

}  // namespace rhc
