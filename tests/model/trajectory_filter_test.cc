#include "rhc/model/trajectory_filter.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "rhc/model/fit_model.h"
#include "tests/model/noisy_pendulum.h"

namespace rhc {
namespace {

const std::vector<AnglePair> kOnCircle = Pendulum{}.spec().angles;
const NoiseSplit kOfBoth{Eigen::Vector3d(0.02, 0.02, 0.1), Eigen::Vector3d(0.004, 0.004, 0.02)};

Regression of_noisy_pendulum(const std::vector<Transitions>& episodes) {
  return fit_model(draw_features(20, 4, RandomStream(1, "features")), concatenate(episodes),
                   {.starts = 4})
      .model;
}

TEST(PiecesOf, CutsWhereMeasurementsDoNotFollowEachOther) {
  const auto episodes = noisy_episodes({kOfBoth.sensor, {}}, 2, 1);
  const std::vector<Piece> pieces = pieces_of({concatenate(episodes)}, 3);
  ASSERT_EQ(pieces.size(), 2u);
  for (std::size_t e = 0; e < 2; ++e) {
    const Matrix& inputs = episodes[e].inputs;
    EXPECT_EQ(pieces[e].actions, inputs.bottomRows(1));
    EXPECT_EQ(pieces[e].measured.leftCols(inputs.cols()), inputs.topRows(3));
    EXPECT_EQ(pieces[e].states, pieces[e].measured);
  }
}

TEST(PiecesOf, CutsLongOnes) {
  Transitions all{Matrix::Zero(4, 300), Matrix::Zero(3, 300)};
  const std::vector<Piece> pieces = pieces_of({all}, 3);
  Index steps = 0;
  for (const Piece& piece : pieces) {
    EXPECT_LE(piece.steps(), 128);
    steps += piece.steps();
  }
  EXPECT_EQ(steps, 300);
}

TEST(TrajectoryFilter, InnovationsAreLinearInWhatIsAdded) {
  const auto episodes = noisy_episodes({kOfBoth.sensor, {}}, 1, 2);
  const Regression regression = of_noisy_pendulum(episodes);
  const TrajectoryFilter filter(regression, kOfBoth, kOnCircle);
  const Piece piece = pieces_of(episodes, 3)[0];
  Along along;
  filter.expand(piece, true, along);
  Innovations plain, moved;
  filter.filter(piece, along, Matrix::Zero(3, piece.steps()), &plain);
  RandomStream randomness(3, "added");
  const Vector added = 0.1 * randomness.normals(3 * piece.steps());
  filter.filter(piece, along, added.reshaped(3, piece.steps()), &moved);
  EXPECT_LT((plain.rest - plain.slope * added - moved.rest).norm(), 1e-9 * moved.rest.norm());
  EXPECT_EQ(plain.log_det, moved.log_det);
}

// A random walk that is measured: the smoothed states solve a tridiagonal system.
TEST(TrajectoryFilter, SmoothsARandomWalkAsALeastSquaresProblemDoes) {
  constexpr Index T = 20;
  const FourierFeatures draw = draw_features(3, 2, RandomStream(1, "features"));
  const Regression still(BayesianLinearModel(draw, {Vector::Ones(2), 1, Vector::Constant(1, 0.1)},
                                             {Vector::Zero(1), Vector::Ones(1)}));
  const double R = 0.04, Q = 0.01;
  const TrajectoryFilter filter(
      still, {Vector::Constant(1, std::sqrt(R)), Vector::Constant(1, std::sqrt(Q))}, {});
  RandomStream randomness(4, "walk");
  Piece piece{randomness.normals(T + 1).transpose(), Matrix::Zero(1, T), {}};
  piece.states = piece.measured;
  Along along;
  filter.expand(piece, true, along);
  const Matrix change =
      TrajectoryFilter::smoothed(filter.filter(piece, along, Matrix::Zero(1, T), nullptr), along);

  Matrix A = Matrix::Identity(T + 1, T + 1) / R;
  for (Index t = 0; t < T; ++t) {
    A(t, t) += 1 / Q;
    A(t + 1, t + 1) += 1 / Q;
    A(t, t + 1) -= 1 / Q;
    A(t + 1, t) -= 1 / Q;
  }
  const Vector expected = A.ldlt().solve(piece.measured.transpose() / R);
  EXPECT_LT((piece.states.transpose() + change.transpose() - expected).norm(), 1e-9);
}

}  // namespace
}  // namespace rhc
