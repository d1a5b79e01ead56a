#include "rhc/model/fit_trajectories.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <utility>

namespace rhc {

namespace {

constexpr int kMostIterations = 8;
constexpr int kHessians = 2;              // that are computed; later steps change them little
constexpr double kEnough = 1e-3;          // of the cost, below which a step is the last one
constexpr double kMostOperations = 2e10;  // for a Hessian
constexpr Index kMostWeights = 2000;

// Measurements without a gap, and the states that they are most likely of.
struct Piece {
  Matrix measured;  // D x (T + 1)
  Matrix actions;   // k x T
  Matrix states;    // D x (T + 1)

  Index steps() const { return actions.cols(); }
};

std::vector<Piece> pieces_of(const std::vector<Transitions>& episodes, Index D) {
  std::vector<Piece> pieces;
  for (const auto& [inputs, outputs] : episodes)
    for (Index first = 0, t = 0; t < inputs.cols(); ++t) {
      const Vector next = inputs.col(t).head(D) + outputs.col(t);
      const double rounding = 1e-9 * (1 + next.cwiseAbs().maxCoeff());
      if (t + 1 < inputs.cols() &&
          (next - inputs.col(t + 1).head(D)).cwiseAbs().maxCoeff() <= rounding)
        continue;
      const Index T = t + 1 - first;
      Piece piece{Matrix(D, T + 1), inputs.middleCols(first, T).bottomRows(inputs.rows() - D), {}};
      piece.measured << inputs.middleCols(first, T).topRows(D), next;
      piece.states = piece.measured;
      pieces.push_back(std::move(piece));
      first = t + 1;
    }
  return pieces;
}

// The dynamics along a piece, linear around its states.
struct Along {
  Matrix inputs, mean, leverage, jacobian;
  RegressionWorkspace workspace;

  Matrix F(Index t) const {
    const Index D = mean.rows();
    Matrix result = Eigen::Map<const Matrix>(jacobian.col(t).data(), D, D);
    result.diagonal().array() += 1;
    return result;
  }
};

// Where a filter was before and after each measurement, as changes of the piece's states.
struct Filtered {
  explicit Filtered(Index steps)
      : before(static_cast<std::size_t>(steps) + 1), after(before.size()) {}

  struct At {
    Vector mean;
    Matrix covariance;
  };
  std::vector<At> before, after;
};

// Whitened innovations, linear in a change of the weights: rest - rows * change.
struct Innovations {
  Matrix rows;
  Vector rest;
};

// Where the weights of an output stand among all.
struct Place {
  std::size_t group;
  Index column, first, count;
};

class TrajectoryFit {
 public:
  TrajectoryFit(Regression& regression, const NoiseSplit& noise,
                const std::vector<AnglePair>& angles, const std::vector<Transitions>& episodes)
      : regression_(regression),
        angles_(angles),
        pieces_(pieces_of(episodes, regression.outputs())),
        weights_(regression.parameters()),
        places_(static_cast<std::size_t>(regression.outputs())) {
    const Vector least = 1e-4 * regression.noise_variance();
    R_ = noise.sensor.cwiseAbs2().cwiseMax(least);
    Q_ = noise.process.cwiseAbs2().cwiseMax(least);
    Index first = 0;
    for (std::size_t g = 0; g < regression.groups.size(); ++g) {
      const auto& [outputs, posterior] = regression.groups[g];
      for (std::size_t k = 0; k < outputs.size(); ++k, first += posterior.features.count())
        place_of(outputs[k]) = {g, static_cast<Index>(k), first, posterior.features.count()};
    }
  }

  void run() {
    for (int step = 0; step < kMostIterations; ++step)
      if (!improve(step < kHessians)) return;
  }

  std::vector<std::vector<Matrix>> draw(int count) const {
    std::vector<std::vector<Matrix>> draws;
    if (hessian_.rows() == 0) return draws;
    for (int i = 0; i < count; ++i) {
      RandomStream randomness(0, "weights of trajectories", static_cast<std::uint64_t>(i / 2));
      Vector off = randomness.normals(weights_);
      hessian_.matrixU().solveInPlace(off);
      draws.push_back(moved_by(i % 2 == 0 ? off : Vector(-off)));
    }
    return draws;
  }

 private:
  Place& place_of(Index output) { return places_[static_cast<std::size_t>(output)]; }
  const Place& place_of(Index output) const { return places_[static_cast<std::size_t>(output)]; }
  const BayesianLinearModel& posterior_of(const Place& place) const {
    return regression_.groups[place.group].posterior;
  }

  std::vector<Matrix> moved_by(const Vector& change) const {
    std::vector<Matrix> weights;
    for (const OutputGroup& group : regression_.groups) weights.push_back(group.posterior.weights);
    for (const Place& place : places_)
      weights[place.group].col(place.column) += change.segment(place.first, place.count);
    return weights;
  }

