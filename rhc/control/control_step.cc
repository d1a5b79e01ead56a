#include "rhc/control/control_step.h"

namespace rhc {

std::string_view name(ActionSource source) {
  switch (source) {
    case ActionSource::plan:
      return "plan";
    case ActionSource::last_plan:
      return "last plan";
    case ActionSource::regulator:
      return "regulator";
    default:
      return "rest";
  }
}

std::string_view name(MeasuredAs measured) {
  switch (measured) {
    case MeasuredAs::taken:
      return "taken";
    case MeasuredAs::lost:
      return "lost";
    case MeasuredAs::absurd:
      return "absurd";
    default:
      return "believed";
  }
}

std::string_view name(Fall fall) {
  switch (fall) {
    case Fall::none:
      return "none";
    case Fall::late:
      return "late";
    case Fall::plan_ended:
      return "plan ended";
    case Fall::blind:
      return "blind";
    default:
      return "not finite";
  }
}

}  // namespace rhc
