// Everything one must know about a system to explore it, except how it moves.
#pragma once

#include <string>
#include <vector>

#include "rhc/core/types.h"

namespace rhc {

struct Quantity {
  std::string name;
  std::string unit;  // empty: a pure number
};

std::vector<std::string> names_of(const std::vector<Quantity>& quantities);

// Two observations that are the cosine and sine of one angle.
struct AnglePair {
  Index cosine, sine;
};

// sum_t w' (o_t - target)^2 + r' a_t^2 over the steps, and w' (o_T - target)^2 at the end.
struct TaskCost {
  Vector target, weight, action_weight;

  double state_cost(const Eigen::Ref<const Vector>& observation) const;
  double stage_cost(const Eigen::Ref<const Vector>& observation,
                    const Eigen::Ref<const Vector>& action) const;
  double total(const Trajectory& trajectory) const;
};

struct SystemSpec {
  std::string name;
  std::string title;
  std::vector<Quantity> state, observation, action;
  std::vector<AnglePair> angles;
  Box action_bounds;
  Box limits;        // of the observations: an episode ends at the first one outside
  double time_step;  // seconds; 1 where time is only counted
  int horizon;       // steps of an episode
  Vector start;      // internal state in which every episode begins
  Box region;        // internal states of interest: test trajectories begin there
  TaskCost task;

  Index inputs() const { return static_cast<Index>(observation.size() + action.size()); }
  Index outputs() const { return static_cast<Index>(observation.size()); }
};

// Throws InputError that names the first field that contradicts the others.
void check(const SystemSpec& spec);

}  // namespace rhc
