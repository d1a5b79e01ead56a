#include "rhc/explore/learner.h"

#include <utility>

namespace rhc {

Learner::Learner(const Config& config, const System& system, int threads)
    : config_(config),
      inputs_(system.spec().inputs()),
      features_(features_for(config, system.spec())),
      evidence_(evidence_settings(config, system, threads)),
      draw_(draw_features(features_, inputs_, RandomStream(config.seed, "features"))) {}

void Learner::learn(const Transitions& data) {
  batches_.push_back(data);
  transitions_ += data.count();
  ++since_fit_;
  if (belief_ && (config_.refit == 0 || since_fit_ < config_.refit))
    belief_->model.learn(data);
  else if (transitions_ > 0)
    refit();
}

std::optional<double> Learner::log_evidence() const {
  if (!belief_ || since_fit_ > 0) return std::nullopt;
  return belief_->fit.log_evidence;
}

void Learner::refit() {
  const Transitions all = concatenate(batches_);
  belief_ = fit_model(draw_, all, evidence_, previous_);
  previous_ = belief_->fit.hyperparameters;
  since_fit_ = 0;
  if (!config_.redraw_features) return;
  // The paper's code fits the bandwidths, and then draws the features they are used with.
  draw_ = draw_features(features_, inputs_, RandomStream(config_.seed, "features", ++draws_));
  BayesianLinearModel model(draw_, *previous_, belief_->model.outputs);
  model.learn(all);
  belief_->model = std::move(model);
}

}  // namespace rhc
