#include "rhc/neural/jensen_renyi.h"

#include <cmath>
#include <numbers>

namespace rhc {

// The integral of the squared mixture is the mean over all pairs (i, j) of the density of
// N(m_i - m_j, v_i + v_j) at zero. Each pair is met once, and weighs two.
Tensor jensen_renyi(const Tensor& means, const Tensor& variances) {
  const Index E = means.size(0);
  const Tensor pairs =
      at::triu_indices(E, E, 1, at::TensorOptions(at::kLong).device(means.device()));
  const Tensor first = pairs[0], second = pairs[1];
  const Tensor difference = means.index_select(0, first) - means.index_select(0, second);
  const Tensor sum = variances.index_select(0, first) + variances.index_select(0, second);
  const Tensor across =
      (difference.square().div_(sum) + sum.log()).sum(-1).mul_(-0.5).add_(std::numbers::ln2);
  // A component with itself: sum = 2 v.
  const Tensor own = (variances * 2).log().sum(-1).mul(-0.5);
  const Tensor log_mean =
      at::cat({own, across}).logsumexp(0).sub(2 * std::log(static_cast<double>(E)));
  // The quadratic entropy of a component is minus `own`; the factors (2 pi)^(d/2) cancel.
  return own.mean(0) - log_mean;
}

}  // namespace rhc
