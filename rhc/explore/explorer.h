// Who decides what to try.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/io/archive.h"
#include "rhc/io/config.h"
#include "rhc/plan/planner.h"

namespace rhc {

class Explorer {
 public:
  virtual ~Explorer() = default;

  // Methods that plan for long ask this now and then, and throw Interrupted when it says so.
  std::function<bool()> stop_requested;

  // By how many deviations its predictions stay inside the limits; nothing: as the system says.
  std::optional<double> sigmas;

  // The belief is null before the first data. Planning happens here.
  virtual void begin_episode(int episode, const BayesianLinearModel* belief) = 0;
  virtual Vector act(const Vector& observation, int step) = 0;
  virtual void end_episode(const Trajectory& trajectory) = 0;

  // Where the next episode begins, in observations; a method that needs no start ignores it.
  virtual void start_from(const Vector&) {}

  // All actions of the episode that was begun, for those who carry them out later. InputError by a
  // method that must see each observation before it acts.
  virtual Matrix actions() const;

  // What this episode is expected to be; null where nothing was planned.
  virtual const Plan* plan() const { return nullptr; }

  // What must outlive the process, between two episodes, besides the belief.
  virtual void save(Archive&) const {}
  virtual void restore(const Archive&) {}
};

// Names of all methods.
std::vector<std::string> method_names();

// The name that stands for an alias; InputError with the nearest name where there is no such
// method.
std::string method_name(std::string_view name_or_alias);

// The method that the config names.
std::unique_ptr<Explorer> make_explorer(const Config& config, const System& system, int threads);

}  // namespace rhc
