#include "rhc/neural/sine_network.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "rhc/core/error.h"
#include "rhc/explore/belief_record.h"
#include "rhc/model/bayesian_linear_model.h"
#include "rhc/model/fit_head.h"
#include "rhc/neural/adam.h"
#include "rhc/neural/network.h"

namespace rhc {

namespace {

// Small weights first: such a network is nearly linear, and bends where the data ask for it.
constexpr double kFirstGain = 0.25, kGain = 0.5;

// At first; it falls to none along a cosine.
constexpr double kRate = 6e-3, kRateOn = 2e-3;
constexpr int kRowsAtOnce = 128, kLooks = 100;  // at what is held out
constexpr double kDecay = 0.1;

// In standard deviations around the mean, as `features` have them, which may be those of a network
// that was trained before on fewer data.
Matrix standardised(const FourierFeatures& features, const Matrix& inputs) {
  return features.bandwidth.cwiseInverse().asDiagonal() * (inputs.colwise() - features.centre);
}

// Before anything was learned: no layers, but where the inputs are.
FourierFeatures scales_of(const Matrix& inputs) {
  FourierFeatures scales = with_affine_part({}, inputs);
  scales.bandwidth = scales.scale;
  return scales;
}

// Its layers, of inputs around their mean.
SineLayers centred_layers(const FourierFeatures& features) {
  SineLayers layers = layers_of(features);
  layers.front().phase +=
      layers.front().weights * features.centre.cwiseQuotient(features.bandwidth);
  return layers;
}

SineLayers drawn_layers(Index inputs, const std::vector<Index>& widths, RandomStream& randomness) {
  SineLayers layers;
  for (const Index width : widths) {
    const double deviation =
        (layers.empty() ? kFirstGain : kGain) / std::sqrt(static_cast<double>(inputs));
    SineLayer layer{Matrix(width, inputs), Vector(width)};
    for (double& v : layer.weights.reshaped()) v = deviation * randomness.normal();
    for (double& v : layer.phase) v = randomness.uniform(-std::numbers::pi, std::numbers::pi);
    layers.push_back(std::move(layer));
    inputs = width;
  }
  return layers;
}

// The opposite.
FourierFeatures with_layers(FourierFeatures scales, SineLayers layers) {
  layers.front().phase -= layers.front().weights * scales.centre.cwiseQuotient(scales.bandwidth);
  FourierFeatures features = network_features(std::move(layers));
  features.bandwidth = std::move(scales.bandwidth);
  features.centre = std::move(scales.centre);
  features.scale = std::move(scales.scale);
  return features;
}

// Weights of features by which squared errors are least, but for a little ridge.
Matrix least_squares(const Matrix& features, const Matrix& outputs) {
  constexpr double kRidge = 1e-4;
  Matrix A = features * features.transpose();
  A.diagonal().array() += kRidge * static_cast<double>(features.cols());
  return A.llt().solve(features * outputs.transpose());
}

// The affine features alone.
Matrix affine_part(const FourierFeatures& scales, const Matrix& inputs) {
  FourierFeatures affine = scales;
  affine.P = Matrix(0, inputs.rows());
  affine.phase = Vector(0);
  affine.hidden.clear();
  Matrix phi;
  affine.evaluate(inputs, phi);
  return phi;
}

// Layers and, behind them, the weights of the features, in a network's order.
Tensor parameters_of(const SineLayers& layers, const Matrix& weights, at::Device device) {
  std::vector<Tensor> flat;
  const auto add = [&](const Matrix& of_layer, const Vector& phase) {
    flat.push_back(rows_of(of_layer, at::kCPU).flatten());
    flat.push_back(rows_of(phase, at::kCPU).flatten());
  };
  for (const SineLayer& layer : layers) add(layer.weights, layer.phase);
  add(weights.transpose(), Vector::Zero(weights.cols()));
  return at::cat(flat).to(device);
}

SineLayers layers_of_network(const Network& network) {
  SineLayers layers;
  const std::vector<Tensor>& parts = network.parts();
  for (std::size_t i = 0; i + 2 < parts.size(); i += 2)
    layers.push_back(
        {columns_of(parts[i]), columns_of(parts[i + 1].detach().reshape({1, -1})).col(0)});
  return layers;
}

struct NetworkRows {
  Tensor inputs, outputs, weights;

