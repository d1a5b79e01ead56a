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
  int first_levels = 3;        // parts of the way to a bound that it goes; 1: all of it
  PlannerSettings planner{};   // its seed is replaced for every search
  int replan_starts = 4;       // besides the rest of the plan under way
  std::uint64_t seed = 1;
};

// What is remembered of earlier episodes.
struct CuriousMemory {
  Matrix last_actions{};  // where the search for the next plan begins; none: there are none yet
  int left_limits = 0;    // how many episodes did
};

// The next episode of a system. Where a margin is asked for and no plan keeps it, it is one like
// the first, at other levels (status repeated).
Decision decide_curiously(const SystemSpec& spec, const CuriousSettings& settings,
                          const Question& question, const CuriousMemory& memory);

class CuriousExplorer final : public Explorer {
 public:
  CuriousExplorer(SystemSpec spec, CuriousSettings settings);

  Decision decide(const Question& question) override;
  bool plans() const override { return true; }
  void learn(const Matrix& decided, const Trajectory& seen) override;
  void save(NamedValues& values) const override;
  void restore(const NamedValues& values) override;

 private:
  SystemSpec spec_;
  CuriousSettings settings_;
  CuriousMemory memory_;
};

}  // namespace rhc
