#include "rhc/plan/lq/box_qp.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

#include "rhc/core/random.h"
#include "tests/repeats.h"

namespace rhc::lq {
namespace {

struct Case {
  Matrix H;
  Vector g, lower, upper;
};

Case random_case(std::uint64_t seed) {
  RandomStream r(seed, "box qp");
  const Index n = 1 + static_cast<Index>(r.below(4));
  Case c{Matrix(n, n), 3 * r.normals(n), Vector(n), Vector(n)};
  for (double& v : c.H.reshaped()) v = r.normal();
  c.H = (c.H * c.H.transpose()).eval() + std::exp(r.uniform(-4, 0)) * Matrix::Identity(n, n);
  for (Index i = 0; i < n; ++i) {
    c.lower[i] = r.uniform() < 0.2 ? -kInfinity : r.uniform(-2, 0.5);
    c.upper[i] = r.uniform() < 0.2 ? kInfinity : std::max(c.lower[i], -2.0) + r.uniform(0, 2);
  }
  return c;
}

double value_at(const Case& c, const Vector& x) { return 0.5 * x.dot(c.H * x) + c.g.dot(x); }

// The best of all ways to hold some coordinates at a bound and solve for the rest.
Vector best_of_all_active_sets(const Case& c) {
  const Index n = c.g.size();
  int sets = 1;
  for (Index i = 0; i < n; ++i) sets *= 3;
  Vector best;
  double least = kInfinity;
  for (int set = 0; set < sets; ++set) {
    Matrix A = c.H;
    Vector b = -c.g;
    for (Index i = 0, rest = set; i < n; ++i, rest /= 3) {
      if (rest % 3 == 0) continue;
      A.row(i).setZero();
      A(i, i) = 1;
      b[i] = rest % 3 == 1 ? c.lower[i] : c.upper[i];
    }
    if (!b.allFinite()) continue;
    const Vector x = A.fullPivLu().solve(b);
    const bool inside =
        ((x - c.lower).array() >= -1e-9).all() && ((c.upper - x).array() >= -1e-9).all();
    if (inside && value_at(c, x) < least) {
      least = value_at(c, x);
      best = x;
    }
  }
  return best;
}

TEST(BoxQp, IsTheBestOfAllActiveSets) {
  for (int seed = 1; seed <= repeats(300, 20000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Case c = random_case(static_cast<std::uint64_t>(seed));
    BoxQp program(c.g.size());
    ASSERT_TRUE(program.solve(c.H, c.g, c.lower, c.upper));
    const Vector best = best_of_all_active_sets(c);
    EXPECT_LT((program.x - best).norm(), 1e-7 * (1 + best.norm()));
  }
}

TEST(BoxQp, NeverLeavesTheBounds) {
  for (int seed = 1; seed <= repeats(300, 20000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Case c = random_case(static_cast<std::uint64_t>(seed));
    BoxQp program(c.g.size());
    ASSERT_TRUE(program.solve(c.H, c.g, c.lower, c.upper));
    EXPECT_TRUE((Box{c.lower, c.upper}.contains(program.x)));
  }
}

TEST(BoxQp, HoldsExactlyWhatABoundKeepsFromImproving) {
  for (int seed = 1; seed <= repeats(300, 20000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Case c = random_case(static_cast<std::uint64_t>(seed));
    BoxQp program(c.g.size());
    ASSERT_TRUE(program.solve(c.H, c.g, c.lower, c.upper));
    const Vector gradient = c.H * program.x + c.g;
    for (Index i = 0; i < c.g.size(); ++i) {
      if (program.free[static_cast<std::size_t>(i)]) {
        EXPECT_NEAR(gradient[i], 0, 1e-9 * (1 + c.g.norm())) << i;
      } else if (program.x[i] == c.lower[i]) {
        EXPECT_GE(gradient[i], 0) << i;
      } else {
        EXPECT_EQ(program.x[i], c.upper[i]) << i;
        EXPECT_LE(gradient[i], 0) << i;
      }
    }
  }
}

TEST(BoxQp, SolveFreeIsTheGainOfTheFreeAndZeroForTheHeld) {
  for (int seed = 1; seed <= repeats(300, 20000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Case c = random_case(static_cast<std::uint64_t>(seed));
    const Index n = c.g.size();
    BoxQp program(n);
    ASSERT_TRUE(program.solve(c.H, c.g, c.lower, c.upper));
    RandomStream r(static_cast<std::uint64_t>(seed), "right side");
    Matrix X(n, 3);
    for (double& v : X.reshaped()) v = r.normal();

    std::vector<Index> free;
    for (Index i = 0; i < n; ++i)
      if (program.free[static_cast<std::size_t>(i)]) free.push_back(i);
    Matrix expected = Matrix::Zero(n, 3);
    if (!free.empty()) {
      const Matrix H = c.H(free, free), right = X(free, Eigen::all);
      expected(free, Eigen::all) = -H.fullPivLu().solve(right);
    }
    program.solve_free(X);
    EXPECT_LT((X - expected).norm(), 1e-8 * (1 + expected.norm()));
  }
}

TEST(BoxQp, RefusesCurvatureThatIsNotPositiveDefinite) {
  const Vector g = Vector::Ones(2), lower = -g, upper = g;
  for (const double coupling : {1.0, 2.0, -3.0}) {
    const Matrix H{{1, coupling}, {coupling, 1}};
    EXPECT_FALSE(BoxQp(2).solve(H, 0 * g, lower, upper)) << coupling;
  }
  EXPECT_FALSE(BoxQp(2).solve(Matrix{{-1, 0}, {0, 1}}, g, lower, upper));
  EXPECT_FALSE(BoxQp(1).solve(Matrix::Zero(1, 1), g.head(1), lower.head(1), upper.head(1)));
  EXPECT_FALSE(BoxQp(2).solve(Matrix{{1, 0}, {0, std::nan("")}}, g, lower, upper));
}

TEST(BoxQp, TakesBoundsThatLeaveOnePoint) {
  BoxQp program(2);
  const Vector g = Vector::Constant(2, 5), point = Vector{{0.25, -4}};
  ASSERT_TRUE(program.solve(Matrix{{2, 1}, {1, 2}}, g, point, point));
  EXPECT_EQ(program.x, point);
}

TEST(BoxQp, ForgetsTheProgramBefore) {
  const Case first = random_case(5), second = random_case(12);
  ASSERT_EQ(first.g.size(), second.g.size());
  BoxQp used(second.g.size()), fresh(second.g.size());
  ASSERT_TRUE(used.solve(first.H, first.g, first.lower, first.upper));
  ASSERT_TRUE(used.solve(second.H, second.g, second.lower, second.upper));
  ASSERT_TRUE(fresh.solve(second.H, second.g, second.lower, second.upper));
  EXPECT_EQ(used.x, fresh.x);
  EXPECT_EQ(used.free, fresh.free);
}

// Curvature of very different sizes, where the last digits never settle.
void expect_ill_conditioned_solved(double lower) {
  for (int seed = 1; seed <= repeats(300, 20000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream r(static_cast<std::uint64_t>(seed), "ill conditioned");
    const Index n = 2 + static_cast<Index>(r.below(3));
    Matrix basis(n, n);
    for (double& v : basis.reshaped()) v = r.normal();
    basis = basis.householderQr().householderQ();
    Vector sizes(n);
    for (double& v : sizes) v = std::exp(r.uniform(-20, 0));
    Case c{basis * sizes.asDiagonal() * basis.transpose(), r.normals(n), Vector::Constant(n, lower),
           Vector::Constant(n, kInfinity)};
    c.H = (0.5 * (c.H + c.H.transpose())).eval();
    BoxQp program(n);
    ASSERT_TRUE(program.solve(c.H, c.g, c.lower, c.upper));
    const double least = value_at(c, best_of_all_active_sets(c));
    EXPECT_LE(value_at(c, program.x), least + 1e-6 * (1 + std::abs(least)));
  }
}

TEST(BoxQp, EndsWhereRoundingIsAllThatIsLeft) { expect_ill_conditioned_solved(-kInfinity); }
TEST(BoxQp, EndsAtTheBestWhereStepsAreBentBack) { expect_ill_conditioned_solved(-1); }

}  // namespace
}  // namespace rhc::lq
