#include "rhc/evaluate/scores.h"

#include <cmath>
#include <numbers>

#include "rhc/core/parallel.h"
#include "rhc/core/random.h"

namespace rhc {

namespace {

// Trajectories are scored in batches of this size, whatever the number of threads.
constexpr Index kBatch = 256;

struct Sums {
  double squared_error = 0, free_running = 0, one_step = 0, paper = 0, coherent = 0, covered = 0;

  void add(const Sums& other) {
    squared_error += other.squared_error;
    free_running += other.free_running;
    one_step += other.one_step;
    paper += other.paper;
    coherent += other.coherent;
    covered += other.covered;
  }
};

// log N(error; 0, diag(variance (1 + leverage)))
double log_normal_diagonal(const Eigen::Ref<const Vector>& error, const Vector& noise,
                           const Eigen::Ref<const Vector>& leverage) {
  double sum = 0;
  for (Index j = 0; j < error.size(); ++j) {
    const double variance = noise[j] * (1 + leverage[j]);
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

// The weights' share in the covariance of free-running trajectories. What a trajectory meets of the
// posterior is spanned by its z_t = L^-1 phi_t, so they are told by their coordinates r_t there, of
// which r_s' r_t = z_s' z_t: a few numbers for each step rather than one for each feature.
class SharedWeights {
 public:
  SharedWeights(const Regression& regression, Index steps, Index count)
      : regression_(regression),
        noise_(regression.predicted_noise_variance()),
        steps_(steps),
        whitened_(regression.groups.size()),
        coordinates_(regression.groups.size(), Matrix::Zero(steps * steps, count)),
        spread_(Matrix::Zero(noise_.size() * noise_.size() * steps, count)) {}

  // The coordinates of step t, for all trajectories, from what `predict` left in the workspace.
  void see(const RegressionWorkspace& workspace, Index t) {
    for (std::size_t g = 0; g < whitened_.size(); ++g) {
      whitened_[g].push_back(workspace.groups[g].solved);
      const Matrix& z = whitened_[g].back();
      for (Index i = 0; i < z.cols(); ++i) {
        Eigen::Map<Matrix> R(coordinates_[g].col(i).data(), steps_, steps_);
        double rest = z.col(i).squaredNorm();
        const double all = rest;
        for (Index s = 0; s < t; ++s) {
          double dot = whitened_[g][static_cast<std::size_t>(s)].col(i).dot(z.col(i));
          for (Index k = 0; k < s; ++k) dot -= R(k, s) * R(k, t);
          // A step that adds no direction has no coordinate of its own.
          R(s, t) = R(s, s) > 0 ? dot / R(s, s) : 0;
          rest -= R(s, t) * R(s, t);
        }
        R(t, t) = rest > 1e-12 * all ? std::sqrt(rest) : 0;
      }
    }
  }

  // Moves trajectory i by step t and adds its covariance: G_j <- F G_j + e_j s_j r_t'.
  void add(const Eigen::Ref<const Matrix>& F, Index i, Index t, Matrix& C) {
    const Index D = noise_.size();
    for (std::size_t g = 0; g < whitened_.size(); ++g) {
      const Eigen::Map<const Matrix> R(coordinates_[g].col(i).data(), steps_, steps_);
      for (const Index j : regression_.groups[g].outputs) {
        Eigen::Map<Matrix> G(spread_.col(i).data() + j * D * steps_, D, steps_);
        moved_.noalias() = F.lazyProduct(G.leftCols(t));
        G.leftCols(t) = moved_;
        G.row(j).head(t + 1) += std::sqrt(noise_[j]) * R.col(t).head(t + 1).transpose();
        C.noalias() += G.leftCols(t + 1).lazyProduct(G.leftCols(t + 1).transpose());
      }
    }
  }

 private:
  const Regression& regression_;
  const Vector noise_;
  const Index steps_;
  std::vector<std::vector<Matrix>> whitened_;  // z by group and step
  std::vector<Matrix> coordinates_;            // by group: r_t is column t of a trajectory's block
  Matrix spread_, moved_;                      // G_j of each trajectory
};

class BatchScorer {
 public:
  BatchScorer(const Regression& model, const MeanJacobian& mean_jacobian, const TestSet& set,
              Index first, Index count)
      : model_(model),
        mean_jacobian_(mean_jacobian),
        set_(set),
        first_(first),
        count_(count),
        noise_(model.predicted_noise_variance()),
        weights_(model, set.steps(), count) {}

  Sums run() {
    const Index D = noise_.size();
    predicted_ = observation(0);
    covariance_ = disturbed_ = Matrix::Zero(D * D, count_);
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
      sums_.one_step += log_normal_diagonal(error_.col(i), noise_, leverage_.col(i));
      for (Index j = 0; j < noise_.size(); ++j) {
        const double relative = error_(j, i) / set_.output_scale[j];
        sums_.squared_error += relative * relative;
        sums_.covered +=
            std::abs(error_(j, i)) <= kReach * std::sqrt(noise_[j] * (1 + leverage_(j, i)));
      }
    }
  }

  // Moves predicted mean and covariance by one step: C <- F C F' + predictive variance, and the
  // coherent one as well.
  void free_running(Index t) {
    const Index D = noise_.size();
    predict(predicted_, t, true);
    predicted_ = mean_;
    error_ = observation(t + 1) - mean_;
    mean_jacobian_.evaluate(inputs_, workspace_, jacobian_);
    weights_.see(workspace_, t);
    for (Index i = 0; i < count_; ++i) {
      Eigen::Map<Matrix> F(jacobian_.col(i).data(), D, D), C(covariance_.col(i).data(), D, D);
      Eigen::Map<Matrix> noise(disturbed_.col(i).data(), D, D);
      F.diagonal().array() += 1;
      product_.noalias() = F.lazyProduct(C);
      C.noalias() = product_.lazyProduct(F.transpose());
      C.diagonal() += noise_.cwiseProduct((1 + leverage_.col(i).array()).matrix());
      product_.noalias() = F.lazyProduct(noise);
      noise.noalias() = product_.lazyProduct(F.transpose());
      noise.diagonal() += noise_;

      sums_.paper += log_normal_diagonal(error_.col(i), noise_, leverage_.col(i));
      factor_ = noise;
      weights_.add(F, i, t, factor_);
      whitened_ = error_.col(i);
      sums_.coherent += log_normal(whitened_, factor_);
      factor_ = C;
      sums_.free_running += log_normal(error_.col(i), factor_);
    }
  }

  const Regression& model_;
  const MeanJacobian& mean_jacobian_;
  const TestSet& set_;
  const Index first_, count_;
  const Vector noise_;
  SharedWeights weights_;
  RegressionWorkspace workspace_;
  Matrix inputs_, mean_, error_, predicted_, jacobian_, product_, factor_, leverage_;
  Matrix covariance_, disturbed_;  // of each trajectory; by noise alone
  Vector whitened_;
  Sums sums_;
};

}  // namespace

Scores score(const Regression& model, const TestSet& set, int threads) {
  const int batches = static_cast<int>((set.count() + kBatch - 1) / kBatch);
  std::vector<Sums> partial(static_cast<std::size_t>(batches));
  const MeanJacobian jacobian(model, model.outputs());
  parallel_for(batches, threads, [&](int b) {
    const Index first = b * kBatch, count = std::min(kBatch, set.count() - first);
    partial[static_cast<std::size_t>(b)] = BatchScorer(model, jacobian, set, first, count).run();
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
          .coverage95 = sums.covered / values,
          .log_likelihood_coherent = sums.coherent / trajectories};
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
