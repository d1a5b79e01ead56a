// Plans every episode so that it teaches the model the most.
#pragma once

#include <cstdint>
#include <string>

#include "rhc/explore/explorer.h"
#include "rhc/plan/objectives.h"
#include "rhc/system/spec.h"

namespace rhc {

struct CuriousSettings {
  std::string objective;  // us, info or evr
  TimeWeights weights = TimeWeights::uniform;
  double discount = 0.97;
  bool stay_inside = true;     // the limits ...
  double limit_margin = 0.05;  // ... by this share of their range
  double first_hold = 0.1;     // of the horizon, that an action is held in an episode without data
  PlannerSettings planner{};   // its seed is replaced for every episode
  std::uint64_t seed = 1;
};

// The next episode of a system. `last_actions`: those that were decided on last, where the search
// begins; none: there are none yet.
Decision decide_curiously(const SystemSpec& spec, const CuriousSettings& settings,
                          const Question& question, const Matrix& last_actions);

class CuriousExplorer final : public Explorer {
 public:
  CuriousExplorer(SystemSpec spec, CuriousSettings settings);

  Decision decide(const Question& question) override;
  void learn(const Matrix& decided, const Trajectory& seen) override;
  void save(NamedValues& values) const override;
  void restore(const NamedValues& values) override;

 private:
  SystemSpec spec_;
  CuriousSettings settings_;
  Matrix last_actions_;
};

}  // namespace rhc
