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

// Whether their sum is a number. Of vectors of any length: one function for all sizes.
bool finite_sum(const double* q, const double* Q, Index n) {
  using Numbers = Eigen::Map<const Vector>;
  return std::isfinite(Numbers(q, n).sum() + Numbers(Q, n * n).sum());
}

// The geometric mean of all curvatures. Their product is kept in range by its exponent.
class CurvatureMean {
 public:
  void take(double curvature) { product_ *= std::abs(curvature) + 1e-300; }
  void keep_in_range() {
    if (product_ > 1e-30 && product_ < 1e30) return;
    logarithm_ += std::log(std::max(product_, 1e-300));
    product_ = 1;
  }
  double of(Index count) const {
    return std::exp((logarithm_ + std::log(product_)) / static_cast<double>(count));
  }

 private:
  double product_ = 1, logarithm_ = 0;
};

// One action, and so few states that the compiler knows their number. What goes number by number
// are loops, and products go column by column: the machine does the same, and there is less to
// compile than of whole matrices.
template <int NX>
RiccatiStatus backward_pass(const Problem& problem, const RiccatiSettings& settings,
                            Policy& policy) {
  constexpr int N = NX + 1;
  using State = Eigen::Matrix<double, NX, 1>;
  using Column = Eigen::Map<const State>;
  using Action = Eigen::Map<const Eigen::Matrix<double, 1, 1>>;
  Eigen::Matrix<double, NX, NX> V;
  Eigen::Matrix<double, NX, N> VF;
  Eigen::Matrix<double, N, N> Q;
  State v;
  double q[N], K[NX], QuuK[NX];
  policy.slope = 0;
  std::copy_n(problem.P.data(), NX * NX, V.data());
  std::copy_n(problem.p.data(), NX, v.data());
  CurvatureMean mean;
  for (Index t = problem.horizon() - 1; t >= 0; --t) {
    // The value of arriving, with the gap, and through the dynamics.
    const double* F = problem.F.data() + t * NX * N;
    v.noalias() += V.lazyProduct(Column(problem.d.data() + t * NX));
    for (int j = 0; j < N; ++j) VF.col(j).noalias() = V.lazyProduct(Column(F + j * NX));
    const double* H = problem.H.data() + t * N * N;
    for (int j = 0; j < N; ++j)
      for (int i = 0; i < N; ++i)
        Q(i, j) = H[i + j * N] + Column(F + i * NX).cwiseProduct(Column(&VF(0, j))).sum();
    const double* g = problem.g.data() + t * N;
    for (int i = 0; i < N; ++i)
      q[i] = g[i] + Column(F + i * NX).cwiseProduct(Column(v.data())).sum();
    if (!finite_sum(q, Q.data(), N)) return RiccatiStatus::not_finite;
    mean.take(Q(NX, NX));
    mean.keep_in_range();

    // The best action, and how it changes with the state.
    double curvature = Q(NX, NX);
    make_positive(curvature, settings);
    const double wanted = -q[NX] / curvature;
    const double lower = problem.lower(0, t), upper = problem.upper(0, t);
    const bool held = (wanted <= lower && q[NX] + curvature * lower >= 0) ||
                      (wanted >= upper && q[NX] + curvature * upper <= 0);
    const double k = std::clamp(wanted, lower, upper);
    const double gain = -1 / curvature;
    for (int i = 0; i < NX; ++i) K[i] = held ? 0 : Q(NX, i) * gain;
    policy.k(0, t) = k;
    std::copy_n(K, NX, policy.K.data() + t * NX);

    // What the policy costs from here on, in the curvature it was made with.
    double force = curvature * k;
    policy.slope += Action(&k).dot(Action(q + NX));
    round_now(force);
    force += q[NX];
    for (int i = 0; i < NX; ++i) QuuK[i] = curvature * K[i] + 2 * Q(NX, i);
    for (int i = 0; i < NX; ++i) v[i] = q[i] + K[i] * force + Q(NX, i) * k;
    // K' (Quu K + 2 Qux) is not symmetric, its symmetric part is what counts.
    for (int j = 0; j < NX; ++j)
      for (int i = 0; i < NX; ++i) V(i, j) = Q(i, j) + K[i] * QuuK[j];
    for (int i = 0; i < NX; ++i)
      for (int j = 0; j < i; ++j) V(i, j) = V(j, i) = 0.5 * (V(i, j) + V(j, i));
  }
  policy.curvature = mean.of(problem.horizon());
  return RiccatiStatus::ok;
}

// Any number of states and actions.
RiccatiStatus backward_pass(const Problem& problem, const RiccatiSettings& settings, Stage& s,
                            BoxQp& program, Policy& policy) {
  const Index nx = problem.states(), nu = problem.actions(), n = nx + nu;
  policy.slope = 0;
  s.V = problem.P;
  s.v = problem.p;
  CurvatureMean mean;
  for (Index t = problem.horizon() - 1; t >= 0; --t) {
    // The value of arriving, with the gap, and through the dynamics.
    const Eigen::Map<const Matrix> F(problem.F.data() + t * nx * n, nx, n);
    const Eigen::Map<const Vector> d(problem.d.data() + t * nx, nx);
    s.v.noalias() += s.V.lazyProduct(d);
    s.VF.noalias() = s.V.lazyProduct(F);
    s.Q = Eigen::Map<const Matrix>(problem.H.data() + t * n * n, n, n);
    s.Q.noalias() += F.transpose().lazyProduct(s.VF);
    s.q = Eigen::Map<const Vector>(problem.g.data() + t * n, n);
    s.q.noalias() += F.transpose().lazyProduct(s.v);
    if (!finite_sum(s.q.data(), s.Q.data(), n)) return RiccatiStatus::not_finite;
    for (Index i = 0; i < nu; ++i) mean.take(s.Q(nx + i, nx + i));
    mean.keep_in_range();

    // The best action, and how it changes with the state.
    s.Quu = s.Q.bottomRightCorner(nu, nu);
    make_positive(s.Quu, settings);
    if (!program.solve(s.Quu, s.q.tail(nu), problem.lower.col(t), problem.upper.col(t)))
      return RiccatiStatus::not_finite;
    s.k = program.x;
    s.K = s.Q.bottomLeftCorner(nu, nx);
    program.solve_free(s.K);
    policy.k.col(t) = s.k;
    Eigen::Map<Matrix>(policy.K.data() + t * nx * nu, nu, nx) = s.K;

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
  policy.curvature = mean.of(nu * problem.horizon());
  return RiccatiStatus::ok;
}

}  // namespace

Riccati::Riccati(Index states, Index actions) : stage_(states, actions), program_(actions) {}

RiccatiStatus Riccati::solve(const Problem& problem, const RiccatiSettings& settings,
                             Policy& policy) {
  if (problem.actions() == 1) switch (problem.states()) {
      case 1:
        return backward_pass<1>(problem, settings, policy);
      case 2:
        return backward_pass<2>(problem, settings, policy);
      case 3:
        return backward_pass<3>(problem, settings, policy);
      case 4:
        return backward_pass<4>(problem, settings, policy);
      case 5:
        return backward_pass<5>(problem, settings, policy);
      case 6:
        return backward_pass<6>(problem, settings, policy);
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
