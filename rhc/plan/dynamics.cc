#include "rhc/plan/dynamics.h"

namespace rhc {

void follow(const Dynamics& dynamics, Rollout& rollout) {
  for (Index t = 0; t < rollout.horizon(); ++t) {
    dynamics.step(rollout, t);
    rollout.states.col(t + 1) = rollout.next.col(t);
  }
}

}  // namespace rhc
