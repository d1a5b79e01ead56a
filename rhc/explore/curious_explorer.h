// Plans every episode so that it teaches the model the most, and carries the plan out blindly.
#pragma once

#include <optional>
#include <string>

#include "rhc/explore/explorer.h"
#include "rhc/plan/objectives.h"
#include "rhc/system/system.h"

namespace rhc {

struct CuriousSettings {
  std::string objective;  // us, info or evr
  TimeWeights weights = TimeWeights::uniform;
  double discount = 0.97;
  bool stay_inside = true;     // on the circle of every angle, and inside the limits ...
  double limit_margin = 0.05;  // ... by this share of their range
  double first_hold = 0.1;     // of the horizon, that an action is held in an episode without data
  PlannerSettings planner{};   // its seed is replaced for every episode
  std::uint64_t seed = 1;
};

// The limits, less a margin, never without the start: a plan that brushes them would in truth
// leave them, and end early.
Box limits_with_margin(const SystemSpec& spec, const Vector& start, double margin);

// Where plans are kept: inside the limits and on circles, or anywhere.
struct Kept {
  Box states;
  std::vector<AnglePair> angles;
};
Kept kept_inside(const SystemSpec& spec, const Vector& start, bool stay_inside, double margin);

class CuriousExplorer final : public Explorer {
 public:
  CuriousExplorer(const System& system, CuriousSettings settings);

  void begin_episode(int episode, const BayesianLinearModel* belief) override;
  Vector act(const Vector& observation, int step) override;
  void end_episode(const Trajectory& trajectory) override;
  void start_from(const Vector& observation) override;
  Matrix actions() const override { return actions_; }
  const Plan* plan() const override { return plan_ ? &*plan_ : nullptr; }
  void save(Archive& archive) const override;
  void restore(const Archive& archive) override;

 private:
  SystemSpec spec_;
  CuriousSettings settings_;
  Vector start_;
  Kept kept_;
  std::optional<Plan> plan_;
  Matrix actions_;
};

}  // namespace rhc
