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
      curvature(0) {}

namespace {

// Lifts curvature, and mirrors what is negative.
void make_positive(double& curvature, const RiccatiSettings& settings) {
  curvature = std::max({std::abs(curvature), settings.least_curvature, 1e-300}) + settings.shift;
}

void make_positive(Matrix& Quu, const RiccatiSettings& settings) {
  // Small and on the stack, so that nothing is allocated.
  constexpr int kMost = 16;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
  const Index nu = Quu.rows();
  if (nu == 1) return make_positive(Quu(0, 0), settings);
  const auto mirror = [&](const auto& eigen) {
    const auto& vectors = eigen.eigenvectors();
    Quu.setZero();
    for (Index k = 0; k < nu; ++k) {
      double value = eigen.eigenvalues()[k];
      make_positive(value, settings);
      for (Index j = 0; j < nu; ++j)
        for (Index i = 0; i < nu; ++i) Quu(i, j) += vectors(i, k) * value * vectors(j, k);
    }
  };
  if (nu <= kMost)
    mirror(Eigen::SelfAdjointEigenSolver<Small>(Quu));
  else
    mirror(Eigen::SelfAdjointEigenSolver<Matrix>(Quu));
}

// Keeps the compiler from fusing a product with the sum that it goes into: one rounding less, and
// runs of 0.1 could not be repeated to the last bit.
void round_now(double& value) { asm("" : "+m"(value)); }

template <int NX, int NU>
RiccatiStatus backward_pass(const Problem& problem, const RiccatiSettings& settings,
                            Stage<NX, NU>& s, BoxQp& program, Policy& policy) {
  constexpr int N = Stage<NX, NU>::N;
  const Index nx = problem.states(), nu = problem.actions(), n = nx + nu;
  policy.slope = 0;
  s.V = problem.P;
  s.v = problem.p;
  // The product of all curvatures, kept in range by its exponent.
  double product = 1, logarithm = 0;
  for (Index t = problem.horizon() - 1; t >= 0; --t) {
    // The value of arriving, with the gap, and through the dynamics.
    const Eigen::Map<const Eigen::Matrix<double, NX, N>> F(problem.F.data() + t * nx * n, nx, n);
    const Eigen::Map<const Eigen::Matrix<double, NX, 1>> d(problem.d.data() + t * nx, nx);
    s.v.noalias() += s.V.lazyProduct(d);
    s.VF.noalias() = s.V.lazyProduct(F);
    s.Q = Eigen::Map<const Eigen::Matrix<double, N, N>>(problem.H.data() + t * n * n, n, n);
    s.Q.noalias() += F.transpose().lazyProduct(s.VF);
    s.q = Eigen::Map<const Eigen::Matrix<double, N, 1>>(problem.g.data() + t * n, n);
    s.q.noalias() += F.transpose().lazyProduct(s.v);
    if (!std::isfinite(s.q.sum() + s.Q.sum())) return RiccatiStatus::not_finite;
    for (Index i = 0; i < nu; ++i) product *= std::abs(s.Q(nx + i, nx + i)) + 1e-300;
    if (!(product > 1e-30 && product < 1e30)) {
      logarithm += std::log(std::max(product, 1e-300));
      product = 1;
    }

    // The best action, and how it changes with the state.
    if constexpr (NU == 1) {
      double curvature = s.Q(nx, nx);
      make_positive(curvature, settings);
      const double wanted = -s.q[nx] / curvature;
      const double lower = problem.lower(0, t), upper = problem.upper(0, t);
      const bool held = (wanted <= lower && s.q[nx] + curvature * lower >= 0) ||
                        (wanted >= upper && s.q[nx] + curvature * upper <= 0);
      s.k[0] = std::clamp(wanted, lower, upper);
      s.Quu(0, 0) = curvature;
      if (held)
        s.K.setZero();
      else
        s.K = s.Q.template bottomLeftCorner<1, NX>() * (-1 / curvature);
    } else {
      s.Quu = s.Q.bottomRightCorner(nu, nu);
      make_positive(s.Quu, settings);
      if (!program.solve(s.Quu, s.q.tail(nu), problem.lower.col(t), problem.upper.col(t)))
        return RiccatiStatus::not_finite;
      s.k = program.x;
      s.K = s.Q.bottomLeftCorner(nu, nx);
      program.solve_free(s.K);
    }
    policy.k.col(t) = s.k;
    Eigen::Map<Eigen::Matrix<double, NU, NX>>(policy.K.data() + t * nx * nu, nu, nx) = s.K;

    // What the policy costs from here on, in the curvature it was made with.
    const auto qu = s.q.tail(nu);
    const auto Qux = s.Q.bottomLeftCorner(nu, nx);
    s.force.noalias() = s.Quu.lazyProduct(s.k);
    policy.slope += s.k.dot(qu);
    for (Index i = 0; i < nu; ++i) round_now(s.force[i]);
    s.force += qu;
    s.QuuK.noalias() = s.Quu.lazyProduct(s.K);
    s.QuuK += 2 * Qux;
    s.v = s.q.head(nx);
    s.v.noalias() += s.K.transpose().lazyProduct(s.force);
    s.v.noalias() += Qux.transpose().lazyProduct(s.k);
    // K' (Quu K + 2 Qux) is not symmetric, its symmetric part is what counts.
    s.V = s.Q.topLeftCorner(nx, nx);
    s.V.noalias() += s.K.transpose().lazyProduct(s.QuuK);
    for (Index i = 0; i < nx; ++i)
      for (Index j = 0; j < i; ++j) s.V(i, j) = s.V(j, i) = 0.5 * (s.V(i, j) + s.V(j, i));
  }
  logarithm += std::log(product);
  policy.curvature = std::exp(logarithm / static_cast<double>(nu * problem.horizon()));
  return RiccatiStatus::ok;
}

}  // namespace

Riccati::Riccati(Index states, Index actions) : stage_(states, actions), program_(actions) {}

RiccatiStatus Riccati::solve(const Problem& problem, const RiccatiSettings& settings,
                             Policy& policy) {
  const auto sized = [&]<int NX>() {
    Stage<NX, 1> stage(NX, 1);
    return backward_pass(problem, settings, stage, program_, policy);
  };
  if (problem.actions() == 1) switch (problem.states()) {
      case 1:
        return sized.template operator()<1>();
      case 2:
        return sized.template operator()<2>();
      case 3:
        return sized.template operator()<3>();
      case 4:
        return sized.template operator()<4>();
      case 5:
        return sized.template operator()<5>();
      case 6:
        return sized.template operator()<6>();
      default:
        break;
    }
  return backward_pass(problem, settings, stage_, program_, policy);
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
