#include "rhc/model/sine_layers.h"

#include "rhc/core/sine_cosine.h"

namespace rhc {

Matrix through(const SineLayers& layers, const ConstMatrixRef& inputs) {
  Matrix x = inputs;
  for (const SineLayer& layer : layers) {
    Matrix arguments = (layer.weights * x).colwise() + layer.phase;
    sine_only(arguments.data(), static_cast<std::size_t>(arguments.size()), arguments.data());
    x.swap(arguments);
  }
  return x;
}

void LayersAt::look(const SineLayers& layers, const Eigen::Ref<const Vector>& input,
                    bool with_slopes) {
  at_.resize(layers.size());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    At& here = at_[l];
    const SineLayer& layer = layers[l];
    here.sine = layer.phase;
    if (l == 0)
      here.sine.noalias() += layer.weights * input;
    else
      here.sine.noalias() += layer.weights * at_[l - 1].sine;
    here.cosine.resize(layer.width());
    sine_cosine(here.sine.data(), static_cast<std::size_t>(layer.width()), here.sine.data(),
                here.cosine.data());
    if (!with_slopes) continue;
    if (l == 0)
      here.slope = layer.weights;
    else
      here.slope.noalias() = layer.weights * at_[l - 1].scaled;
    here.scaled.noalias() = here.cosine.asDiagonal() * here.slope;
    // Room for the curvature, which somebody may ask for who must not allocate.
    here.reaching.resize(layer.width());
    here.bent.resizeLike(here.slope);
  }
}

void LayersAt::slope_of(const Eigen::Ref<const Matrix>& weights, Eigen::Ref<Matrix> slope) const {
  slope.noalias() = weights * at_.back().scaled;
}

void LayersAt::take_curvature(const SineLayers& layers, const Eigen::Ref<const Vector>& slope,
                              Eigen::Ref<Matrix> H) {
  at_.back().reaching = slope;
  for (std::size_t l = layers.size(); l-- > 0;) {
    At& here = at_[l];
    // d2 sin = -sin.
    here.bent.noalias() = here.reaching.cwiseProduct(here.sine).asDiagonal() * here.slope;
    H.noalias() -= here.slope.transpose() * here.bent;
    if (l == 0) return;
    here.reaching.array() *= here.cosine.array();
    at_[l - 1].reaching.noalias() = layers[l].weights.transpose() * here.reaching;
  }
}

}  // namespace rhc
