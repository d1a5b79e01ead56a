#include "rhc/explore/replanning.h"

#include <algorithm>
#include <utility>

#include "rhc/core/stopwatch.h"
#include "rhc/explore/trouble.h"
#include "rhc/plan/control_model.h"

namespace rhc {

namespace {

// What was seen and done in the episode, after what was before it.
Trajectory joined(const Trajectory& past, const Trajectory& seen) {
  const Index before = past.steps();
  Trajectory all{Matrix(seen.observations.rows(), before + seen.steps() + 1),
                 Matrix(seen.actions.rows(), before + seen.steps())};
  all.observations << past.observations.leftCols(before), seen.observations;
  all.actions << past.actions.leftCols(before), seen.actions;
  return all;
}

// Where the system was, as the model and all measurements until then tell: the last observations
// that the model looks back on, and the actions between them. The filter begins with the episode.
Trajectory estimated(const DynamicsModel& model, const SystemSpec& spec, const Trajectory& past,
                     const Trajectory& seen) {
  const ControlByModel by_model(model, spec, false);
  const Trajectory all = joined(past, seen);
  const Index D = seen.observations.rows(), before = past.steps(),
              back = std::min(model.shape.history - 1, all.steps());
  StateEstimate where = by_model.measured_to_be(
      {all.observations.leftCols(before + 1), all.actions.leftCols(before)});
  const Matrix controls = by_model.controls(all.actions).rightCols(seen.steps());
  for (Index t = 0; t < seen.steps(); ++t) {
    predict(by_model, controls.col(t), where);
    correct(by_model, seen.observations.col(t + 1), where);
  }
  Trajectory last{Matrix(D, back + 1), all.actions.rightCols(back)};
  for (Index i = 0; i <= back; ++i) last.observations.col(back - i) = where.mean.segment(i * D, D);
  return last;
}

Forecast first_steps(const Forecast& forecast, const Matrix& actions, Index steps) {
  return {forecast.mean.leftCols(steps + 1), forecast.deviation.leftCols(steps + 1),
          actions.leftCols(steps)};
}

}  // namespace

Replanning::Replanning(int every, int episode, const SystemSpec& spec, const Learner& learned,
                       Explorer& explorer, double sigmas, LearnedLimits limits,
                       std::function<bool()> stop_requested, Trajectory past, Matrix actions,
                       std::optional<Forecast> announced, std::optional<double> promised,
                       bool repeated)
    : every_(every),
      episode_(episode),
      spec_(spec),
      learned_(learned),
      explorer_(explorer),
      sigmas_(sigmas),
      limits_(std::move(limits)),
      stop_requested_(std::move(stop_requested)),
      past_(std::move(past)),
      observed_(spec.outputs(), actions.cols() + 1),
      actions_(std::move(actions)),
      repeated_(repeated),
      all_announced_(promised && announced) {
  if (announced) announced_ = std::move(*announced);
  if (!learned_.model()) return;
  model_ = *learned_.model();
  online_.emplace(model_->regression);
  if (all_announced_) {
    information_ = actions_.cols() <= every_
                       ? *promised
                       : information_before_end(*model_, past_,
                                                first_steps(announced_, actions_, every_), limits_);
  }
}

Vector Replanning::act(const Vector& observation, int step) {
  if (step != steps_) {
    steps_ = step;
    look(observation);
  }
  if (step > 0 && step % every_ == 0) {
    const Stopwatch replanning;
    replan();
    seconds_ += replanning.seconds();
  }
  return actions_.col(step);
}

// Learns from the transition that led here.
void Replanning::look(const Vector& observation) {
  observed_.col(steps_) = observation;
  if (steps_ < spec_.history || !online_) return;
  const Index from = steps_ - spec_.history;
  const Matrix inputs = model_->inputs(observed_.middleCols(from, spec_.history),
                                       actions_.middleCols(from, spec_.history));
  online_->learn(inputs.rightCols(1), observation - observed_.col(steps_ - 1));
}

// The model after all that was seen. In the first episode there is nothing to go on from, so the
// hyperparameters are fitted anew each time.
const DynamicsModel* Replanning::believe() {
  if (online_) {
    online_->solve();
    model_->regression = online_->regression;
    return &*model_;
  }
  const Transitions data = transitions_of(
      {observed_.leftCols(steps_ + 1), actions_.leftCols(steps_)}, spec_.limits, spec_.history);
  if (data.count() < 2) return nullptr;
  if (!refitting_) refitting_.emplace(learned_);
  refitting_->learn_under_way(data, StopSignal(stop_requested_));
  model_ = *refitting_->model();
  return &*model_;
}

void Replanning::replan() {
  const DynamicsModel* model = believe();
  if (!model) return;
  const Trajectory so_far{observed_.leftCols(steps_ + 1), actions_.leftCols(steps_)};
  const Trajectory last = estimated(*model, spec_, past_, so_far);
  before_ = joined(past_, so_far);
  before_.observations.rightCols(last.observations.cols()) = last.observations;
  looked_ = true;
  const Decision decision = explorer_.decide({.episode = episode_,
                                              .model = model,
                                              .before = before_,
                                              .sigmas = sigmas_,
                                              .rest = actions_.rightCols(actions_.cols() - steps_),
                                              .learned = limits_,
                                              .repeated = repeated_,
                                              .stop_requested = stop_requested_});
  actions_.rightCols(actions_.cols() - steps_) = decision.actions;
  status_ = decision.plan ? std::string(name(decision.plan->status)) : "";
  repeated_ = status_ == name(PlanStatus::repeated);
  if (trouble_.empty() && decision.plan && !plan_trouble(status_, decision.actions, spec_).empty())
    trouble_ = status_;
  announce();
}

// What will be seen until the next look.
void Replanning::announce() {
  if (!all_announced_) return;
  const Index ahead = std::min(every_, actions_.cols() - steps_);
  const Forecast next = forecast_from(*model_, before_, actions_.middleCols(steps_, ahead));
  announced_.mean.middleCols(steps_ + 1, ahead) = next.mean.rightCols(ahead);
  announced_.deviation.middleCols(steps_ + 1, ahead) = next.deviation.rightCols(ahead);
  announced_.actions.middleCols(steps_, ahead) = next.actions;
  information_ += information_before_end(*model_, before_, next, limits_);
}

std::optional<Forecast> Replanning::announced() const {
  return all_announced_ ? std::optional(announced_) : std::nullopt;
}

std::optional<double> Replanning::information() const {
  return all_announced_ ? std::optional(information_) : std::nullopt;
}

}  // namespace rhc
