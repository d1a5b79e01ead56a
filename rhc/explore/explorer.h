// Who decides what to try.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/core/named_values.h"
#include "rhc/explore/config.h"
#include "rhc/explore/learned_limits.h"
#include "rhc/model/dynamics_model.h"
#include "rhc/plan/planner.h"

namespace rhc {

// What a decision is made from.
struct Question {
  int episode;                 // its number, from 1
  const DynamicsModel* model;  // null before the first data
  Trajectory before;           // what was seen and done until now: one observation, or more
  double sigmas;               // deviations by which a forecast stays inside the limits
  Matrix rest{};               // k x T, of a plan under way: left only for a better one
  LearnedLimits learned{};     // beyond which episodes were ended
  bool repeated = false;       // that plan repeats the first experiment: none kept its margin
  std::function<bool()> stop_requested{};  // asked while planning; Interrupted is then thrown
};

struct Decision {
  Matrix actions{};  // k x T, of the steps that are left; none: the method decides step by step
  std::optional<Plan> plan{};  // nothing where nothing was planned
};

class Explorer {
 public:
  virtual ~Explorer() = default;

  virtual Decision decide(const Question& question) = 0;

  // Whether what it decides depends on the model, so that it may decide otherwise on the way.
  virtual bool plans() const { return false; }

  // For a method that decides step by step: the action of this step.
  virtual Vector act(const Vector& observation, int step);

  // What was decided on (nothing where others chose the actions), and what was seen.
  virtual void learn(const Matrix& decided, const Trajectory& seen) = 0;

  // What it remembers from one episode to the next, besides the model.
  virtual void save(NamedValues&) const {}
  virtual void restore(const NamedValues&) {}
};

// Names of all methods.
std::vector<std::string> method_names();

// The name that stands for an alias; InputError with the nearest name where there is no such
// method.
std::string method_name(std::string_view name_or_alias);

// The method that the config names.
std::unique_ptr<Explorer> make_explorer(const Config& config, const System& system, int threads);

}  // namespace rhc
