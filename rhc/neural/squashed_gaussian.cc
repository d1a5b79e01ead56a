#include "rhc/neural/squashed_gaussian.h"

#include <cmath>
#include <numbers>

namespace rhc {

SquashedSample squashed_sample(const Tensor& mean, const Tensor& log_deviation,
                               const Tensor& noise) {
  const Tensor u = at::addcmul(mean, log_deviation.exp(), noise);
  // log(1 - tanh(u)^2) = 2 (log 2 - u - softplus(-2 u)), which does not cancel far out.
  const Tensor stretch = at::softplus(u * -2).add(u).mul(2);
  const double constant = 0.5 * std::log(2 * std::numbers::pi) + 2 * std::numbers::ln2;
  const Tensor log_density = (stretch - log_deviation - noise.square() * 0.5).sum(-1) -
                             constant * static_cast<double>(mean.size(-1));
  return {at::tanh(u), log_density};
}

}  // namespace rhc
