// Judges models by trajectories and by a task that they have not seen.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "rhc/core/named_values.h"
#include "rhc/evaluate/test_set.h"
#include "rhc/explore/config.h"
#include "rhc/explore/metrics_row.h"
#include "rhc/model/dynamics_model.h"

namespace rhc {

// The least cost of the task that a perfect model could reach, where it is known: without feedback
// and noise, and in a closed loop under the run's noise.
struct TaskLimits {
  std::optional<double> open{}, closed{};
};

class Judge {
 public:
  // `test_set`: trajectories that it judges by, null where there are none.
  Judge(const Config& config, const System& system, std::shared_ptr<const TestSet> test_set,
        TaskLimits limits, int threads);

  // Fills in what the config asks for; the model is null before any data.
  void judge(const DynamicsModel* model, MetricsRow& row);

  // The task as it was solved last, in the true system.
  const std::optional<Trajectory>& task_solution() const { return task_solution_; }

  // What the next judgement begins from replaces what the values have of an earlier one.
  void save(NamedValues& values) const;
  void restore(const NamedValues& values);

 private:
  const Config config_;
  const System system_;
  int threads_;
  std::shared_ptr<const TestSet> test_set_;
  TaskLimits limits_;
  std::vector<Matrix> last_;  // the task's last plan, where the next search begins
  std::optional<Trajectory> task_solution_;
};

}  // namespace rhc
