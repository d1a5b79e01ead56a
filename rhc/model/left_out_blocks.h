// How well hyperparameters foretell what was left out.
#pragma once

#include <vector>

#include "rhc/core/stop_signal.h"
#include "rhc/model/fourier_features.h"

namespace rhc {

// Transitions that follow one another.
struct Stretch {
  Index first, count;
};

// All of them in tenths, as nearly as that goes.
std::vector<Stretch> tenths_of(Index transitions);

// What all others tell of each block.
struct LeftOutBlocks {
  double log_density;  // of all outputs, each by itself, but for a constant
  Vector noise;        // s_j that make it largest
  Vector by_block{};   // of which the density is the sum
};

// For each of these prior precisions, and one of the affine features where there are any. Inputs
// (n x N) and standardised outputs (D x N) are in the order in which they were seen; with root
// weights, outputs are given times them. A density of minus infinity where A is not numerically
// positive definite.
std::vector<LeftOutBlocks> leave_out_blocks(const FourierFeatures& features, const Matrix& inputs,
                                            const Matrix& outputs, const Vector& root_weights,
                                            const std::vector<Stretch>& blocks,
                                            const std::vector<double>& prior_precisions,
                                            double affine_precision, double noise_floor,
                                            const StopSignal& stop = {});

}  // namespace rhc
