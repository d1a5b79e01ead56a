// The belief, from all that was seen so far.
#pragma once

#include <optional>
#include <vector>

#include "rhc/io/archive.h"
#include "rhc/io/belief_history.h"
#include "rhc/model/fit_model.h"

namespace rhc {

class Learner {
 public:
  Learner(const Config& config, const System& system, int threads);

  // Fits the hyperparameters again, or updates the belief as it stands: as the config says.
  void learn(const Transitions& data);

  // Null before the first data.
  const BayesianLinearModel* belief() const { return belief_ ? &belief_->model : nullptr; }
  Index transitions() const { return transitions_; }
  std::optional<double> log_evidence() const;  // where the last data brought a fit

  // What the run keeps of the belief; nothing where there is none.
  std::optional<BeliefRecord> record(int episode) const;

  // All that is needed to go on, but for the data that were learned from.
  void save(Archive& archive) const;
  void restore(const Archive& archive, std::vector<Transitions> learned_from);

 private:
  void refit();

  const Config config_;
  const SystemSpec spec_;
  EvidenceSettings evidence_;
  FourierFeatures draw_;
  std::uint64_t draws_ = 0;
  std::vector<Transitions> batches_;
  Index transitions_ = 0;
  int since_fit_ = 0;
  std::optional<FittedModel> belief_;
  std::optional<Hyperparameters> previous_;
};

}  // namespace rhc
