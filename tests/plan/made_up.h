// Dynamics and objectives that are made up, for tests of the search itself.
#pragma once

#include <utility>

#include "rhc/core/random.h"
#include "rhc/plan/dynamics.h"
#include "rhc/plan/objective.h"
#include "rhc/system/spec.h"

namespace rhc {

// Forwards to another objective, and checks that it is used as it may be.
class Watched final : public Objective {
 public:
  explicit Watched(Objective& objective) : objective_(objective) {}
  double evaluate(const Rollout& rollout) override {
    states_ = rollout.states;
    expanded_ = false;
    return objective_.evaluate(rollout);
  }
  void expand(const Rollout& rollout, Expansion& at) override {
    wrong += expanded_ || states_ != rollout.states;
    expanded_ = true;
    objective_.expand(rollout, at);
  }
  double sign() const override { return objective_.sign(); }

  int wrong = 0;

 private:
  Objective& objective_;
  Matrix states_;
  bool expanded_ = true;
};

// x' = A x + B u + c, where everything can be solved on paper.
class Linear final : public Dynamics {
 public:
  Linear(Matrix a, Matrix b, Vector c) : A(std::move(a)), B(std::move(b)), constant(std::move(c)) {}
  Index states() const override { return A.rows(); }
  Index actions() const override { return B.cols(); }
  void step(Rollout& rollout, Index t) const override {
    rollout.next.col(t) = A * rollout.states.col(t) + B * rollout.actions.col(t) + constant;
  }
  void linearize(const Rollout& rollout, Matrix& F) const override {
    const Index n = states() + actions();
    for (Index t = 0; t < rollout.horizon(); ++t) F.middleCols(t * n, n) << A, B;
  }

  Matrix A, B;
  Vector constant;
};

inline Linear random_linear(Index nx, Index nu, std::uint64_t seed) {
  RandomStream r(seed, "linear");
  Linear system(Matrix(nx, nx), Matrix(nx, nu), 0.1 * r.normals(nx));
  for (double& v : system.A.reshaped()) v = r.normal();
  system.A *= 0.95 / system.A.norm();  // stable, or the normal equations lose their digits
  for (double& v : system.B.reshaped()) v = r.normal();
  return system;
}

inline TaskCost linear_task(Index nx, Index nu) {
  return {Vector::LinSpaced(nx, -1, 1), Vector::LinSpaced(nx, 1, 3), Vector::LinSpaced(nu, 0.5, 1)};
}

// x' = 10 x^2, which leaves the numbers within a few steps from anywhere outside [-0.1, 0.1].
class Explosion final : public Dynamics {
 public:
  Index states() const override { return 1; }
  Index actions() const override { return 1; }
  void step(Rollout& r, Index t) const override {
    r.next(0, t) = 10 * r.states(0, t) * r.states(0, t) + 0.01 * r.actions(0, t);
  }
  void linearize(const Rollout& r, Matrix& F) const override {
    for (Index t = 0; t < r.horizon(); ++t) F.middleCols(2 * t, 2) << 20 * r.states(0, t), 0.01;
  }
};

// An objective that is the same everywhere, and one that is infinite.
class Constant final : public Objective {
 public:
  explicit Constant(double value) : value_(value) {}
  double evaluate(const Rollout&) override { return value_; }
  void expand(const Rollout&, Expansion&) override {}
  double sign() const override { return 1; }

 private:
  double value_;
};

}  // namespace rhc
