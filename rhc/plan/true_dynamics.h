// A true system as dynamics, with derivatives by finite differences: for the limit that a perfect
// model could reach.
#pragma once

#include <functional>

#include "rhc/plan/dynamics.h"
#include "rhc/plan/objective.h"
#include "rhc/system/system.h"

namespace rhc {

// Of a function of a vector: the derivative by central differences.
Matrix central_differences(const std::function<Vector(const Vector&)>& function, const Vector& at);

// States are the system's internal ones.
class TrueDynamics final : public Dynamics {
 public:
  explicit TrueDynamics(System system);

  Index states() const override { return system_.spec().start.size(); }
  Index actions() const override { return system_.spec().action_bounds.size(); }
  void step(Rollout& rollout, Index t) const override;
  void linearize(const Rollout& rollout, Matrix& F) const override;

 private:
  System system_;
};

// The system's task, with the cost of what is observed of the internal states.
class TrueTask final : public Objective {
 public:
  explicit TrueTask(System system);

  double evaluate(const Rollout& rollout) override;
  void expand(const Rollout& rollout, Expansion& at) override;
  double sign() const override { return 1; }

 private:
  System system_;
};

}  // namespace rhc