  // 1 / variance of an output's weights before any data.
  Vector prior_of(const Place& place) const {
    const BayesianLinearModel& posterior = posterior_of(place);
    Vector precision = Vector::Constant(place.count, posterior.prior_precision);
    precision.tail(posterior.features.affine()).setConstant(posterior.affine_precision);
    return precision / std::pow(posterior.noise[place.column], 2);
  }

  // That an angle's cosine and sine are on their circle, measured a little worse than it is true.
  double circle_variance(const AnglePair& angle) const {
    return 0.01 * (R_[angle.cosine] + R_[angle.sine]);
  }

  void expand(const Piece& piece, bool with_slopes, Along& along) const {
    const Index T = piece.steps();
    along.inputs.resize(regression_.inputs(), T);
    along.inputs << piece.states.leftCols(T), piece.actions;
    regression_.predict(along.inputs, with_slopes, along.workspace, along.mean, along.leverage);
    if (with_slopes)
      MeanJacobian(regression_, regression_.outputs())
          .evaluate(along.inputs, along.workspace, along.jacobian);
  }

  // Minus twice the log of what is to be most likely, but for a constant.
  double cost() const {
    double sum = 0;
    Along along;
    for (const Piece& piece : pieces_) {
      const Index T = piece.steps();
      expand(piece, false, along);
      const Matrix gap = piece.states.leftCols(T) + along.mean - piece.states.rightCols(T);
      const Matrix off = piece.measured - piece.states;
      sum += (Q_.cwiseInverse().asDiagonal() * gap.cwiseAbs2()).sum();
      sum += (R_.cwiseInverse().asDiagonal() * off.cwiseAbs2()).sum();
      for (const AnglePair& angle : angles_)
        for (Index t = 1; t <= T; ++t)
          sum +=
              std::pow(1 - std::hypot(piece.states(angle.cosine, t), piece.states(angle.sine, t)),
                       2) /
              circle_variance(angle);
    }
    for (const Place& place : places_)
      sum += prior_of(place).dot(posterior_of(place).weights.col(place.column).cwiseAbs2());
    return sum;
  }

  // Extended Kalman filter of a piece. `moved`: what is added to the dynamics, D x T.
  Filtered filter(const Piece& piece, const Along& along, const Matrix& moved,
                  Innovations* told) const {
    const Index D = regression_.outputs(), T = piece.steps();
    const auto circles = static_cast<Index>(angles_.size());
    Filtered at(T);
    at.after[0] = {piece.measured.col(0) - piece.states.col(0), R_.asDiagonal()};
    Matrix G;  // d mean by the weights
    if (told) {
      G.setZero(D, weights_);
      told->rows.resize(T * (D + circles), weights_);
      told->rest.resize(T * (D + circles));
    }
    for (Index t = 0, row = 0; t < T; ++t) {
      const auto i = static_cast<std::size_t>(t);
      const Matrix F = along.F(t);
      Vector m = F * at.after[i].mean + piece.states.col(t) + along.mean.col(t) + moved.col(t) -
                 piece.states.col(t + 1);
      Matrix P = F * at.after[i].covariance * F.transpose();
      P.diagonal() += Q_;
      at.before[i + 1] = {m, P};
      if (told) {
        G = (F * G).eval();
        for (Index j = 0; j < D; ++j) {
          const Place& place = place_of(j);
          G.row(j).segment(place.first, place.count) +=
              posterior_of(place).outputs.scale[place.column] *
              along.workspace.groups[place.group].phi.col(t).transpose();
        }
      }
      // The measurement.
      Matrix S = P;
      S.diagonal() += R_;
      const Eigen::LLT<Matrix> of_S(S);
      const Vector off = piece.measured.col(t + 1) - piece.states.col(t + 1) - m;
      const Matrix K = of_S.solve(P).transpose();
      if (told) {
        told->rest.segment(row, D) = of_S.matrixL().solve(off);
        told->rows.middleRows(row, D) = of_S.matrixL().solve(G);
        G -= (K * G).eval();
        row += D;
      }
      m += K * off;
      P -= (K * P).eval();
      // The circles.
      for (const AnglePair& angle : angles_) {
        const double c = piece.states(angle.cosine, t + 1), s = piece.states(angle.sine, t + 1);
        const double length = std::hypot(c, s);
        Vector h = Vector::Zero(D);
        h[angle.cosine] = c / length;
        h[angle.sine] = s / length;
        const Vector Ph = P * h;
        const double variance = h.dot(Ph) + circle_variance(angle);
        const double missing = 1 - length - h.dot(m);
        if (told) {
          const Eigen::RowVectorXd slope = h.transpose() * G;
          told->rest[row] = missing / std::sqrt(variance);
          told->rows.row(row) = slope / std::sqrt(variance);
          G -= Ph / variance * slope;
          ++row;
        }
        m += Ph / variance * missing;
        P -= Ph * Ph.transpose() / variance;
      }
      at.after[i + 1] = {m, 0.5 * (P + P.transpose())};
    }
    return at;
  }

