// Networks that each predict a Gaussian for the next observation; where they have seen no data they
// disagree.
#pragma once

#include <functional>
#include <vector>

#include "rhc/neural/adam.h"

namespace rhc {

struct EnsembleSettings {
  Index members = 32;
  std::vector<Index> hidden = {64, 64, 64};
  double learning_rate = 1e-3;
  Index batch = 64;
  int updates = 1000;
};

// Mean and variance of every output, for every member.
NetworkShape ensemble_shape(Index inputs, Index outputs, const EnsembleSettings& settings);

// Standardised by what was seen. What never varied has no deviation: it is only centred, and a
// prediction of it is its mean.
struct Scaling {
  Tensor mean, deviation;

  Tensor apply(const Tensor& values) const {
    return (values - mean) / at::where(deviation > 0, deviation, at::ones_like(deviation));
  }

  // Of the first few quantities alone.
  Scaling first(Index count) const {
    return {mean.narrow(0, 0, count), deviation.narrow(0, 0, count)};
  }
};

// members x points x observations, of the standardised differences of observations.
struct EnsemblePrediction {
  Tensor means, variances;
};

class Ensemble {
 public:
  // Standardised variances stay between these: the networks can neither be sure nor ignorant.
  static constexpr double kLeastLogVariance = -5, kMostLogVariance = -1;

  // Trained from nothing on all data; inputs are observations and actions, one transition a row. A
  // loss that is not finite ends training. Whoever must interrupt it throws between two updates.
  Ensemble(const Tensor& inputs, const Tensor& outputs, const EnsembleSettings& settings,
           RandomStream randomness, const std::function<void()>& between_updates = {});

  double loss() const { return loss_; }
  Index members() const { return network_.shape().members; }
  const Scaling& input_scaling() const { return inputs_; }
  const Scaling& output_scaling() const { return outputs_; }

  EnsemblePrediction predict(const Tensor& inputs) const;

  // What training descends: the negative log-likelihood, but for constants, in the mean over
  // members, points and outputs. All is standardised, members x points x quantities.
  Tensor likelihood_loss(const Tensor& inputs, const Tensor& outputs) const;

  Network& network() { return network_; }

 private:
  EnsemblePrediction evaluate(const Tensor& standardized_inputs) const;

  Scaling inputs_, outputs_;
  Network network_;
  double loss_ = 0;
};

}  // namespace rhc
