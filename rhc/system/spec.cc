#include "rhc/system/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "rhc/core/error.h"

namespace rhc {

std::string with_unit(const Quantity& quantity) {
  return quantity.unit.empty() ? quantity.name
                               : fmt::format("{} [{}]", quantity.name, quantity.unit);
}

std::vector<std::string> names_of(const std::vector<Quantity>& quantities) {
  std::vector<std::string> names;
  names.reserve(quantities.size());
  for (const Quantity& quantity : quantities) names.push_back(quantity.name);
  return names;
}

bool TaskCost::weighs() const {
  return (weight.array() > 0).any() || (weight_at_end().array() > 0).any();
}

Eigen::Ref<const Vector> TaskCost::target_at(Index t) const {
  if (reference.cols() == 0) return target;
  return reference.col(std::min(t, reference.cols() - 1));
}

double TaskCost::state_cost(const Eigen::Ref<const Vector>& observation, Index t) const {
  return weight.dot((observation - target_at(t)).cwiseAbs2());
}

double TaskCost::final_cost(const Eigen::Ref<const Vector>& observation, Index t) const {
  return weight_at_end().dot((observation - target_at(t)).cwiseAbs2());
}

double TaskCost::stage_cost(const Eigen::Ref<const Vector>& observation,
                            const Eigen::Ref<const Vector>& action, Index t) const {
  return state_cost(observation, t) + action_weight.dot(action.cwiseAbs2());
}

double TaskCost::total(const Trajectory& trajectory) const {
  double sum = 0;
  for (Index t = 0; t < trajectory.steps(); ++t)
    sum += stage_cost(trajectory.observations.col(t), trajectory.actions.col(t), t);
  return sum + final_cost(trajectory.observations.col(trajectory.steps()), trajectory.steps());
}

TaskCost TaskCost::from(Index steps) const {
  TaskCost later = *this;
  if (reference.cols() > 0)
    later.reference = reference.rightCols(std::max<Index>(1, reference.cols() - steps)).eval();
  return later;
}

namespace {

class Checker {
 public:
  explicit Checker(const SystemSpec& spec) : spec_(spec) {}

  void require(bool fine, const std::string& what) const {
    if (!fine) throw InputError(fmt::format("system '{}': {}", spec_.name, what));
  }

  void size(const char* field, Index got, std::size_t expected) const {
    require(got == static_cast<Index>(expected),
            fmt::format("{} has {} entries, expected {}", field, got, expected));
  }

  void box(const char* field, const Box& box, std::size_t expected, bool finite) const {
    size(field, box.lower.size(), expected);
    size(field, box.upper.size(), expected);
    for (Index i = 0; i < box.size(); ++i) {
      require(box.lower[i] <= box.upper[i],
              fmt::format("{} entry {} is empty: [{}, {}]", field, i, box.lower[i], box.upper[i]));
      require(!finite || (std::isfinite(box.lower[i]) && std::isfinite(box.upper[i])),
              fmt::format("{} entry {} is not finite", field, i));
    }
  }

  void names(const char* field, const std::vector<Quantity>& quantities) const {
    require(!quantities.empty(), fmt::format("{} has no entry", field));
    for (const Quantity& quantity : quantities)
      require(!quantity.name.empty() && quantity.name.find_first_of(",\"\n\r") == std::string::npos,
              fmt::format("{} has a name that is empty or cannot head a CSV column", field));
  }

 private:
  const SystemSpec& spec_;
};

}  // namespace

Vector action_at_rest(const SystemSpec& spec) {
  if (spec.safety.rest.size() > 0) return spec.safety.rest;
  return spec.action_bounds.clip(Vector::Zero(spec.action_bounds.size()));
}

Box gentle_bounds(const SystemSpec& spec, double part) {
  const double share = part * spec.safety.first;
  if (share == 1) return spec.action_bounds;
  const Vector rest = action_at_rest(spec);
  return {rest + share * (spec.action_bounds.lower - rest),
          rest + share * (spec.action_bounds.upper - rest)};
}

void check_start(const SystemSpec& spec, const Vector& observation) {
  const Index outside = spec.limits.first_outside(observation);
  if (outside < 0) return;
  throw InputError(fmt::format("the start is outside the limits: {} = {} is not in [{}, {}]",
                               spec.observation[static_cast<std::size_t>(outside)].name,
                               observation[outside], spec.limits.lower[outside],
                               spec.limits.upper[outside]));
}

void check(const SystemSpec& spec) {
  const Checker checker(spec);
  checker.require(!spec.name.empty(), "has no name");
  checker.names("state", spec.state);
  checker.names("observation", spec.observation);
  checker.names("action", spec.action);
  checker.box("action_bounds", spec.action_bounds, spec.action.size(), true);
  checker.box("limits", spec.limits, spec.observation.size(), false);
  checker.box("region", spec.region, spec.state.size(), true);
  checker.size("start", spec.start.size(), spec.state.size());
  checker.require(spec.start.allFinite(), "start is not finite");
  checker.size("task.target", spec.task.target.size(), spec.observation.size());
  checker.size("task.weight", spec.task.weight.size(), spec.observation.size());
  if (spec.task.reference.cols() > 0)
    checker.size("task.reference", spec.task.reference.rows(), spec.observation.size());
  checker.size("task.action_weight", spec.task.action_weight.size(), spec.action.size());
  checker.require(std::isfinite(spec.time_step) && spec.time_step > 0,
                  "time_step must be positive");
  checker.require(spec.horizon >= 1, "horizon must be at least 1");
  if (spec.task.final_weight.size() > 0)
    checker.size("task.final_weight", spec.task.final_weight.size(), spec.observation.size());
  checker.require(spec.history >= 1 && spec.history <= 100, "history must be from 1 to 100");
  checker.require(spec.history <= spec.horizon, "history must not be more than horizon");
  for (const auto& [field, value] :
       {std::pair{"safety.rate", &spec.safety.rate}, std::pair{"safety.rest", &spec.safety.rest}})
    if (value->size() > 0) checker.size(field, value->size(), spec.action.size());
  checker.require(spec.safety.rate.size() == 0 || spec.safety.rate.minCoeff() > 0,
                  "safety.rate must be positive");
  checker.require(spec.safety.sigmas >= 0 && std::isfinite(spec.safety.sigmas),
                  "safety.sigmas must not be negative");
  checker.require(spec.safety.first > 0 && spec.safety.first <= 1,
                  "safety.first must be above 0 and at most 1");
  for (const AnglePair& pair : spec.angles)
    checker.require(pair.cosine >= 0 && pair.cosine < spec.outputs() && pair.sine >= 0 &&
                        pair.sine < spec.outputs() && pair.cosine != pair.sine,
                    "angles names an observation that does not exist");
}

}  // namespace rhc
