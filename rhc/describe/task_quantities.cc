#include "rhc/describe/task_quantities.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "rhc/describe/units.h"

namespace rhc {

namespace {

std::optional<std::size_t> state_called(const SystemSpec& spec, const std::string& name) {
  for (std::size_t i = 0; i < spec.state.size(); ++i)
    if (spec.state[i].name == name) return i;
  return std::nullopt;
}

// A description calls the cosine of an angle "cos_" and its name. A bundled system's angles are, in
// their order, the internal states that are not observed.
Quantity angle_of(const SystemSpec& spec, std::size_t pair) {
  const std::string& cosine =
      spec.observation[static_cast<std::size_t>(spec.angles[pair].cosine)].name;
  if (cosine.starts_with("cos_")) {
    const std::string name = cosine.substr(4);
    const auto state = state_called(spec, name);
    return {name, state ? spec.state[*state].unit : "rad"};
  }
  const std::vector<std::string> seen = names_of(spec.observation);
  std::vector<Quantity> hidden;
  for (const Quantity& state : spec.state)
    if (std::find(seen.begin(), seen.end(), state.name) == seen.end()) hidden.push_back(state);
  if (hidden.size() == spec.angles.size()) return hidden[pair];
  return {"angle_" + cosine, "rad"};
}

double half_range(const SystemSpec& spec, Index observation) {
  const std::string& name = spec.observation[static_cast<std::size_t>(observation)].name;
  double width = 0;
  if (const auto state = state_called(spec, name); state && spec.region.size() > 0)
    width = spec.region.width()[static_cast<Index>(*state)];
  if (!(width > 0) || !std::isfinite(width)) width = spec.limits.width()[observation];
  return width > 0 && std::isfinite(width) ? width / 2 : 1;
}

}  // namespace

std::vector<TaskQuantity> task_quantities(const SystemSpec& spec) {
  std::vector<TaskQuantity> quantities;
  for (Index i = 0; i < spec.outputs(); ++i) {
    const auto pair =
        std::find_if(spec.angles.begin(), spec.angles.end(),
                     [i](const AnglePair& angle) { return angle.cosine == i || angle.sine == i; });
    if (pair == spec.angles.end()) {
      quantities.push_back({.quantity = spec.observation[static_cast<std::size_t>(i)],
                            .at = i,
                            .half = half_range(spec, i)});
    } else if (pair->cosine == i) {
      const Quantity angle = angle_of(spec, static_cast<std::size_t>(pair - spec.angles.begin()));
      quantities.push_back({.quantity = angle,
                            .at = i,
                            .sine = pair->sine,
                            .radians = unit_ratio(angle.unit, "rad").value_or(1)});
    }
  }
  return quantities;
}

}  // namespace rhc