  Tensor error(const Network& network) const {
    return (weights * (network(inputs) - outputs).square()).mean();
  }
};

NetworkRows network_rows(const std::vector<Index>& rows, const Matrix& inputs,
                         const Matrix& outputs, const Vector& weights, at::Device device) {
  const Vector kept = weights.size() > 0 ? Vector(weights(rows))
                                         : Vector(Vector::Ones(static_cast<Index>(rows.size())));
  return {rows_of(inputs(Eigen::all, rows), device), rows_of(outputs(Eigen::all, rows), device),
          rows_of(kept.transpose(), device)};
}

}  // namespace

FourierFeatures sine_network(const NetworkLesson& lesson) {
  const at::Device device = device_named(lesson.device);
  const Transitions& data = lesson.data;
  RandomStream randomness(lesson.seed, "network", lesson.number);
  const FourierFeatures scales = lesson.before ? *lesson.before : scales_of(data.inputs);
  const double rate = lesson.before ? kRateOn : kRate;
  const int updates = lesson.before ? lesson.updates / 3 : lesson.updates;
  std::vector<Index> learned, held;
  for (Index t = 0; t < data.count(); ++t) (held_out(t) ? held : learned).push_back(t);
  if (held.empty()) throw LearningError("there are too few transitions for a network");

  const Matrix inputs = standardised(scales, data.inputs);
  Matrix outputs = standardization_of(data.outputs).apply(data.outputs);
  const Matrix affine = affine_part(scales, data.inputs);
  outputs -=
      least_squares(affine(Eigen::all, learned), outputs(Eigen::all, learned)).transpose() * affine;
  const SineLayers first = lesson.before
                               ? centred_layers(scales)
                               : drawn_layers(data.inputs.rows(), lesson.layers, randomness);
  Matrix weights = Matrix::Zero(first.back().width(), outputs.rows());
  if (lesson.before) {
    const Matrix phi = through(first, inputs(Eigen::all, learned));
    weights = least_squares(phi, outputs(Eigen::all, learned));
  }

  std::vector<Index> widths;
  for (const SineLayer& layer : first) widths.push_back(layer.width());
  Network network(network_shape(1, inputs.rows(), widths, outputs.rows(), Activation::sine),
                  randomness, device);
  {
    const at::NoGradGuard no_gradient;
    network.parameters().copy_(parameters_of(first, weights, device));
  }
  const NetworkRows taught = network_rows(learned, inputs, outputs, data.weights, device);
  const NetworkRows kept = network_rows(held, inputs, outputs, data.weights, device);

  Adam optimizer(network, {.rate = rate, .decay = kDecay});
  Tensor best = network.parameters().clone();
  double least = kInfinity;
  const auto look = [&] {
    const at::NoGradGuard no_gradient;
    const double error = kept.error(network).item<double>();
    if (!(error < least)) return;
    least = error;
    best = network.parameters().clone();
  };
  look();
  for (int i = 0; i < updates; ++i) {
    const double way = static_cast<double>(i) / updates;
    optimizer.set_rate(0.5 * rate * (1 + std::cos(std::numbers::pi * way)));
    const Tensor chosen =
        integers_below(static_cast<Index>(learned.size()), kRowsAtOnce, randomness, device);
    const NetworkRows batch{taught.inputs.index_select(0, chosen),
                            taught.outputs.index_select(0, chosen),
                            taught.weights.index_select(0, chosen)};
    optimizer.descend(batch.error(network), network);
    if ((i + 1) % (std::max(1, updates / kLooks)) != 0) continue;
    if (lesson.stop_requested && lesson.stop_requested()) throw Interrupted();
    look();
  }
  if (!std::isfinite(least)) throw LearningError("the network of 'network_from' learned nothing");
  {
    const at::NoGradGuard no_gradient;
    network.parameters().copy_(best);
  }
  return with_layers(scales, layers_of_network(network));
}

}  // namespace rhc
