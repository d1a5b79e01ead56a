// What whole trajectories of measurements tell: an extended Kalman filter takes the states out, and
// leaves innovations that are linear in the changes that a model predicts.
#pragma once

#include <vector>

#include "rhc/model/noise_split.h"
#include "rhc/model/regression.h"
#include "rhc/system/spec.h"

namespace rhc {

// Measurements without a gap, and the states that they are most likely of.
struct Piece {
  Matrix measured;  // D x (T + 1)
  Matrix actions;   // k x T
  Matrix states;    // D x (T + 1)

  Index steps() const { return actions.cols(); }
};

// Inputs must begin with the observations of one moment. The states are the measurements. Long ones
// are cut.
std::vector<Piece> pieces_of(const std::vector<Transitions>& episodes, Index outputs);

// The dynamics along a piece, linear around its states.
struct Along {
  Matrix inputs, mean, leverage, jacobian;
  RegressionWorkspace workspace;

  Matrix F(Index t) const;
};

// Where a filter was before and after each measurement, as changes of the piece's states.
struct Filtered {
  struct At {
    Vector mean;
    Matrix covariance;
  };
  std::vector<At> before, after;
};

// Whitened innovations where `added` is added to the changes at all steps: rest - slope * added.
struct Innovations {
  Matrix slope;  // the change of output j at step t is column t D + j
  Vector rest;
  double log_det;  // of the innovations' covariance
};

// Where the weights of an output stand among all.
struct OutputWeights {
  std::size_t group;
  Index column, first, count;
};
std::vector<OutputWeights> weights_by_output(const Regression& regression);

struct TrajectoryFilter {
  // The regression is referred to.
  TrajectoryFilter(const Regression& of, const NoiseSplit& noise,
                   std::vector<AnglePair> on_circles);

  void expand(const Piece& piece, bool with_slopes, Along& along) const;

  // Minus twice the log likelihood of states and measurements, but for a constant.
  double cost(const Piece& piece, Along& along) const;

  // `added`: to the changes that the model predicts, D x T. Innovations where they are wanted.
  Filtered filter(const Piece& piece, const Along& along, const Matrix& added,
                  Innovations* told) const;

  // By which the states change: back through what the filter saw (Rauch, Tung and Striebel).
  static Matrix smoothed(const Filtered& at, const Along& along);

  // That an angle's cosine and sine are on their circle, measured a little worse than it is true.
  double circle_variance(const AnglePair& angle) const;

  const Regression& regression;
  std::vector<AnglePair> angles;
  Vector R, Q;  // variances of the sensors' noise and of the motion's
};

// 1 / variance of an output's weights before any data.
Vector prior_precision_of(const Regression& regression, const OutputWeights& weights);

// Derivatives of the innovations by the weights of each output, from those by the changes.
Matrix by_weights(const Regression& regression, const std::vector<OutputWeights>& outputs,
                  const RegressionWorkspace& features, const Matrix& slope);

}  // namespace rhc
