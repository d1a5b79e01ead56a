#include "rhc/plan/lq/riccati.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace rhc::lq {

Problem::Problem(Index states, Index actions, Index horizon)
    : F(Matrix::Zero(states, (states + actions) * horizon)),
      d(Matrix::Zero(states, horizon)),
      H(Matrix::Zero(states + actions, (states + actions) * horizon)),
      g(Matrix::Zero(states + actions, horizon)),
      P(Matrix::Zero(states, states)),
      p(Vector::Zero(states)),
      lower(Matrix::Constant(actions, horizon, -kInfinity)),
      upper(Matrix::Constant(actions, horizon, kInfinity)) {}

Policy::Policy(Index states, Index actions, Index horizon)
    : k(Matrix::Zero(actions, horizon)),
      K(Matrix::Zero(actions, states * horizon)),
      slope(0),
      bend(0),
      curvature(0),
      mirrored(0) {}

Sweep::Sweep(Index states, Index actions)
    : V_(states, states),
      VF_(states, states + actions),
      Q_(states + actions, states + actions),
      Quu_(actions, actions),
      K_(actions, states),
      v_(states),
      q_(states + actions),
      program_(actions) {}

// Lifts and mirrors the curvature in Quu_; true where it had to be mirrored.
bool Sweep::make_positive(const SweepSettings& settings) {
  const double least = std::max(settings.least_curvature, 1e-300), shift = settings.shift;
  const Index nu = Quu_.rows();
  if (nu == 1) {
    const bool negative = Quu_(0, 0) < 0;
    Quu_(0, 0) = std::max(std::abs(Quu_(0, 0)), least) + shift;
    return negative;
  }
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 32, 32>>
      eigen(Quu_);
  auto values = eigen.eigenvalues();
  const bool negative = values[0] < 0;
  if (!negative && values[0] >= least) {
    Quu_.diagonal().array() += shift;
    return false;
  }
  for (Index i = 0; i < nu; ++i) values[i] = std::max(std::abs(values[i]), least) + shift;
  const auto& vectors = eigen.eigenvectors();
  for (Index i = 0; i < nu; ++i)
    for (Index j = 0; j < nu; ++j) {
      double sum = 0;
      for (Index k = 0; k < nu; ++k) sum += vectors(i, k) * values[k] * vectors(j, k);
      Quu_(i, j) = sum;
    }
  return negative;
}

SweepStatus Sweep::solve(const Problem& problem, const SweepSettings& settings, Policy& policy) {
  const Index nx = problem.states(), nu = problem.actions();
  policy.slope = policy.bend = 0;
  policy.mirrored = 0;
  V_ = problem.P;
  v_ = problem.p;
  double size = 0;
  for (Index t = problem.horizon() - 1; t >= 0; --t) {
    const auto F = problem.F_(t);
    // The value of arriving, with the gap, and through the dynamics.
    v_.noalias() += V_.lazyProduct(problem.d.col(t));
    VF_.noalias() = V_.lazyProduct(F);
    Q_ = problem.H_(t);
    Q_.noalias() += F.transpose().lazyProduct(VF_);
    q_ = problem.g.col(t);
    q_.noalias() += F.transpose().lazyProduct(v_);
    if (!q_.allFinite() || !Q_.allFinite()) return SweepStatus::not_finite;

    Quu_ = Q_.bottomRightCorner(nu, nu);
    size += Quu_.diagonal().cwiseAbs().sum();
    policy.mirrored += make_positive(settings);

    auto k = policy.k.col(t);
    if (!program_.solve(Quu_, q_.tail(nu), problem.lower.col(t), problem.upper.col(t)))
      return SweepStatus::not_finite;
    k = program_.x;
    K_ = Q_.bottomLeftCorner(nu, nx);
    program_.solve_free(K_);
    policy.K.middleCols(t * nx, nx) = K_;

    policy.slope += k.dot(q_.tail(nu));
    policy.bend += k.dot(Quu_.lazyProduct(k));

    // What the policy costs from here on, in the curvature it was made with.
    v_ = q_.head(nx);
    v_.noalias() += K_.transpose().lazyProduct(Quu_.lazyProduct(k) + q_.tail(nu));
    v_.noalias() += Q_.bottomLeftCorner(nu, nx).transpose().lazyProduct(k);
    V_ = Q_.topLeftCorner(nx, nx);
    V_.noalias() += K_.transpose().lazyProduct(Quu_.lazyProduct(K_));
    V_.noalias() += K_.transpose().lazyProduct(Q_.bottomLeftCorner(nu, nx));
    V_.noalias() += Q_.bottomLeftCorner(nu, nx).transpose().lazyProduct(K_);
    for (Index i = 0; i < nx; ++i)
      for (Index j = 0; j < i; ++j) V_(i, j) = V_(j, i) = 0.5 * (V_(i, j) + V_(j, i));
  }
  policy.curvature = size / static_cast<double>(nu * problem.horizon());
  return SweepStatus::ok;
}

void simulate(const Problem& problem, const Policy& policy, Matrix& x, Matrix& u) {
  const Index nx = problem.states(), nu = problem.actions(), T = problem.horizon();
  x.resize(nx, T + 1);
  u.resize(nu, T);
  x.col(0).setZero();
  for (Index t = 0; t < T; ++t) {
    u.col(t) = policy.k.col(t);
    u.col(t).noalias() += policy.K.middleCols(t * nx, nx).lazyProduct(x.col(t));
    u.col(t) = u.col(t).cwiseMax(problem.lower.col(t)).cwiseMin(problem.upper.col(t));
    x.col(t + 1) = problem.d.col(t);
    x.col(t + 1).noalias() += problem.F_(t).leftCols(nx).lazyProduct(x.col(t));
    x.col(t + 1).noalias() += problem.F_(t).rightCols(nu).lazyProduct(u.col(t));
  }
}

}  // namespace rhc::lq
