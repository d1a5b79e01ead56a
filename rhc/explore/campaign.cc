#include "rhc/explore/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/explore/memory.h"
#include "rhc/explore/neural_methods.h"
#include "rhc/explore/trouble.h"

namespace rhc {

namespace {

// The model as it would be if what is under way turns out as expected.
std::optional<DynamicsModel> imagined(const DynamicsModel* model,
                                      const std::vector<Proposal>& under_way) {
  if (!model || under_way.empty()) return std::nullopt;
  std::vector<Trajectory> expected;
  for (const Proposal& proposal : under_way)
    if (proposal.forecast) expected.push_back({proposal.forecast->mean, proposal.actions});
  return model->imagining(expected);
}

// Looked at before anything is made.
const Config& that_fits(const Config& config, const SystemSpec& spec) {
  check_memory(config, spec);
  check_network(config);
  return config;
}

}  // namespace

Campaign::Campaign(const Config& config, const System& system, int threads, Role role)
    : config_(role == Role::explores ? that_fits(config, system.spec()) : config),
      threads_(threads),
      system_(system),
      explorer_(role == Role::explores ? make_explorer(config, system, threads) : nullptr),
      learner_(config, system, threads) {}

Explorer& Campaign::explorer() {
  if (!explorer_) throw std::logic_error("a campaign that replays decides nothing");
  return *explorer_;
}

Trajectory Campaign::before_of(const ProposalSettings& settings) const {
  const SystemSpec& spec = system_.spec();
  return settings.before ? *settings.before
                         : standing_at(system_.observe(spec.start), spec.action_bounds.size());
}

const Proposal& Campaign::ask(const ProposalSettings& settings) {
  ProposalSettings announced = settings;
  announced.announced = true;
  const double sigmas = settings.sigmas.value_or(system_.spec().safety.sigmas);
  if (!asked_ || !same(asked_->before, before_of(settings)) || asked_->sigmas != sigmas)
    asked_ = propose(told_ + 1, announced);
  if (asked_->actions.size() == 0)
    throw InputError(
        "this method decides step by step, so it cannot say beforehand what to do; choose "
        "rhc-evr, rhc-info, rhc-us or random");
  return *asked_;
}

Proposal Campaign::propose(int episode, const ProposalSettings& settings,
                           const std::vector<Proposal>& under_way) {
  const SystemSpec& spec = system_.spec();
  stop_requested_ = settings.stop_requested;
  const std::optional<DynamicsModel> surer = imagined(model(), under_way);
  const DynamicsModel* known = surer ? &*surer : model();
  Proposal proposal{.episode = episode,
                    .start = {},
                    .before = before_of(settings),
                    .sigmas = settings.sigmas.value_or(spec.safety.sigmas)};
  proposal.start = proposal.before.observations.rightCols(1);
  Decision decision = explorer().decide({.episode = episode,
                                         .model = known,
                                         .before = proposal.before,
                                         .sigmas = proposal.sigmas,
                                         .learned = limits_,
                                         .stop_requested = settings.stop_requested});
  proposal.actions = std::move(decision.actions);
  if (known && (decision.plan || (settings.announced && proposal.actions.size() > 0)))
    proposal.forecast = forecast_from(*known, proposal.before, proposal.actions);
  if (const auto& plan = decision.plan) {
    // A forecast that has lost itself promises nothing.
    const Index steps =
        std::min(steps_before_end(*proposal.forecast, limits_),
                 std::max<Index>(1, steps_before_lost(*proposal.forecast, known->reach)));
    proposal.information = known->information(proposal.before, plan->states.leftCols(steps + 1),
                                              plan->actions.leftCols(steps));
    proposal.status = name(plan->status);
  }
  return proposal;
}

Vector Campaign::act(const Proposal& proposal, const Vector& observation, int step) {
  if (proposal.actions.size() == 0) return explorer().act(observation, step);
  if (config_.plan.replan == 0 || !explorer().plans()) return proposal.actions.col(step);
  if (step == 0)
    under_way_ = std::make_unique<Replanning>(
        config_.plan.replan, proposal.episode, system_.spec(), learner_, explorer(),
        proposal.sigmas, limits_, stop_requested_, proposal.before, proposal.actions,
        proposal.forecast, proposal.information, proposal.status == name(PlanStatus::repeated));
  return under_way_->act(observation, step);
}

std::optional<ReplannedEpisode> Campaign::plan_rest(const Proposal& proposal,
                                                    const Trajectory& seen,
                                                    const ProposalSettings& settings) {
  const Index done = seen.steps(), left = proposal.actions.cols() - done;
  if (done < 1 || left < 1) throw std::logic_error("no rest of an episode to plan");
  if (!explorer().plans())
    throw InputError("the method '" + config_.method +
                     "' does not plan, so what was seen changes nothing of what it does next");
  Proposal again = proposal;
  again.sigmas = settings.sigmas.value_or(system_.spec().safety.sigmas);
  again.actions.leftCols(done) = seen.actions;
  Replanning replanning(static_cast<int>(done), again.episode, system_.spec(), learner_, explorer(),
                        again.sigmas, limits_, settings.stop_requested, proposal.before,
                        again.actions, proposal.forecast, proposal.information,
                        proposal.status == name(PlanStatus::repeated));
  for (Index t = 0; t <= done; ++t) replanning.act(seen.observations.col(t), static_cast<int>(t));
  if (!replanning.model()) return std::nullopt;
  again.actions = replanning.actions();
  again.status = replanning.status();
  const Forecast rest =
      forecast_from(*replanning.model(), replanning.before(), again.actions.rightCols(left));
  if (again.forecast) {
    again.forecast->mean.rightCols(left) = rest.mean.rightCols(left);
    again.forecast->deviation.rightCols(left) = rest.deviation.rightCols(left);
    again.forecast->actions = again.actions;
  }
  // By what was known before the episode: what was seen has told its part already.
  again.information.reset();
  if (model()) {
    Matrix observations(seen.observations.rows(), done + left + 1);
    observations.leftCols(done + 1) = seen.observations;
    observations.rightCols(left) = rest.mean.rightCols(left);
    const Index steps = done + steps_before_end(rest, limits_);
    again.information = model()->information(proposal.before, observations.leftCols(steps + 1),
                                             again.actions.leftCols(steps));
  }
  return ReplannedEpisode{again, rest};
}

std::optional<Forecast> Campaign::announced_on_the_way() const {
  return under_way_ ? under_way_->announced() : std::nullopt;
}

MetricsRow Campaign::learn(const Proposal& decided, const Trajectory& seen,
                           const std::function<bool()>& stop_requested) {
  Proposal proposal = decided;
  double replanning_seconds = 0;
  // Where it was carried out step by step to its end.
  if (under_way_ && under_way_->episode() == decided.episode &&
      under_way_->step() + 1 >= seen.steps()) {
    replanning_seconds = under_way_->seconds();
    proposal.actions = under_way_->actions();
    proposal.forecast = under_way_->announced();
    proposal.information = under_way_->information();
    if (!under_way_->trouble().empty()) proposal.status = under_way_->trouble();
  }
  MetricsRow row{.episode = proposal.episode,
                 .steps = seen.steps(),
                 .information_planned = proposal.information,
                 .plan_seconds = replanning_seconds};
  if (proposal.planned()) row.plan_status = proposal.status;
  const SystemSpec& spec = system_.spec();
  row.trouble = episode_trouble(proposal.status, seen, spec);
  row.left_out = seen.steps() - steps_inside(seen, spec.limits);
  const Transitions data = transitions_of(seen, spec.limits, spec.history);
  if (model()) {
    const Regression& before = model()->regression;
    row.information_gained = information(before, data.inputs);
    const Vector by_output = information_by_output(before, data.inputs);
    row.information_by_output.assign(by_output.begin(), by_output.end());
  }
  // Nothing was told where learning is interrupted.
  if (data.count() > 0) learner_.learn(data, StopSignal(stop_requested));
  under_way_.reset();
  if (proposal.forecast) learner_.compare(*proposal.forecast, seen);
  if (explorer_) explorer_->learn(proposal.actions, seen);
  learn_of_end(seen);
  if (std::string aside = told_of_outliers(data); !aside.empty())
    remarks_.push_back(std::move(aside));
  if (std::string less = told_less(row); !less.empty()) remarks_.push_back(std::move(less));
  row.evidence = learner_.log_evidence();
  row.transitions = learner_.transitions();
  ++told_;
  asked_.reset();
  return row;
}

void Campaign::learn_of_end(const Trajectory& seen) {
  const SystemSpec& spec = system_.spec();
  const LearnedLimits before = limits_;
  note_episode(seen, spec.limits, ends_);
  if (config_.plan.learn_limits) limits_ = learned_limits(ends_);
  remarks_.clear();
  if (std::string told = told_of_end(seen, before, limits_, spec); !told.empty())
    remarks_.push_back(std::move(told));
}

std::string Campaign::told_of_outliers(const Transitions& data) const {
  constexpr std::size_t kNamed = 3;
  const std::vector<Learner::Outlier> outliers = learner_.outliers();
  if (outliers.empty()) return {};
  const SystemSpec& spec = system_.spec();
  std::string named;
  for (std::size_t i = 0; i < std::min(kNamed, outliers.size()); ++i) {
    const auto& [transition, output, off] = outliers[i];
    const Quantity& quantity = spec.observation[static_cast<std::size_t>(output)];
    named += fmt::format("{}in step {} '{}' changed by {:.3g}{}{}, {:.0f} deviations off",
                         i == 0 ? "" : "; ", transition + spec.history, quantity.name,
                         data.outputs(output, transition), quantity.unit.empty() ? "" : " ",
                         quantity.unit, off);
  }
  return fmt::format(
      "noise does not explain {} of {} transitions, which are set aside, as is what follows them: "
      "{}{}; "
      "outliers=false counts them like all others",
      outliers.size(), data.count(), named, outliers.size() > kNamed ? "; ..." : "");
}

MetricsRow Campaign::tell(const Trajectory& seen, const std::function<bool()>& stop_requested) {
  return learn(asked_ ? Proposal(*asked_) : Proposal{.episode = told_ + 1}, seen, stop_requested);
}

NamedValues Campaign::save() const {
  NamedValues values;
  if (explorer_) explorer_->save(values);
  learner_.save(values);
  return values;
}

void Campaign::describe(const System& system) {
  system_ = system;
  learner_.describe(system);
  asked_.reset();
  if (!explorer_) return;
  NamedValues remembered;
  explorer_->save(remembered);
  explorer_ = make_explorer(config_, system, threads_);
  explorer_->restore(remembered);
}

void Campaign::restore(const NamedValues& values, std::vector<Transitions> learned_from,
                       EndsSeen ends) {
  told_ = static_cast<int>(learned_from.size());
  ends_ = std::move(ends);
  limits_ = config_.plan.learn_limits ? learned_limits(ends_) : LearnedLimits{};
  if (explorer_) explorer_->restore(values);
  learner_.restore(values, std::move(learned_from));
}

}  // namespace rhc
