#include "rhc/plan/lq/riccati.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "rhc/core/random.h"
#include "tests/repeats.h"

namespace rhc::lq {
namespace {

Matrix random_matrix(RandomStream& r, Index rows, Index cols) {
  Matrix result(rows, cols);
  for (double& v : result.reshaped()) v = r.normal();
  return result;
}

Matrix random_positive(RandomStream& r, Index n) {
  const Matrix root = random_matrix(r, n, n) / std::sqrt(static_cast<double>(n));
  return root * root.transpose() + 0.1 * Matrix::Identity(n, n);
}

// A convex problem without bounds.
Problem random_problem(Index nx, Index nu, Index T, RandomStream& r, bool gaps) {
  Problem problem(nx, nu, T);
  problem.F = random_matrix(r, nx, problem.F.cols()) / std::sqrt(static_cast<double>(nx + nu));
  if (gaps) problem.d = 0.3 * random_matrix(r, nx, T);
  for (Index t = 0; t < T; ++t) problem.H_(t) = random_positive(r, nx + nu);
  problem.g = random_matrix(r, nx + nu, T);
  problem.P = random_positive(r, nx);
  problem.p = r.normals(nx);
  return problem;
}

Problem random_problem(std::uint64_t seed, bool gaps) {
  RandomStream r(seed, "linear quadratic");
  const Index nx = 1 + static_cast<Index>(r.below(8)), nu = 1 + static_cast<Index>(r.below(3));
  const Index T = 1 + static_cast<Index>(r.below(30));
  return random_problem(nx, nu, T, r, gaps);
}

void add_bounds(Problem& problem, RandomStream& r) {
  for (double& v : problem.lower.reshaped()) v = -r.uniform(0, 0.5);
  for (double& v : problem.upper.reshaped()) v = r.uniform(0, 0.5);
}

// Actions' curvature that bends down at every third stage.
void bend_down(Problem& problem, double by) {
  const Index nu = problem.actions();
  for (Index t = 0; t < problem.horizon(); t += 3)
    problem.H_(t).bottomRightCorner(nu, nu).diagonal().array() -= by;
}

Policy solve(const Problem& problem, const RiccatiSettings& settings = {}) {
  Policy policy(problem.states(), problem.actions(), problem.horizon());
  Riccati riccati(problem.states(), problem.actions());
  EXPECT_EQ(riccati.solve(problem, settings, policy), RiccatiStatus::ok);
  return policy;
}

// The whole problem as one system of linear equations in (u_0, x_1, u_1, ..., x_T) and multipliers.
void solve_dense(const Problem& problem, Matrix& x, Matrix& u) {
  const Index nx = problem.states(), nu = problem.actions(), n = nx + nu, T = problem.horizon();
  const Index variables = n * T, size = variables + nx * T;
  Matrix A = Matrix::Zero(size, size);
  Vector b = Vector::Zero(size);
  for (Index t = 0; t < T; ++t) {
    const auto H = problem.H_(t);
    const auto F = problem.F_(t);
    const Index action = t * n, state = action - nx, next = action + nu;
    const Index multiplier = variables + t * nx;
    A.block(action, action, nu, nu) += H.bottomRightCorner(nu, nu);
    b.segment(action, nu) -= problem.g.col(t).tail(nu);
    A.block(multiplier, action, nx, nu) = F.rightCols(nu);
    A.block(multiplier, next, nx, nx) = -Matrix::Identity(nx, nx);
    b.segment(multiplier, nx) = -problem.d.col(t);
    if (t == 0) continue;
    A.block(state, state, nx, nx) += H.topLeftCorner(nx, nx);
    A.block(state, action, nx, nu) += H.topRightCorner(nx, nu);
    A.block(action, state, nu, nx) += H.bottomLeftCorner(nu, nx);
    b.segment(state, nx) -= problem.g.col(t).head(nx);
    A.block(multiplier, state, nx, nx) = F.leftCols(nx);
  }
  const Index last = variables - nx;
  A.block(last, last, nx, nx) += problem.P;
  b.segment(last, nx) -= problem.p;
  A.topRightCorner(variables, nx * T) = A.bottomLeftCorner(nx * T, variables).transpose();
  const Vector solution = A.partialPivLu().solve(b);
  x = Matrix::Zero(nx, T + 1);
  u.resize(nu, T);
  for (Index t = 0; t < T; ++t) {
    u.col(t) = solution.segment(t * n, nu);
    x.col(t + 1) = solution.segment(t * n + nu, nx);
  }
}

// The cost of steps t .. T - 1 and the end, from a state with an action first, then by the policy.
double cost_to_go(const Problem& problem, const Policy& policy, Index t, Vector x, Vector u) {
  const Index nx = problem.states(), nu = problem.actions(), T = problem.horizon();
  double total = 0;
  for (Index s = t; s < T; ++s) {
    if (s > t) u = policy.k.col(s) + policy.K.middleCols(s * nx, nx) * x;
    Vector z(nx + nu);
    z << x, u;
    total += 0.5 * z.dot(problem.H_(s) * z) + problem.g.col(s).dot(z);
    x = problem.F_(s) * z + problem.d.col(s);
  }
  return total + 0.5 * x.dot(problem.P * x) + problem.p.dot(x);
}

// The derivative of the cost at no change at all, along a change that follows the dynamics.
double slope_along(const Problem& problem, const Matrix& x, const Matrix& u) {
  double slope = problem.p.dot(x.rightCols(1).col(0));
  for (Index t = 0; t < problem.horizon(); ++t)
    slope += problem.g.col(t).head(x.rows()).dot(x.col(t)) +
             problem.g.col(t).tail(u.rows()).dot(u.col(t));
  return slope;
}

TEST(Riccati, ThePolicyFollowsTheSolutionOfTheDenseSystem) {
  for (int seed = 1; seed <= repeats(40, 1000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Problem problem = random_problem(static_cast<std::uint64_t>(seed), seed % 4 != 0);
    Matrix x, u, dense_x, dense_u;
    simulate(problem, solve(problem), x, u);
    solve_dense(problem, dense_x, dense_u);
    EXPECT_LT((x - dense_x).norm(), 1e-8 * (1 + dense_x.norm()));
    EXPECT_LT((u - dense_u).norm(), 1e-8 * (1 + dense_u.norm()));
  }
}

TEST(Riccati, SlopeIsTheDerivativeOfTheCostAlongThePolicy) {
  for (int seed = 1; seed <= repeats(60, 2000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Problem problem = random_problem(static_cast<std::uint64_t>(seed), false);
    const Policy policy = solve(problem);
    Matrix x, u;
    simulate(problem, policy, x, u);
    EXPECT_NEAR(policy.slope, slope_along(problem, x, u), 1e-9 * std::abs(policy.slope));
    EXPECT_LT(policy.slope, 0);
  }
}

TEST(Riccati, WithoutBoundsHalfTheSlopeIsTheChangeOfTheCost) {
  for (int seed = 1; seed <= repeats(60, 2000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Problem problem = random_problem(static_cast<std::uint64_t>(seed), false);
    const Policy policy = solve(problem);
    const double change =
        cost_to_go(problem, policy, 0, Vector::Zero(problem.states()), policy.k.col(0));
    EXPECT_NEAR(0.5 * policy.slope, change, 1e-9 * std::abs(change));
  }
}

TEST(Riccati, EveryActionIsTheBestInItsBoundsBeforeTheRestOfThePolicy) {
  for (int seed = 1; seed <= repeats(60, 2000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream r(static_cast<std::uint64_t>(seed), "bounds");
    Problem problem = random_problem(static_cast<std::uint64_t>(seed), seed % 2 == 0);
    add_bounds(problem, r);
    const Policy policy = solve(problem);
    const Vector here = Vector::Zero(problem.states());
    for (Index t = 0; t < problem.horizon(); ++t)
      for (Index i = 0; i < problem.actions(); ++i) {
        Vector up = policy.k.col(t), down = up;
        up[i] += 1;  // the cost is quadratic: any difference is exact
        down[i] -= 1;
        const double gradient = 0.5 * (cost_to_go(problem, policy, t, here, up) -
                                       cost_to_go(problem, policy, t, here, down));
        const double k = policy.k(i, t), rounding = 1e-8 * (1 + problem.g.norm());
        if (k == problem.lower(i, t))
          EXPECT_GE(gradient, -rounding) << "stage " << t;
        else if (k == problem.upper(i, t))
          EXPECT_LE(gradient, rounding) << "stage " << t;
        else
          EXPECT_NEAR(gradient, 0, rounding) << "stage " << t;
      }
  }
}

TEST(Riccati, ActionsStayInsideTheirBounds) {
  for (int seed = 1; seed <= repeats(60, 2000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream r(static_cast<std::uint64_t>(seed), "bounds");
    Problem problem = random_problem(static_cast<std::uint64_t>(seed), true);
    add_bounds(problem, r);
    if (seed % 3 == 0) bend_down(problem, 5);
    const Policy policy = solve(problem);
    Matrix x, u;
    simulate(problem, policy, x, u);
    EXPECT_TRUE((u.array() >= problem.lower.array()).all());
    EXPECT_TRUE((u.array() <= problem.upper.array()).all());
    EXPECT_TRUE((policy.k.array() >= problem.lower.array()).all());
    EXPECT_TRUE((policy.k.array() <= problem.upper.array()).all());
  }
}

TEST(Riccati, AnActionThatABoundHoldsDoesNotAnswerTheState) {
  int held = 0;
  for (int seed = 1; seed <= repeats(60, 2000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream r(static_cast<std::uint64_t>(seed), "bounds");
    Problem problem = random_problem(static_cast<std::uint64_t>(seed), true);
    add_bounds(problem, r);
    const Policy policy = solve(problem);
    for (Index t = 0; t < problem.horizon(); ++t)
      for (Index i = 0; i < problem.actions(); ++i) {
        const double k = policy.k(i, t);
        if (k != problem.lower(i, t) && k != problem.upper(i, t)) continue;
        ++held;
        EXPECT_EQ(policy.K.block(i, t * problem.states(), 1, problem.states()).norm(), 0);
      }
  }
  EXPECT_GT(held, 100);
}

TEST(Riccati, CurvatureThatBendsDownIsTurnedOverAndTheStepDescends) {
  for (int seed = 1; seed <= repeats(60, 2000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Problem problem = random_problem(static_cast<std::uint64_t>(seed), false);
    bend_down(problem, 50);
    const Policy policy = solve(problem);
    Matrix x, u;
    simulate(problem, policy, x, u);
    EXPECT_LT(policy.slope, 0);
    EXPECT_NEAR(policy.slope, slope_along(problem, x, u), 1e-8 * std::abs(policy.slope));
  }
}

TEST(Riccati, TurningOverIsTheSameAsTheOppositeCurvature) {
  Problem down(1, 2, 1), up(1, 2, 1);
  down.g.col(0) = up.g.col(0) = Vector{{0, 1, 2}};
  const Matrix turn{{0.6, -0.8}, {0.8, 0.6}};
  down.H_(0).bottomRightCorner(2, 2) = turn * Vector{{-3, 4}}.asDiagonal() * turn.transpose();
  up.H_(0).bottomRightCorner(2, 2) = turn * Vector{{3, 4}}.asDiagonal() * turn.transpose();
  EXPECT_LT((solve(down).k - solve(up).k).norm(), 1e-14);
}

// One action is solved by code of its own, with sizes known when compiled.
TEST(Riccati, OneActionIsSolvedAsWithAnIdleSecondOne) {
  for (int seed = 1; seed <= repeats(80, 2000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream r(static_cast<std::uint64_t>(seed), "one action");
    const Index nx = 1 + seed % 8, T = 1 + static_cast<Index>(r.below(20)), n = nx + 1;
    Problem one = random_problem(nx, 1, T, r, seed % 2 == 0);
    if (seed % 3 == 0) bend_down(one, 2);
    if (seed % 5 < 2) add_bounds(one, r);
    Problem two(nx, 2, T);
    two.d = one.d;
    two.P = one.P;
    two.p = one.p;
    for (Index t = 0; t < T; ++t) {
      two.F_(t).leftCols(n) = one.F_(t);
      two.H_(t).topLeftCorner(n, n) = one.H_(t);
      two.H_(t)(n, n) = 1;
    }
    two.g.topRows(n) = one.g;
    two.lower.row(0) = one.lower;
    two.upper.row(0) = one.upper;

    const RiccatiSettings settings =
        seed % 7 < 3 ? RiccatiSettings{} : RiccatiSettings{.shift = 0.2, .least_curvature = 0.5};
    const Policy small = solve(one, settings), large = solve(two, settings);
    EXPECT_LT((small.k - large.k.row(0)).norm(), 1e-9 * (1 + small.k.norm()));
    EXPECT_LT((small.K - large.K.row(0)).norm(), 1e-9 * (1 + small.K.norm()));
    EXPECT_NEAR(small.slope, large.slope, 1e-9 * std::abs(small.slope));
  }
}

TEST(Riccati, ShiftIsCurvatureOfTheActions) {
  for (int seed = 1; seed <= repeats(40, 1000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Problem problem = random_problem(static_cast<std::uint64_t>(seed), true);
    Problem bent = problem;
    bend_down(bent, -0.7);
    for (Index t = 0; t < bent.horizon(); ++t)
      if (t % 3 != 0)
        bent.H_(t).bottomRightCorner(bent.actions(), bent.actions()).diagonal().array() += 0.7;
    const Policy shifted = solve(problem, {.shift = 0.7}), expected = solve(bent);
    EXPECT_LT((shifted.k - expected.k).norm(), 1e-9 * (1 + expected.k.norm()));
    EXPECT_LT((shifted.K - expected.K).norm(), 1e-9 * (1 + expected.K.norm()));
  }
}

TEST(Riccati, LittleCurvatureIsLifted) {
  for (const double sign : {1.0, -1.0}) {
    Problem one(1, 1, 1), two(1, 2, 1);
    one.H_(0)(1, 1) = sign * 0.1;
    one.g(1, 0) = 6;
    EXPECT_DOUBLE_EQ(solve(one, {.least_curvature = 2}).k(0, 0), -3);
    two.H_(0)(1, 1) = sign * 0.1;
    two.H_(0)(2, 2) = 4;
    two.g.col(0).tail(2).setConstant(6);
    const Policy policy = solve(two, {.least_curvature = 2});
    EXPECT_DOUBLE_EQ(policy.k(0, 0), -3);
    EXPECT_DOUBLE_EQ(policy.k(1, 0), -1.5) << "there was enough";
  }
}

TEST(Riccati, CurvatureIsTheGeometricMeanOfTheActions) {
  for (const Index T : {1, 7, 300}) {
    Problem problem(2, 2, T);
    RandomStream r(1, "curvature");
    double logarithm = 0;
    for (Index t = 0; t < T; ++t)
      for (Index i = 2; i < 4; ++i) {
        const double size = r.uniform(-20, 20);
        problem.H_(t)(i, i) = (r.uniform() < 0.5 ? -1 : 1) * std::exp(size);
        logarithm += size / static_cast<double>(2 * T);
      }
    const Policy policy = solve(problem, {.shift = 3, .least_curvature = 5});
    EXPECT_NEAR(std::log(policy.curvature), logarithm, 1e-9) << T;
  }
}

TEST(Riccati, SaysWhereANumberIsNotFinite) {
  for (const double bad : {std::nan(""), kInfinity})
    for (const Index nu : {1, 2})
      for (const Index nx : {2, 7}) {
        RandomStream r(3, "not finite");
        const Problem fine = random_problem(nx, nu, 5, r, true);
        const auto status = [&](auto spoil) {
          Problem problem = fine;
          spoil(problem);
          Policy policy(nx, nu, 5);
          return Riccati(nx, nu).solve(problem, {}, policy);
        };
        EXPECT_EQ(status([](Problem&) {}), RiccatiStatus::ok);
        EXPECT_EQ(status([&](Problem& p) { p.F_(2)(0, 1) = bad; }), RiccatiStatus::not_finite);
        EXPECT_EQ(status([&](Problem& p) { p.d(1, 3) = bad; }), RiccatiStatus::not_finite);
        EXPECT_EQ(status([&](Problem& p) { p.H_(0)(nx, nx) = bad; }), RiccatiStatus::not_finite);
        EXPECT_EQ(status([&](Problem& p) { p.g(0, 4) = bad; }), RiccatiStatus::not_finite);
        EXPECT_EQ(status([&](Problem& p) { p.P(0, 0) = bad; }), RiccatiStatus::not_finite);
        EXPECT_EQ(status([&](Problem& p) { p.p[1] = bad; }), RiccatiStatus::not_finite);
      }
}

TEST(Riccati, WithoutCurvatureTheActionsGoToTheirBounds) {
  for (const Index nu : {1, 2}) {
    Problem problem(2, nu, 3);
    problem.g.bottomRows(nu).setConstant(-1);
    problem.lower.setConstant(-2);
    problem.upper.setConstant(2);
    EXPECT_EQ(solve(problem).k, Matrix::Constant(nu, 3, 2)) << nu;
  }
}

}  // namespace
}  // namespace rhc::lq
