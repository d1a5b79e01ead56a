// The functions of an exported controller, which follow its tables.
#pragma once

#include <string>

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

std::string controller_code(const CodeParts& parts);

}  // namespace rhc
