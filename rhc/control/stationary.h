// Where a task comes to rest, and the regulator that holds it there.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "rhc/control/learned_motion.h"
#include "rhc/system/spec.h"

namespace rhc {

class Stationary {
 public:
  Stationary(LearnedMotion& motion, const SystemSpec& spec, const Box& control_bounds);

  // The equilibrium of the motion, disturbance included, that is nearest to the target: x = f(x,
  // u). Begins at the target, with what has no weight as in `state`; or where it was found before.
  bool settle(const TaskCost& cost, const Eigen::Ref<const Vector>& target,
              const Eigen::Ref<const Vector>& state);
  bool follow(const TaskCost& cost, const Eigen::Ref<const Vector>& target);

  // So many steps of the Riccati equation around it, from the last solution or anew. True once it
  // is solved: what the regulator costs in all time to come is then 1/2 e' tail e.
  bool regulate(const TaskCost& cost, int steps, bool anew);

  // Whether the regulator, within its bounds, brings the system from there to the equilibrium: the
  // linear one never leaves the bounds, and the first step of the true one lowers the cost to go.
  bool holds_from(const Eigen::Ref<const Vector>& state);

  // Whether it brought the system there, or nearly, from where this rollout of it began.
  bool reached(const Rollout& regulated_rollout);

  bool settled() const { return settled_; }
  bool regulated() const { return settled_ && regulated_; }
  const Vector& state() const { return state_; }
  const Vector& control() const { return control_; }
  const Vector& action() const { return action_; }
  const Matrix& gain() const { return gain_; }
  const Matrix& tail() const { return tail_; }
  // Inside the bounds.
  void control_at(const Eigen::Ref<const Vector>& state, Eigen::Ref<Vector> control);

 private:
  double cost_to_go(const Eigen::Ref<const Vector>& state);
  bool improve(int iterations);
  void size_region();

  LearnedMotion& motion_;
  const Box action_bounds_, control_bounds_;
  const Vector rest_;
  const Index nx_, nu_;
  bool settled_ = false, regulated_ = false;
  Vector state_, control_, action_;  // of the equilibrium
  Matrix tail_, gain_;
  double region_ = 0;  // the largest e' tail e in which the regulator keeps its bounds

  Rollout at_;
  Matrix F_, H_, program_;
  Vector weight_, wanted_, right_, change_, off_, moved_, tried_;
  Eigen::PartialPivLU<Matrix> solver_;
  Matrix PF_, M_, next_, Muu_, gain_next_, inverse_;
  Eigen::LLT<Matrix> small_, large_;
};

}  // namespace rhc
