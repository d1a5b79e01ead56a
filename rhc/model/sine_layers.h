// Layers of sines, one behind the other: what a trained network makes of its input before the last
// layer, whose sines are the features.
#pragma once

#include <vector>

#include "rhc/core/types.h"

namespace rhc {

struct SineLayer {
  Matrix weights;
  Vector phase;

  Index width() const { return weights.rows(); }
};

using SineLayers = std::vector<SineLayer>;

// What comes out of the last of them, a column an input.
Matrix through(const SineLayers& layers, const ConstMatrixRef& inputs);

// All of them at one input: sin(argument), cos(argument), and how arguments change with the input.
class LayersAt {
 public:
  void look(const SineLayers& layers, const Eigen::Ref<const Vector>& input, bool with_slopes);

  const Vector& sine() const { return at_.back().sine; }

  // How arguments change that are `weights` times what comes out of the last layer.
  void slope_of(const Eigen::Ref<const Matrix>& weights, Eigen::Ref<Matrix> slope) const;

  // Takes from H the curvature of a function whose derivative by what comes out of the last layer
  // is `slope`.
  void take_curvature(const SineLayers& layers, const Eigen::Ref<const Vector>& slope,
                      Eigen::Ref<Matrix> H);

 private:
  struct At {
    Vector sine, cosine;
    Matrix slope, scaled;  // of the arguments, and of their sines
    Vector reaching;  // slope of the function by what comes out here, and then by the arguments
    Matrix bent;
  };
  std::vector<At> at_;
};

}  // namespace rhc
