#include "rhc/neural/adam.h"

#include <cmath>

namespace rhc {

namespace {

constexpr double kMeanDecay = 0.9, kSquareDecay = 0.999, kEpsilon = 1e-8;

double bias(double decay, Index steps) { return 1 - std::pow(decay, static_cast<double>(steps)); }

}  // namespace

Adam::Adam(const Network& network, AdamSettings settings)
    : settings_(settings),
      mean_(at::zeros_like(network.parameters())),
      square_(at::zeros_like(network.parameters())) {}

void Adam::descend(const Tensor& loss, Network& network) {
  const at::NoGradGuard no_gradient;
  Tensor gradient = network.gradient(loss);
  if (settings_.clip > 0) gradient.clamp_(-settings_.clip, settings_.clip);
  ++steps_;
  mean_.lerp_(gradient, 1 - kMeanDecay);
  square_.mul_(kSquareDecay).addcmul_(gradient, gradient, 1 - kSquareDecay);
  if (settings_.decay > 0) network.parameters().mul_(1 - settings_.rate * settings_.decay);
  const Tensor scale = square_.sqrt().div_(std::sqrt(bias(kSquareDecay, steps_))).add_(kEpsilon);
  network.parameters().addcdiv_(mean_, scale, -settings_.rate / bias(kMeanDecay, steps_));
}

void Adam::save(NamedValues& archive, const std::string& name) const {
  put(archive, name + "/mean", mean_);
  put(archive, name + "/square", square_);
  archive.put(name + "/steps", steps_);
}

void Adam::restore(const NamedValues& archive, const std::string& name) {
  take(archive, name + "/mean", mean_);
  take(archive, name + "/square", square_);
  steps_ = archive.count(name + "/steps");
}

void ScalarAdam::descend(double gradient, double& value) {
  ++steps;
  mean += (1 - kMeanDecay) * (gradient - mean);
  square += (1 - kSquareDecay) * (gradient * gradient - square);
  const double scale = std::sqrt(square / bias(kSquareDecay, steps)) + kEpsilon;
  value -= rate / bias(kMeanDecay, steps) * mean / scale;
}

void ScalarAdam::save(NamedValues& archive, const std::string& name) const {
  archive.put(name, Vector{{mean, square, static_cast<double>(steps)}});
}

void ScalarAdam::restore(const NamedValues& archive, const std::string& name) {
  const Vector kept = archive.vector(name, 3);
  mean = kept[0];
  square = kept[1];
  steps = static_cast<Index>(kept[2]);
}

}  // namespace rhc
