// The best plan that several starts find.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "rhc/core/random.h"
#include "rhc/plan/shooting.h"

namespace rhc {

// What is to be planned. Dynamics and objective are made anew for every thread.
struct PlanProblem {
  std::function<std::unique_ptr<Dynamics>()> dynamics;
  std::function<std::unique_ptr<Objective>()> objective;
  Vector first_state;
  Box action_bounds, state_bounds;
  Index horizon;
  Matrix margin{};  // nx x T, by which states 1 to T stay inside the bounds; empty: none
  // Starts, where actions are not bounded by their box alone; nothing: signals that fill it.
  std::function<Matrix(int start)> start_actions{};
};

enum class StartSignals {
  mixed,  // bang-bang and coloured noise
  white,  // the paper's: uniform, every step for itself
};

struct PlannerSettings {
  int starts = 16;
  StartSignals signals = StartSignals::mixed;
  int hops = 0;               // afterwards: times the best plan is disturbed and solved again
  int patience = 1000000;     // hops without a better plan, after which to give up
  int most_iterations = 100;  // of the few plans that are followed to the end
  ShootingSettings shooting{};
  int threads = 1;
  std::uint64_t seed = 1;
  // Asked between two steps of a search, by the thread that plans; Interrupted is then thrown.
  std::function<bool()> stop_requested{};
};

enum class PlanStatus {
  converged,
  stopped,     // at the iteration limit, with a plan that can be used
  shrunk,      // inside its margins only with smaller actions than were planned
  repeated,    // none was found inside its margins; the first experiment again, at other levels
  infeasible,  // no plan inside the state bounds was found; the best there is
  failed,      // the dynamics gave no finite number; the actions are those nearest to none
};

std::string_view name(PlanStatus status);

struct Plan {
  Matrix actions;          // nu x T, always inside their bounds
  Matrix states;           // nx x (T + 1), from following the actions
  double objective;        // along them: a cost for a task, otherwise what is gained
  double defect;           // the largest gap
  double bound_violation;  // the largest, in the units of the state
  int iterations;          // of all starts together
  PlanStatus status;
  double sign = 1;  // of the objective: +1 for a cost, -1 for a gain
};

// Where search i begins, with actions in these bounds.
Matrix start_signal(const Box& bounds, Index horizon, const PlannerSettings& settings, int i);

// What following these actions is worth; where nothing else is to be said of it, it is `stopped`.
Plan followed(const PlanProblem& problem, const Matrix& actions,
              const ShootingSettings& settings = {});

// `suggestions` are more starts. The same plan whatever the number of threads.
Plan plan(const PlanProblem& problem, const PlannerSettings& settings,
          const std::vector<Matrix>& suggestions = {});

}  // namespace rhc
