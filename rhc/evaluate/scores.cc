#include "rhc/evaluate/scores.h"

#include <cmath>
#include <numbers>

#include "rhc/core/parallel.h"
#include "rhc/core/random.h"
#include "rhc/model/forecast.h"

namespace rhc {

namespace {

// Trajectories are scored in batches of this size, whatever the number of threads.
constexpr Index kBatch = 256;

struct Sums {
  double squared_error = 0, free_running = 0, one_step = 0, paper = 0, covered = 0;

  void add(const Sums& other) {
    squared_error += other.squared_error;
    free_running += other.free_running;
    one_step += other.one_step;
    paper += other.paper;
    covered += other.covered;
  }
};

// log N(error; 0, diag(variance (1 + leverage)))
double log_normal_diagonal(const Eigen::Ref<const Vector>& error, const Vector& noise,
                           double leverage) {
  double sum = 0;
  for (Index j = 0; j < error.size(); ++j) {
    const double variance = noise[j] * (1 + leverage);
    sum += std::log(2 * std::numbers::pi * variance) + error[j] * error[j] / variance;
  }
  return -0.5 * sum;
}

// log N(error; 0, C); C is overwritten by its Cholesky factor, the error by the whitened one.
double log_normal(Eigen::Ref<Vector> error, Eigen::Ref<Matrix> C) {
  const Index D = error.size();
  double sum = static_cast<double>(D) * std::log(2 * std::numbers::pi);
  for (Index j = 0; j < D; ++j) {
    for (Index k = 0; k < j; ++k) {
      error[j] -= C(j, k) * error[k];
      for (Index i = j; i < D; ++i) C(i, j) -= C(i, k) * C(j, k);
    }
    sum += std::log(C(j, j));
    C.col(j).tail(D - j) /= std::sqrt(C(j, j));
    error[j] /= C(j, j);
    sum += error[j] * error[j];
  }
  return -0.5 * sum;
}

class BatchScorer {
 public:
  BatchScorer(const BayesianLinearModel& model, const Matrix& jacobian_rows, const TestSet& set,
              Index first, Index count)
      : model_(model),
        jacobian_rows_(jacobian_rows),
        set_(set),
        first_(first),
        count_(count),
        noise_(model.noise_variance()) {}

  Sums run() {
    const Index D = noise_.size();
    predicted_ = observation(0);
    covariance_ = Matrix::Zero(D * D, count_);
    for (Index t = 0; t < set_.steps(); ++t) {
      one_step(t);
      free_running(t);
    }
    return sums_;
  }

 private:
  Eigen::Block<const Matrix, Eigen::Dynamic, Eigen::Dynamic, true> observation(Index t) const {
    return set_.observations[static_cast<std::size_t>(t)].middleCols(first_, count_);
  }

  void predict(const ConstMatrixRef& from, Index t, bool with_cosine) {
    const auto action = set_.actions[static_cast<std::size_t>(t)].middleCols(first_, count_);
    inputs_.resize(from.rows() + action.rows(), count_);
    inputs_ << from, action;
    model_.predict(inputs_, with_cosine, workspace_, mean_, leverage_);
    mean_ += from;
  }

  void one_step(Index t) {
    static const double kReach = normal_quantile(0.975);
    predict(observation(t), t, false);
    error_ = observation(t + 1) - mean_;
    for (Index i = 0; i < count_; ++i) {
      sums_.one_step += log_normal_diagonal(error_.col(i), noise_, leverage_[i]);
      for (Index j = 0; j < noise_.size(); ++j) {
        const double relative = error_(j, i) / set_.output_scale[j];
        sums_.squared_error += relative * relative;
        sums_.covered +=
            std::abs(error_(j, i)) <= kReach * std::sqrt(noise_[j] * (1 + leverage_[i]));
      }
    }
  }

  // Moves predicted mean and covariance by one step: C <- F C F' + predictive variance.
  void free_running(Index t) {
    const Index D = noise_.size();
    predict(predicted_, t, true);
    predicted_ = mean_;
    error_ = observation(t + 1) - mean_;
    jacobian_.noalias() = jacobian_rows_ * workspace_.cosine;
    for (Index i = 0; i < count_; ++i) {
      Eigen::Map<Matrix> F(jacobian_.col(i).data(), D, D), C(covariance_.col(i).data(), D, D);
      F.diagonal().array() += 1;
      product_.noalias() = F.lazyProduct(C);
      C.noalias() = product_.lazyProduct(F.transpose());
      C.diagonal() += noise_ * (1 + leverage_[i]);

      sums_.paper += log_normal_diagonal(error_.col(i), noise_, leverage_[i]);
      factor_ = C;
      sums_.free_running += log_normal(error_.col(i), factor_);
    }
  }

  const BayesianLinearModel& model_;
  const Matrix& jacobian_rows_;
  const TestSet& set_;
  const Index first_, count_;
  const Vector noise_;
  PredictionWorkspace workspace_;
  Matrix inputs_, mean_, error_, predicted_, covariance_, jacobian_, product_, factor_;
  Vector leverage_;
  Sums sums_;
};

}  // namespace

Scores score(const BayesianLinearModel& model, const TestSet& set, int threads) {
  const int batches = static_cast<int>((set.count() + kBatch - 1) / kBatch);
  std::vector<Sums> partial(static_cast<std::size_t>(batches));
  const Matrix rows = jacobian_rows(model, model.noise.size());
  parallel_for(batches, threads, [&](int b) {
    const Index first = b * kBatch, count = std::min(kBatch, set.count() - first);
    partial[static_cast<std::size_t>(b)] = BatchScorer(model, rows, set, first, count).run();
  });

  Sums sums;
  for (const Sums& part : partial) sums.add(part);
  const double trajectories = static_cast<double>(set.count());
  const double values = trajectories * static_cast<double>(set.steps()) *
                        static_cast<double>(set.output_scale.size());
  return {.rmse = std::sqrt(sums.squared_error / values),
          .log_likelihood = sums.free_running / trajectories,
          .log_likelihood_one_step = sums.one_step / trajectories,
          .log_likelihood_paper = sums.paper / trajectories,
          .coverage95 = sums.covered / values};
}

double rmse_without_data(const TestSet& set) {
  double sum = 0;
  for (std::size_t t = 0; t < set.actions.size(); ++t)
    sum += (set.output_scale.cwiseInverse().asDiagonal() *
            (set.observations[t + 1] - set.observations[t]))
               .squaredNorm();
  return std::sqrt(sum / (static_cast<double>(set.count()) * static_cast<double>(set.steps()) *
                          static_cast<double>(set.output_scale.size())));
}

}  // namespace rhc
