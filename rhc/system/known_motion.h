// What is known of a system's motion before anything was learned. A model learns what is left of
// it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rhc/core/types.h"

namespace rhc {

// An observation that is the derivative of another one, or of an angle.
struct Derivative {
  Index speed;
  Index position;         // or the cosine of the angle
  Index sine = -1;        // of the angle; -1: it is none
  double per_second = 1;  // by which a speed of 1 changes the position, or the angle in radians
};

// One step of known motion, and the room that it takes: kept by who makes many of them.
struct KnownStep {
  Vector observation, action;         // from where; they may be changed on the way
  Vector change;                      // by which the observations change
  Vector state, next, before, after;  // of a simulated system
};

struct KnownMotion {
  // By which the observations change in a step; empty: nothing is known. Many threads may call it.
  std::function<Vector(const Vector& observation, const Vector& action)> change{};
  // The same without allocations, once there is room; empty: there is only `change`.
  std::function<void(KnownStep& step)> in_place{};
  Index acted = 0;      // actions
  bool whole = false;   // a model of all of the motion: what is left to learn is small
  std::string words{};  // in which people know it, such as "nominal model 'pendulum'"
  std::vector<Derivative> derivatives{};  // that are all of it; empty: it is something else

  explicit operator bool() const { return static_cast<bool>(change); }
};

// D x (D + k): of the observations and of the actions, by central differences.
Matrix jacobian_of_known(const KnownMotion& known, const Vector& observation, const Vector& action);

// The same in place, from `observation` and `action`, with the room of `step`.
void move_as_known(const KnownMotion& known, const Eigen::Ref<const Vector>& observation,
                   const Eigen::Ref<const Vector>& action, KnownStep& step);
void jacobian_of_known(const KnownMotion& known, const Eigen::Ref<const Vector>& observation,
                       const Eigen::Ref<const Vector>& action, KnownStep& step, Matrix& jacobian);

// What `change` is where there is `in_place`.
std::function<Vector(const Vector&, const Vector&)> change_by(
    std::function<void(KnownStep&)> in_place);

// At the inputs of a model, one a column: the last observation is at their top, the last action at
// their end.
Matrix known_changes(const KnownMotion& known, const ConstMatrixRef& inputs, Index observed);

// The outputs less what is known of them.
Transitions left_to_learn(const KnownMotion& known, const Transitions& data);

// A position goes on by its speed.
KnownMotion kinematics(const std::vector<Derivative>& derivatives, Index acted, double time_step);

}  // namespace rhc
