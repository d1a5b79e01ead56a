// Judges beliefs by trajectories and by a task that they have not seen.
#pragma once

#include <optional>
#include <vector>

#include "rhc/evaluate/test_set.h"
#include "rhc/io/config.h"
#include "rhc/io/metrics.h"
#include "rhc/model/bayesian_linear_model.h"

namespace rhc {

class Judge {
 public:
  Judge(const Config& config, const System& system, const NoiseLevels& noise, int threads);

  // Fills in what the config asks for; the belief is null before any data.
  void judge(const BayesianLinearModel* belief, MetricsRow& row);

  const std::optional<TestSet>& test_set() const { return test_set_; }

 private:
  const Config config_;
  const System system_;
  int threads_;
  std::optional<TestSet> test_set_;
  std::optional<double> limit_;
  std::vector<Matrix> last_;  // the task's last plan, where the next search begins
};

}  // namespace rhc
