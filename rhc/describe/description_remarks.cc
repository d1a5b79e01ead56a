#include "rhc/describe/description_remarks.h"

#include <fmt/format.h>

#include <cmath>

namespace rhc {

namespace {

void remark_ranges(const SystemFile& system, std::vector<std::string>& remarks) {
  const SystemSpec& spec = system.system.spec();
  Index at = 0;
  for (std::size_t i = 0; i < system.measures.size(); ++i) {
    const Measure& measure = system.measures[i];
    const auto k = static_cast<Index>(i);
    if (measure.angle) {
      at += 2;
      continue;
    }
    const double lower = spec.region.lower[k], upper = spec.region.upper[k];
    if (lower < spec.limits.lower[at] || upper > spec.limits.upper[at])
      remarks.push_back(fmt::format(
          "'{}' has the range [{}, {}], which goes beyond its limits [{}, {}], where every "
          "experiment ends",
          measure.quantity.name, lower, upper, spec.limits.lower[at], spec.limits.upper[at]));
    if (spec.start[k] < lower || spec.start[k] > upper)
      remarks.push_back(fmt::format("'{}' starts at {}, outside its range [{}, {}]",
                                    measure.quantity.name, spec.start[k], lower, upper));
    ++at;
  }
}

void remark_task(const SystemSpec& spec, std::vector<std::string>& remarks) {
  if (spec.task.weighs()) return;
  remarks.push_back(fmt::format(
      "{}: `rhc solve` and `rhc control` have nothing to reach until a [task] says what (`rhc "
      "change` takes it over later)",
      spec.task.action_weight.any() ? "the [task] has no weight above 0 of what is observed"
                                    : "no [task] with a weight above 0"));
}

void remark_times(const SystemSpec& spec, std::vector<std::string>& remarks) {
  constexpr double kLongStep = 2;
  if (spec.time_step >= kLongStep)
    remarks.push_back(fmt::format(
        "'time_step' is {} seconds, and an experiment takes {:.3g} minutes; if those are "
        "milliseconds, write {}",
        spec.time_step, spec.time_step * spec.horizon / 60, spec.time_step / 1000));
  if (spec.safety.rate.size() == 0) return;
  for (Index i = 0; i < spec.action_bounds.size(); ++i) {
    const double span = spec.action_bounds.upper[i] - spec.action_bounds.lower[i];
    if (spec.safety.rate[i] * spec.time_step * spec.horizon < span)
      remarks.push_back(
          fmt::format("'{}' cannot go from one bound to the other within an experiment: its rate "
                      "is {} a second",
                      spec.action[static_cast<std::size_t>(i)].name, spec.safety.rate[i]));
  }
}

}  // namespace

std::vector<std::string> remarks_on_description(const SystemFile& system) {
  std::vector<std::string> remarks;
  if (system.measures.empty()) return remarks;  // of a MuJoCo model
  remark_ranges(system, remarks);
  remark_times(system.system.spec(), remarks);
  remark_task(system.system.spec(), remarks);
  return remarks;
}

}  // namespace rhc
