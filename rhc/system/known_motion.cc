#include "rhc/system/known_motion.h"

#include <algorithm>
#include <cmath>

namespace rhc {

Matrix jacobian_of_known(const KnownMotion& known, const Vector& observation,
                         const Vector& action) {
  constexpr double kDifference = 1e-6;
  const Index D = observation.size();
  Vector z(D + action.size());
  z << observation, action;
  Matrix result(D, z.size());
  for (Index k = 0; k < z.size(); ++k) {
    const double at = z[k], step = kDifference * std::max(1.0, std::abs(at));
    z[k] = at + step;
    const double up = z[k];
    result.col(k) = known.change(z.head(D), z.tail(action.size()));
    z[k] = at - step;
    result.col(k) -= known.change(z.head(D), z.tail(action.size()));
    result.col(k) /= up - z[k];
    z[k] = at;
  }
  return result;
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
  return {.change =
              [derivatives, time_step](const Vector& observation, const Vector&) {
                Vector change = Vector::Zero(observation.size());
                for (const Derivative& one : derivatives) {
                  const double way = time_step * one.per_second * observation[one.speed];
                  if (one.sine < 0) {
                    change[one.position] = way;
                    continue;
                  }
                  const double c = observation[one.position], s = observation[one.sine];
                  change[one.position] = c * (std::cos(way) - 1) - s * std::sin(way);
                  change[one.sine] = s * (std::cos(way) - 1) + c * std::sin(way);
                }
                return change;
              },
          .acted = acted,
          .words = "derivatives",
          .derivatives = derivatives};
}

}  // namespace rhc
