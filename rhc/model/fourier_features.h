// Random Fourier features: phi_i(z) = sin(P_i z / nu + phase_i), and beside them, where they are
// wanted, affine ones: (z - centre) / scale and 1. With hidden layers they are the last layer of a
// trained network: phi_i(z) = sin(P_i h + phase_i), where h is what the layers make of z / nu.
#pragma once

#include "rhc/core/random.h"
#include "rhc/core/types.h"
#include "rhc/model/sine_layers.h"

namespace rhc {

// In standard deviations of what was learned from: how far an affine feature counts.
constexpr double kAffineReach = 4;

struct FourierFeatures {
  Matrix P;                  // M x n, standard normal, drawn once a run; or M x width
  Vector phase;              // M, uniform in [-pi, pi)
  Vector bandwidth;          // nu, n
  Vector centre{}, scale{};  // of the affine features, n; empty: there are none

  SineLayers hidden{};  // of a network; none: sines of z / nu

  Index sines() const { return P.rows(); }
  Index affine() const { return centre.size() > 0 ? inputs() + 1 : 0; }  // they come last
  Index count() const { return sines() + affine(); }
  Index inputs() const { return hidden.empty() ? P.cols() : hidden.front().weights.cols(); }

  // Q: the derivative of a feature's argument, P / nu of a sine. A network's change with the input.
  Matrix frequencies() const;
  Matrix frequencies_at(const Eigen::Ref<const Vector>& z) const;

  // Bounds affine features far from the data, where they say what can be learned there: a straight
  // line could still be turned, and a plan would run away for it.
  void saturate(Matrix& phi) const;

  // Features of many inputs at once: column t of `phi` (M x T) belongs to column t of `z` (n x T).
  void evaluate(const ConstMatrixRef& z, Matrix& phi) const;
  // The same with the cosines, which make the derivatives: 1 for an affine feature.
  void evaluate(const ConstMatrixRef& z, Matrix& phi, Matrix& cosine) const;
};

// The draw of a run, with unit bandwidths.
FourierFeatures draw_features(Index count, Index inputs, RandomStream randomness);

// Mean of |z_j - z'_j| over all pairs, for each input j; 1 for an input that never varies.
Vector mean_pairwise_distance(const ConstMatrixRef& z);

}  // namespace rhc