  // By which the states change: back through what the filter saw (Rauch, Tung and Striebel).
  static Matrix smoothed(const Filtered& at, const Along& along) {
    const Index T = along.mean.cols();
    Matrix change(along.mean.rows(), T + 1);
    change.col(T) = at.after.back().mean;
    for (Index t = T - 1; t >= 0; --t) {
      const auto& [mean, covariance] = at.after[static_cast<std::size_t>(t)];
      const auto& ahead = at.before[static_cast<std::size_t>(t) + 1];
      const Matrix C = ahead.covariance.llt().solve(along.F(t) * covariance).transpose();
      change.col(t) = mean + C * (change.col(t + 1) - ahead.mean);
    }
    return change;
  }

  // A step of weights and states; false where no other is worth it.
  bool improve(bool new_hessian) {
    Vector slope(weights_);
    Matrix N = Matrix::Zero(new_hessian ? weights_ : 0, new_hessian ? weights_ : 0);
    for (const Place& place : places_) {
      const Vector prior = prior_of(place);
      slope.segment(place.first, place.count) =
          -prior.cwiseProduct(posterior_of(place).weights.col(place.column));
      if (new_hessian) N.diagonal().segment(place.first, place.count) = prior;
    }
    std::vector<Along> along(pieces_.size());
    Innovations told;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      expand(pieces_[i], true, along[i]);
      filter(pieces_[i], along[i], Matrix::Zero(regression_.outputs(), pieces_[i].steps()), &told);
      slope.noalias() += told.rows.transpose() * told.rest;
      if (new_hessian) N.selfadjointView<Eigen::Lower>().rankUpdate(told.rows.transpose());
    }
    if (!slope.allFinite()) return false;
    if (new_hessian) {
      Eigen::LLT<Matrix> factorized(N.selfadjointView<Eigen::Lower>());
      if (factorized.info() != Eigen::Success) return false;
      hessian_ = std::move(factorized);
    }
    const Vector change = hessian_.solve(slope);

    std::vector<Matrix> changes;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      Matrix moved(regression_.outputs(), pieces_[i].steps());
      for (Index j = 0; j < moved.rows(); ++j) {
        const Place& place = place_of(j);
        moved.row(j) = posterior_of(place).outputs.scale[place.column] *
                       change.segment(place.first, place.count).transpose() *
                       along[i].workspace.groups[place.group].phi;
      }
      changes.push_back(smoothed(filter(pieces_[i], along[i], moved, nullptr), along[i]));
    }
    return take(change, changes);
  }

  // As much of a step as lowers the cost.
  bool take(const Vector& change, const std::vector<Matrix>& changes) {
    const double before = cost();
    const std::vector<Piece> pieces = pieces_;
    const std::vector<Matrix> weights = moved_by(Vector::Zero(weights_));
    const auto set = [&](const std::vector<Matrix>& to) {
      for (std::size_t g = 0; g < to.size(); ++g) regression_.groups[g].posterior.weights = to[g];
    };
    for (double length = 1; length > 0.05; length *= 0.5) {
      set(weights);
      set(moved_by(length * change));
      for (std::size_t i = 0; i < pieces_.size(); ++i)
        pieces_[i].states = pieces[i].states + length * changes[i];
      const double after = cost();
      if (after < before) return before - after > kEnough * before;
    }
    set(weights);
    pieces_ = pieces;
    return false;
  }

  Regression& regression_;
  const std::vector<AnglePair>& angles_;
  std::vector<Piece> pieces_;
  const Index weights_;  // of all outputs
  std::vector<Place> places_;
  Vector R_, Q_;  // variances
  Eigen::LLT<Matrix> hessian_;
};

}  // namespace

bool trajectories_tell_more(const Regression& regression, const NoiseSplit& noise,
                            Index transitions) {
  constexpr double kOfTheSpread = 0.01, kOfTheNoise = 0.1;
  const auto measurements = static_cast<double>(transitions * regression.outputs());
  const auto weights = static_cast<double>(regression.parameters());
  if (measurements < weights || regression.parameters() > kMostWeights ||
      measurements * weights * weights > kMostOperations)
    return false;
  for (const auto& [outputs, posterior] : regression.groups)
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const double variance = posterior.noise_variance()[static_cast<Index>(k)];
      const double sensor = noise.sensor[outputs[k]];
      if (posterior.noise[static_cast<Index>(k)] > kOfTheSpread &&
          sensor * sensor > kOfTheNoise * variance)
        return true;
    }
  return false;
}

std::vector<std::vector<Matrix>> fit_trajectories(Regression& regression, const NoiseSplit& noise,
                                                  const std::vector<AnglePair>& angles,
                                                  const std::vector<Transitions>& episodes,
                                                  int draws) {
  TrajectoryFit fit(regression, noise, angles, episodes);
  fit.run();
  return fit.draw(draws);
}

}  // namespace rhc
