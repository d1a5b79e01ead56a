#include "rhc/system/known_motion.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rhc {

void move_as_known(const KnownMotion& known, const Eigen::Ref<const Vector>& observation,
                   const Eigen::Ref<const Vector>& action, KnownStep& step) {
  step.observation = observation;
  step.action = action;
  if (known.in_place)
    known.in_place(step);
  else
    step.change = known.change(step.observation, step.action);
}

void jacobian_of_known(const KnownMotion& known, const Eigen::Ref<const Vector>& observation,
                       const Eigen::Ref<const Vector>& action, KnownStep& step, Matrix& jacobian) {
  constexpr double kDifference = 1e-6;
  const Index D = observation.size(), n = D + action.size();
  jacobian.resize(D, n);
  for (Index k = 0; k < n; ++k) {
    const double at = k < D ? observation[k] : action[k - D];
    const double way = kDifference * std::max(1.0, std::abs(at)), up = at + way, down = at - way;
    for (const double moved : {up, down}) {
      step.observation = observation;
      step.action = action;
      (k < D ? step.observation[k] : step.action[k - D]) = moved;
      if (known.in_place)
        known.in_place(step);
      else
        step.change = known.change(step.observation, step.action);
      if (moved == up)
        jacobian.col(k) = step.change;
      else
        jacobian.col(k) -= step.change;
    }
    jacobian.col(k) /= up - down;
  }
}

Matrix jacobian_of_known(const KnownMotion& known, const Vector& observation,
                         const Vector& action) {
  KnownStep step;
  Matrix jacobian;
  jacobian_of_known(known, observation, action, step, jacobian);
  return jacobian;
}

std::function<Vector(const Vector&, const Vector&)> change_by(
    std::function<void(KnownStep&)> in_place) {
  return [in_place = std::move(in_place)](const Vector& observation, const Vector& action) {
    KnownStep step;
    step.observation = observation;
    step.action = action;
    in_place(step);
    return step.change;
  };
}

Matrix known_changes(const KnownMotion& known, const ConstMatrixRef& inputs, Index observed) {
  Matrix result(observed, inputs.cols());
  for (Index t = 0; t < inputs.cols(); ++t)
    result.col(t) = known.change(inputs.col(t).head(observed), inputs.col(t).tail(known.acted));
  return result;
}

Transitions left_to_learn(const KnownMotion& known, const Transitions& data) {
  return {data.inputs, data.outputs - known_changes(known, data.inputs, data.outputs.rows()),
          data.weights};
}

KnownMotion kinematics(const std::vector<Derivative>& derivatives, Index acted, double time_step) {
  const auto in_place = [derivatives, time_step](KnownStep& step) {
    step.change.setZero(step.observation.size());
    for (const Derivative& one : derivatives) {
      const double way = time_step * one.per_second * step.observation[one.speed];
      if (one.sine < 0) {
        step.change[one.position] = way;
        continue;
      }
      const double c = step.observation[one.position], s = step.observation[one.sine];
      step.change[one.position] = c * (std::cos(way) - 1) - s * std::sin(way);
      step.change[one.sine] = s * (std::cos(way) - 1) + c * std::sin(way);
    }
  };
  return {.change = change_by(in_place),
          .in_place = in_place,
          .acted = acted,
          .words = "derivatives",
          .derivatives = derivatives};
}

}  // namespace rhc
