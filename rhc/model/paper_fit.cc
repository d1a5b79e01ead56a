#include "rhc/model/paper_fit.h"

#include <nlopt.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <exception>
#include <memory>

#include "rhc/model/evidence.h"

namespace rhc {

namespace {

constexpr double kPriorPrecision = 1e-8;

struct Fit {
  FourierFeatures features;
  const Transitions& data;
  Matrix phi, A, solved;

  // Sum over transitions of squared error over predictive variance; huge where A is singular.
  double error(const Eigen::Ref<const Vector>& bandwidth) {
    // The sign of a bandwidth means nothing; at 0 there are no features.
    if (!(bandwidth.cwiseAbs().minCoeff() > 1e-6)) return 1e300;
    features.bandwidth = bandwidth;
    features.evaluate(data.inputs, phi);
    A = Matrix::Identity(phi.rows(), phi.rows()) * kPriorPrecision;
    A.selfadjointView<Eigen::Lower>().rankUpdate(phi);
    const Eigen::LLT<Matrix> llt(A);
    if (llt.info() != Eigen::Success) return 1e300;
    const Matrix weights = llt.solve(phi * data.outputs.transpose());
    solved = phi;
    llt.matrixL().solveInPlace(solved);
    const Vector variance = solved.colwise().squaredNorm().transpose().array() + 1;
    const Vector squares =
        (data.outputs - weights.transpose() * phi).colwise().squaredNorm().transpose();
    const double sum = squares.cwiseQuotient(variance).sum();
    return std::isfinite(sum) ? sum : 1e300;
  }
};

}  // namespace

EvidenceFit paper_fit(const FourierFeatures& draw, const Transitions& data,
                      const std::optional<Hyperparameters>& previous, const StopSignal& stop) {
  Vector bandwidth = previous ? previous->bandwidth : Vector::Ones(draw.inputs());
  struct Search {
    Fit fit;
    const StopSignal& stop;
    nlopt_opt optimizer = nullptr;
    std::exception_ptr failure{};  // that must not pass through C
  } search{{draw, data, {}, {}, {}}, stop};
  const auto function = [](unsigned n, const double* x, double*, void* state) {
    Search& s = *static_cast<Search*>(state);
    try {
      s.stop.check();
    } catch (...) {
      s.failure = std::current_exception();
      nlopt_force_stop(s.optimizer);
      return 1e300;
    }
    return s.fit.error(Eigen::Map<const Vector>(x, n));
  };
  const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> optimizer(
      nlopt_create(NLOPT_LN_NELDERMEAD, static_cast<unsigned>(bandwidth.size())), &nlopt_destroy);
  search.optimizer = optimizer.get();
  nlopt_set_min_objective(optimizer.get(), function, &search);
  nlopt_set_xtol_abs1(optimizer.get(), 1e-4);
  nlopt_set_maxeval(optimizer.get(), static_cast<int>(200 * bandwidth.size()));
  double value = 0;
  nlopt_optimize(optimizer.get(), bandwidth.data(), &value);
  if (search.failure) std::rethrow_exception(search.failure);

  EvidenceFit fit{};
  fit.hyperparameters = {bandwidth, kPriorPrecision, Vector::Ones(data.outputs.rows())};
  const Matrix no_region;
  Evidence evidence(draw, data.inputs, data.outputs, no_region);
  fit.log_evidence = fit.objective =
      evidence.set(bandwidth.cwiseAbs().array().log(), std::log(kPriorPrecision))
          ? evidence.value(fit.hyperparameters.noise)
          : -kInfinity;
  return fit;
}

}  // namespace rhc
