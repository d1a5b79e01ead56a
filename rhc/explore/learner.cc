#include "rhc/explore/learner.h"

#include <cmath>
#include <limits>
#include <utility>

namespace rhc {

Learner::Learner(const Config& config, const System& system, int threads)
    : config_(config),
      spec_(system.spec()),
      evidence_(evidence_settings(config, system, threads)),
      draw_(run_features(config, spec_, 0)) {}

void Learner::learn(const Transitions& data) {
  batches_.push_back(data);
  transitions_ += data.count();
  ++since_fit_;
  try {
    if (belief_ && (config_.refit == 0 || since_fit_ < config_.refit))
      belief_->model.learn(data);
    else if (transitions_ > 0)
      refit();
  } catch (...) {
    // What cannot be learned from was never told.
    batches_.pop_back();
    transitions_ -= data.count();
    --since_fit_;
    throw;
  }
}

std::optional<double> Learner::log_evidence() const {
  if (!belief_ || since_fit_ > 0 || std::isnan(belief_->fit.log_evidence)) return std::nullopt;
  return belief_->fit.log_evidence;
}

std::optional<BeliefRecord> Learner::record(int episode) const {
  if (!belief_) return std::nullopt;
  return BeliefRecord{.episode = episode,
                      .draw = draws_,
                      .transitions = transitions_,
                      .hyperparameters = *previous_,
                      .outputs = belief_->model.outputs};
}

void Learner::save(Archive& archive) const {
  archive.put("learner/draws", static_cast<Index>(draws_));
  archive.put("learner/since_fit", since_fit_);
  if (!belief_) return;
  const BayesianLinearModel& model = belief_->model;
  archive.put("learner/bandwidth", previous_->bandwidth);
  archive.put("learner/prior_precision", Matrix::Constant(1, 1, previous_->prior_precision));
  archive.put("learner/noise", previous_->noise);
  archive.put("learner/output_mean", model.outputs.mean);
  archive.put("learner/output_scale", model.outputs.scale);
  archive.put("learner/factor", model.factor);
  archive.put("learner/moment", model.moment);
  archive.put("learner/weights", model.weights);
  if (const auto evidence = log_evidence())
    archive.put("learner/log_evidence", Matrix::Constant(1, 1, *evidence));
}

void Learner::restore(const Archive& archive, std::vector<Transitions> learned_from) {
  batches_ = std::move(learned_from);
  transitions_ = 0;
  for (const Transitions& batch : batches_) transitions_ += batch.count();
  draws_ = static_cast<std::uint64_t>(archive.count("learner/draws"));
  since_fit_ = static_cast<int>(archive.count("learner/since_fit"));
  draw_ = run_features(config_, spec_, draws_);
  if (!archive.has("learner/factor")) return;

  const Index M = draw_.count(), n = draw_.inputs(), D = spec_.outputs();
  previous_ = Hyperparameters{archive.vector("learner/bandwidth", n),
                              archive.number("learner/prior_precision"),
                              archive.vector("learner/noise", D)};
  BayesianLinearModel model(
      draw_, *previous_,
      {archive.vector("learner/output_mean", D), archive.vector("learner/output_scale", D)});
  model.factor = archive.matrix("learner/factor", M, M);
  model.moment = archive.matrix("learner/moment", M, D);
  model.weights = archive.matrix("learner/weights", M, D);
  model.count = transitions_;
  belief_ = FittedModel{std::move(model), {}};
  // Nobody knows it any more where an earlier rhc left the run.
  belief_->fit.log_evidence = archive.has("learner/log_evidence")
                                  ? archive.number("learner/log_evidence")
                                  : std::numeric_limits<double>::quiet_NaN();
}

void Learner::refit() {
  const Transitions all = concatenate(batches_);
  belief_ = fit_model(draw_, all, evidence_, previous_);
  previous_ = belief_->fit.hyperparameters;
  since_fit_ = 0;
  if (!config_.redraw_features) return;
  // The paper's code fits the bandwidths, and then draws the features they are used with.
  draw_ = run_features(config_, spec_, ++draws_);
  BayesianLinearModel model(draw_, *previous_, belief_->model.outputs);
  model.learn(all);
  belief_->model = std::move(model);
}

}  // namespace rhc
