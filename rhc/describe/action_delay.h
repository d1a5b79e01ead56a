// By how many rows of a log actions act late.
#pragma once

#include <vector>

#include "rhc/core/types.h"

namespace rhc {

struct DelayColumn {
  Vector values;
  double turn = 0;  // of an angle; 0: it is none
};

// The delay with which the changes of what was observed are best explained as linear in state and
// actions, up to five rows; 0 where no delay is clearly better than none. A first guess: with a
// model there is `needed_history` (explore/needed_history.h).
int action_delay(const std::vector<DelayColumn>& observations,
                 const std::vector<DelayColumn>& actions);

}  // namespace rhc
