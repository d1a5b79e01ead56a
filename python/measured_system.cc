#include "python/measured_system.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "rhc/core/error.h"

namespace rhc::python {

namespace {

// For each observation the angle that it is the cosine or sine of; -1: none.
struct Role {
  Index angle = -1;
  bool sine = false;
};

std::vector<Role> roles_of(const SystemSpec& spec) {
  std::vector<Role> roles(spec.observation.size());
  for (std::size_t i = 0; i < spec.angles.size(); ++i) {
    const AnglePair& pair = spec.angles[i];
    for (const Index at : {pair.cosine, pair.sine})
      if (at < 0 || at >= spec.outputs() || roles[static_cast<std::size_t>(at)].angle >= 0 ||
          pair.cosine == pair.sine)
        throw InputError(
            "angles must be pairs (cosine, sine) of places in the observation, each named once");
    roles[static_cast<std::size_t>(pair.cosine)] = {static_cast<Index>(i), false};
    roles[static_cast<std::size_t>(pair.sine)] = {static_cast<Index>(i), true};
  }
  return roles;
}

}  // namespace

MeasuredSystem::MeasuredSystem(SystemSpec without_state, const Vector& start, const Box& region)
    : description(std::move(without_state)) {
  std::vector<double> first, lower, upper;
  const std::vector<Role> roles = roles_of(description);
  for (Index i = 0; i < description.outputs(); ++i) {
    const Role role = roles[static_cast<std::size_t>(i)];
    if (role.sine) continue;
    const bool plain = role.angle < 0;
    const Index sine = plain ? i : description.angles[static_cast<std::size_t>(role.angle)].sine;
    first.push_back(plain ? start[i] : std::atan2(start[sine], start[i]));
    lower.push_back(plain ? region.lower[i] : -std::numbers::pi);
    upper.push_back(plain ? region.upper[i] : std::numbers::pi);
    description.state.push_back(description.observation[static_cast<std::size_t>(i)]);
  }
  const auto vector = [](const std::vector<double>& v) {
    return Vector(Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size())));
  };
  description.start = vector(first);
  description.region = {vector(lower), vector(upper)};
  description.simulated = false;
}

Vector MeasuredSystem::observe(const Vector& state) const {
  Vector observation(description.outputs());
  const std::vector<Role> roles = roles_of(description);
  Index at = 0;
  for (Index i = 0; i < observation.size(); ++i) {
    const Role role = roles[static_cast<std::size_t>(i)];
    if (role.sine) continue;
    const double value = state[at++];
    observation[i] = role.angle < 0 ? value : std::cos(value);
    if (role.angle >= 0)
      observation[description.angles[static_cast<std::size_t>(role.angle)].sine] = std::sin(value);
  }
  return observation;
}

Vector MeasuredSystem::step(const Vector&, const Vector&) const {
  throw InputError("'" + description.name +
                   "' is known by what was observed of it: only the real one moves");
}

}  // namespace rhc::python
