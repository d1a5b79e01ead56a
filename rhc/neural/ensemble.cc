#include "rhc/neural/ensemble.h"

#include <cmath>

namespace rhc {

namespace {

Scaling scaling_of(const Tensor& values) {
  const Tensor deviation = values.std(0, /*unbiased=*/false);
  return {values.mean(0), at::where(deviation > 1e-12, deviation, at::zeros_like(deviation))};
}

}  // namespace

NetworkShape ensemble_shape(Index inputs, Index outputs, const EnsembleSettings& settings) {
  return network_shape(settings.members, inputs, settings.hidden, 2 * outputs, Activation::swish);
}

Ensemble::Ensemble(const Tensor& inputs, const Tensor& outputs, const EnsembleSettings& settings,
                   RandomStream randomness, const std::function<void()>& between_updates)
    : inputs_(scaling_of(inputs)),
      outputs_(scaling_of(outputs)),
      network_(ensemble_shape(inputs.size(1), outputs.size(1), settings), randomness,
               inputs.device()) {
  constexpr double kLargestGradient = 5;
  Adam optimizer(network_, {settings.learning_rate, kLargestGradient});
  const Tensor x = inputs_.apply(inputs), y = outputs_.apply(outputs);
  const Index E = settings.members, B = settings.batch;
  for (int i = 0; i < settings.updates; ++i) {
    if (between_updates) between_updates();
    // Every member sees batches of its own.
    const Tensor chosen = integers_below(x.size(0), E * B, randomness, x.device());
    const Tensor loss = likelihood_loss(x.index_select(0, chosen).view({E, B, -1}),
                                        y.index_select(0, chosen).view({E, B, -1}));
    // Members do not share parameters: each must see the gradient of its own mean.
    optimizer.descend(loss * static_cast<double>(E), network_);
    loss_ = loss.item<double>();
    if (!std::isfinite(loss_)) return;
  }
}

EnsemblePrediction Ensemble::evaluate(const Tensor& x) const {
  const Tensor both = network_(x);
  const Index d = both.size(2) / 2;
  const Tensor log_variance =
      at::sigmoid(both.narrow(2, d, d)) * (kMostLogVariance - kLeastLogVariance) +
      kLeastLogVariance;
  return {both.narrow(2, 0, d), log_variance.exp()};
}

Tensor Ensemble::likelihood_loss(const Tensor& x, const Tensor& y) const {
  const EnsemblePrediction prediction = evaluate(x);
  return ((prediction.means - y).square() / prediction.variances + prediction.variances.log())
      .mean();
}

EnsemblePrediction Ensemble::predict(const Tensor& inputs) const {
  const at::NoGradGuard no_gradient;
  return evaluate(inputs_.apply(inputs).unsqueeze(0).expand({members(), -1, -1}));
}

}  // namespace rhc
