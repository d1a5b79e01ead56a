// What an exported controller declares and does, around its tables.
#pragma once

#include <string>

#include "rhc/core/types.h"

namespace rhc {

// What of them is needed, and the lines that only this system has.
struct CodeParts {
  bool holds = false;             // a regulator follows the plan
  bool gets_lost = false;         // where the doubt becomes too large
  bool history = false;           // more than the last observation is seen
  bool actions_seen = false;      // and actions before the present one
  bool linear = false;            // affine features
  bool changes = false;           // actions change only so fast, and the plan is of their changes
  bool actions_in_state = false;  // a gain is multiplied with actions, too
  bool still_before = true;       // the first measurement stands for all before it
  bool moves = false, turns = false;
  std::string observe{}, sines{}, known{}, slope_circles{}, settle{};
};

// What a person calls, so many numbers of each; the includes follow.
std::string declarations_code(Index measured, Index acted, Index steps);

std::string controller_code(const CodeParts& parts);

}  // namespace rhc
