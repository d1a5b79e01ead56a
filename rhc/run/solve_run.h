// A task planned with what a run has learned, with all that is needed to put it on the machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rhc/describe/task_change.h"
#include "rhc/model/forecast.h"
#include "rhc/plan/planner.h"
#include "rhc/store/run_record.h"

namespace rhc {

struct SolveSettings {
  TaskChange task{};
  std::optional<Trajectory> before{};  // where the system stands; nothing: at its start
  int horizon = 0;                     // 0: as an experiment has
  int starts = 0;                      // 0: the run's
  int hops = -1, draws = -1;           // -1: the run's
  std::optional<double> sigmas{};      // nothing: the system's
  int threads = 1;
  std::function<bool()> stop_requested{};
};

struct Solution {
  DynamicsModel model;
  SystemSpec spec;  // with task, limits and horizon of this plan
  Trajectory before;
  bool stay_inside;
  double sigmas;
  Plan plan;
  Forecast forecast;
  std::vector<std::string> corrected_by;  // what a gain is multiplied with
  Matrix gains;                           // for each step a column for each of these
  std::vector<std::string> remarks;       // what a person should know of it
};

// InputError where the run is damaged, has learned nothing or has no task; LearningError where no
// gains are finite. A plan that failed has gains of zero.
Solution solve_run(const RunRecord& run, const SolveSettings& settings);

// The plan of a task that begins here.
Plan plan_task_from(const DynamicsModel& model, const SystemSpec& spec, const Trajectory& before,
                    bool stay_inside, double sigmas, int draws, const PlannerSettings& settings);

}  // namespace rhc
