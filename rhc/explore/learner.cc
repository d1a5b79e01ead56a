#include "rhc/explore/learner.h"

#include <cmath>
#include <utility>

namespace rhc {

Learner::Learner(const Config& config, const System& system, int threads)
    : config_(config),
      threads_(threads),
      spec_(system.spec()),
      shape_(shape_of(spec_, config.plan.stay_inside)),
      evidence_(evidence_settings(config, system, threads)),
      draw_(run_features(config, spec_, 0)) {}

void Learner::describe(const System& system) {
  spec_ = system.spec();
  shape_ = shape_of(spec_, config_.plan.stay_inside);
  evidence_ = evidence_settings(config_, system, threads_);
  if (model_) model_->shape = shape_;
}

void Learner::learn(const Transitions& data) {
  batches_.push_back(data);
  transitions_ += data.count();
  ++since_fit_;
  try {
    if (model_ && (config_.model.refit == 0 || since_fit_ < config_.model.refit))
      model_->regression.learn(data);
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
  return since_fit_ > 0 ? std::nullopt : log_evidence_;
}

std::optional<BeliefRecord> Learner::record(int episode) const {
  if (!model_) return std::nullopt;
  return BeliefRecord{.episode = episode,
                      .draw = draws_,
                      .transitions = transitions_,
                      .hyperparameters = *previous_,
                      .outputs = model_->regression.outputs};
}

void Learner::save(NamedValues& values) const {
  values.put("learner/draws", static_cast<Index>(draws_));
  values.put("learner/since_fit", since_fit_);
  if (!model_) return;
  const BayesianLinearModel& regression = model_->regression;
  values.put("learner/bandwidth", previous_->bandwidth);
  values.put("learner/prior_precision", Matrix::Constant(1, 1, previous_->prior_precision));
  values.put("learner/noise", previous_->noise);
  values.put("learner/output_mean", regression.outputs.mean);
  values.put("learner/output_scale", regression.outputs.scale);
  values.put("learner/factor", regression.factor);
  values.put("learner/moment", regression.moment);
  values.put("learner/weights", regression.weights);
  if (const auto evidence = log_evidence())
    values.put("learner/log_evidence", Matrix::Constant(1, 1, *evidence));
}

void Learner::restore(const NamedValues& values, std::vector<Transitions> learned_from) {
  batches_ = std::move(learned_from);
  log_evidence_.reset();
  transitions_ = 0;
  for (const Transitions& batch : batches_) transitions_ += batch.count();
  draws_ = static_cast<std::uint64_t>(values.count("learner/draws"));
  since_fit_ = static_cast<int>(values.count("learner/since_fit"));
  draw_ = run_features(config_, spec_, draws_);
  if (!values.has("learner/factor")) return;

  const Index M = draw_.count(), n = draw_.inputs(), D = spec_.outputs();
  previous_ =
      Hyperparameters{values.vector("learner/bandwidth", n),
                      values.number("learner/prior_precision"), values.vector("learner/noise", D)};
  BayesianLinearModel regression(
      draw_, *previous_,
      {values.vector("learner/output_mean", D), values.vector("learner/output_scale", D)});
  regression.factor = values.matrix("learner/factor", M, M);
  regression.moment = values.matrix("learner/moment", M, D);
  regression.weights = values.matrix("learner/weights", M, D);
  regression.count = transitions_;
  model_.emplace(std::move(regression), shape_);
  // Nobody knows it any more where an earlier rhc left the run.
  if (values.has("learner/log_evidence")) log_evidence_ = values.number("learner/log_evidence");
}

void Learner::refit() {
  const Transitions all = concatenate(batches_);
  FittedModel fitted = fit_model(draw_, all, evidence_, previous_);
  previous_ = fitted.fit.hyperparameters;
  log_evidence_.reset();
  if (!std::isnan(fitted.fit.log_evidence)) log_evidence_ = fitted.fit.log_evidence;
  since_fit_ = 0;
  if (config_.model.redraw_features) {
    // The paper's code fits the bandwidths, and then draws the features they are used with.
    draw_ = run_features(config_, spec_, ++draws_);
    BayesianLinearModel redrawn(draw_, *previous_, fitted.model.outputs);
    redrawn.learn(all);
    fitted.model = std::move(redrawn);
  }
  model_.emplace(std::move(fitted.model), shape_);
}

}  // namespace rhc
