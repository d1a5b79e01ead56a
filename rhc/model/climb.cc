#include "rhc/model/climb.h"

#include <nlopt.h>

#include <algorithm>
#include <exception>
#include <memory>

namespace rhc {

Peak climb(const std::function<double(const Vector& theta, double* gradient)>& function,
           const Bounds& bounds, const Vector& start, double tolerance, int most_evaluations) {
  struct State {
    const std::function<double(const Vector&, double*)>& function;
    Peak best;
    nlopt_opt optimizer = nullptr;
    std::exception_ptr failure{};  // that must not pass through C
  } state{function, {start, -kInfinity}};
  const auto evaluate = [](unsigned n, const double* x, double* gradient, void* data) {
    State& s = *static_cast<State*>(data);
    const Vector theta = Eigen::Map<const Vector>(x, n);
    double value = -kInfinity;
    try {
      value = s.function(theta, gradient);
    } catch (...) {
      s.failure = std::current_exception();
      if (gradient) std::fill(gradient, gradient + n, 0.0);
      nlopt_force_stop(s.optimizer);
    }
    if (value > s.best.value) s.best = {theta, value};
    return value;
  };

  const auto size = static_cast<unsigned>(start.size());
  const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> optimizer(
      nlopt_create(NLOPT_LD_LBFGS, size), &nlopt_destroy);
  state.optimizer = optimizer.get();
  nlopt_set_lower_bounds(optimizer.get(), bounds.lower.data());
  nlopt_set_upper_bounds(optimizer.get(), bounds.upper.data());
  nlopt_set_max_objective(optimizer.get(), evaluate, &state);
  nlopt_set_ftol_abs(optimizer.get(), tolerance);
  nlopt_set_maxeval(optimizer.get(), most_evaluations);
  Vector theta = start.cwiseMax(bounds.lower).cwiseMin(bounds.upper);
  double value = 0;
  // A line search that gives up at rounding level is no failure: the best point met is kept.
  nlopt_optimize(optimizer.get(), theta.data(), &value);
  if (state.failure) std::rethrow_exception(state.failure);
  return state.best;
}

}  // namespace rhc
