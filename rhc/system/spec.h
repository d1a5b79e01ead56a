// Everything one must know about a system to explore it; how it moves may be unknown.
#pragma once

#include <string>
#include <vector>

#include "rhc/core/types.h"
#include "rhc/system/known_motion.h"

namespace rhc {

struct Quantity {
  std::string name;
  std::string unit;  // empty: a pure number
};

// "speed [m/s]", or the name alone for a pure number.
std::string with_unit(const Quantity& quantity);

std::vector<std::string> names_of(const std::vector<Quantity>& quantities);

// sum_t w' (o_t - target_t)^2 + r' a_t^2 over the steps, and w_T' (o_T - target_T)^2 at the end.
struct TaskCost {
  Vector target, weight, action_weight;
  Vector final_weight{};  // w_T; empty: as before the end
  Matrix reference{};  // target_t in column t, the last one from there on; empty: always `target`

  const Vector& weight_at_end() const { return final_weight.size() > 0 ? final_weight : weight; }
  Eigen::Ref<const Vector> target_at(Index t) const;
  bool weighs() const;  // whether any observation costs anything
  double state_cost(const Eigen::Ref<const Vector>& observation, Index t = 0) const;
  double final_cost(const Eigen::Ref<const Vector>& observation, Index t = 0) const;
  double stage_cost(const Eigen::Ref<const Vector>& observation,
                    const Eigen::Ref<const Vector>& action, Index t = 0) const;
  double total(const Trajectory& trajectory) const;

  // The task of who begins so many steps later.
  TaskCost from(Index steps) const;
};

// What keeps an episode from breaking a real machine.
struct Safety {
  Vector rate{};      // largest change of each action in a second; empty: any
  Vector rest{};      // the actions before an episode; empty: none, or the nearest bound
  double sigmas = 0;  // deviations by which a prediction stays inside the limits
  double first = 1;   // share of the actions' bounds that is used while nothing is known
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
  // Observations and actions that a prediction is made from: the last and those before.
  int history = 1;
  Safety safety{};
  bool simulated = true;  // false: only the real one can make a step
  KnownMotion known{};    // what need not be learned of its motion

  Index inputs() const { return history * static_cast<Index>(observation.size() + action.size()); }
  Index outputs() const { return static_cast<Index>(observation.size()); }
};

// The actions before an episode.
Vector action_at_rest(const SystemSpec& spec);

// The bounds of the actions while nothing is known: a share of them, around the actions at rest, or
// a part of that share.
Box gentle_bounds(const SystemSpec& spec, double part = 1);

// Throws InputError that says which limit this start is outside of.
void check_start(const SystemSpec& spec, const Vector& observation);

// Throws InputError that names the first field that contradicts the others.
void check(const SystemSpec& spec);

}  // namespace rhc
