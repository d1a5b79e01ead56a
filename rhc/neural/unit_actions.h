// Between a system's actions and the actions within -1 and 1 that policies choose.
#pragma once

#include "rhc/core/types.h"

namespace rhc {

inline Vector to_unit(const Vector& action, const Box& bounds) {
  return (2 * action - bounds.upper - bounds.lower).cwiseQuotient(bounds.upper - bounds.lower);
}

inline Vector from_unit(const Vector& action, const Box& bounds) {
  return (bounds.upper + bounds.lower + action.cwiseProduct(bounds.upper - bounds.lower)) / 2;
}

}  // namespace rhc
