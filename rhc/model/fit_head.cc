#include "rhc/model/fit_head.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <utility>
#include <vector>

#include "rhc/model/evidence.h"
#include "rhc/model/forgetting.h"

namespace rhc {

namespace {

// How likely held-out data are by what the others tell.
class HeldOut {
 public:
  HeldOut(const FourierFeatures& features, const Transitions& data, const Matrix& outputs,
          double noise_floor)
      : sines_(features.sines()), floor_(noise_floor) {
    std::vector<Index> learned, kept;
    for (Index t = 0; t < data.count(); ++t) (held_out(t) ? kept : learned).push_back(t);
    const auto weights_of = [&](const std::vector<Index>& rows) {
      return data.weights.size() > 0 ? Vector(data.weights(rows))
                                     : Vector(Vector::Ones(static_cast<Index>(rows.size())));
    };
    Matrix phi;
    features.evaluate(data.inputs(Eigen::all, learned), phi);
    Matrix y = outputs(Eigen::all, learned);
    const Vector root = weights_of(learned).cwiseSqrt();
    weigh(root, phi);
    weigh(root, y);
    gram_ = Matrix::Zero(phi.rows(), phi.rows());
    gram_.selfadjointView<Eigen::Lower>().rankUpdate(phi);
    moment_.noalias() = phi * y.transpose();
    features.evaluate(data.inputs(Eigen::all, kept), phi_);
    outputs_ = outputs(Eigen::all, kept);
    weights_ = weights_of(kept);
  }

  double value(double prior, double affine) {
    Matrix A = gram_;
    A.diagonal().head(sines_).array() += prior;
    A.diagonal().tail(A.rows() - sines_).array() += affine;
    const Eigen::LLT<Matrix> llt(A);
    if (llt.info() != Eigen::Success) return -kInfinity;
    const Matrix error = outputs_ - llt.solve(moment_).transpose() * phi_;
    const Vector spread =
        (1 + llt.matrixL().solve(phi_).colwise().squaredNorm().array()).matrix().transpose();
    const double count = weights_.sum();
    noise_ = ((error.cwiseAbs2() * weights_.cwiseQuotient(spread)) / count).cwiseSqrt();
    noise_ = noise_.cwiseMax(floor_);
    const double outputs = static_cast<double>(outputs_.rows());
    return -count * noise_.array().log().sum() -
           0.5 * outputs * weights_.dot(Vector(spread.array().log()));
  }

  const Vector& noise() const { return noise_; }  // of the last value

 private:
  const Index sines_;
  const double floor_;
  Matrix gram_, moment_, phi_, outputs_;
  Vector weights_, noise_;
};

// The best of a grid, and of finer and finer steps around it.
Hyperparameters most_likely(HeldOut& likelihood, const Vector& bandwidth) {
  constexpr double kLeast = 1e-3, kMost = 1e5, kStep = 10;
  double prior = 1, affine = 1, best = -kInfinity;
  const auto look = [&](double p, double a) {
    const double value = likelihood.value(p, a);
    if (!(value > best)) return;
    best = value;
    prior = p;
    affine = a;
  };
  for (double p = kLeast; p <= kMost; p *= kStep)
    for (double a = kLeast; a <= kMost; a *= kStep * kStep) look(p, a);
  for (const double step : {3.0, 1.7, 1.3}) {
    const double p = prior, a = affine;
    for (const double factor : {step, 1 / step}) {
      look(p * factor, a);
      look(prior, a * factor);
    }
  }
  likelihood.value(prior, affine);
  return {bandwidth, prior, likelihood.noise(), affine};
}

}  // namespace

bool held_out(Index transition) {
  constexpr Index kStretch = 50, kEvery = 10;
  return (transition / kStretch) % kEvery == kEvery - 1;
}

FittedRegression fit_head(const FourierFeatures& features, const Transitions& data,
                          double noise_floor, double model_error) {
  const Standardization standardization = standardization_of(data.outputs);
  const Matrix outputs = standardization.apply(data.outputs);
  HeldOut likelihood(features, data, outputs, noise_floor);
  const Hyperparameters found =
      with_model_error(most_likely(likelihood, features.bandwidth), model_error);

  Matrix weighted = outputs;
  const Vector root = data.weights.cwiseSqrt();
  weigh(root, weighted);
  const Matrix nowhere;
  Evidence evidence(features, data.inputs, weighted, nowhere, root);
  const bool there = evidence.set(found.bandwidth.array().log(), std::log(found.prior_precision),
                                  std::log(found.affine_precision));
  const double log_evidence = there ? evidence.value(found.noise) -
                                          data.counted() * standardization.scale.array().log().sum()
                                    : std::nan("");
  BayesianLinearModel model(features, found, standardization);
  model.learn(data);
  return {.regression = std::move(model), .last = {.shared = found}, .log_evidence = log_evidence};
}

}  // namespace rhc
