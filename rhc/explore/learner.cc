#include "rhc/explore/learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "rhc/explore/neural_methods.h"
#include "rhc/model/cholesky.h"
#include "rhc/model/fit_head.h"
#include "rhc/model/fit_trajectories.h"
#include "rhc/model/forgetting.h"
#include "rhc/model/heavy_tails.h"
#include "rhc/model/trajectory_evidence.h"
#include "rhc/model/widen.h"

namespace rhc {

namespace {

Matrix one(double number) { return Matrix::Constant(1, 1, number); }

void save_fit(const Hyperparameters& fit, const std::string& place, NamedValues& values) {
  values.put(place + "bandwidth", fit.bandwidth);
  values.put(place + "prior_precision", one(fit.prior_precision));
  values.put(place + "noise", fit.noise);
  if (!predicts_with_noise_alone(fit)) values.put(place + "predicted_noise", fit.predicted_noise);
}

void save_posterior(const BayesianLinearModel& posterior, const std::string& place,
                    NamedValues& values) {
  values.put(place + "output_mean", posterior.outputs.mean);
  values.put(place + "output_scale", posterior.outputs.scale);
  values.put(place + "factor", posterior.factor);
  values.put(place + "moment", posterior.moment);
  values.put(place + "weights", posterior.weights);
}

Hyperparameters restored_fit(const NamedValues& values, const std::string& place, Index inputs,
                             Index outputs) {
  Hyperparameters fit{values.vector(place + "bandwidth", inputs),
                      values.number(place + "prior_precision"),
                      values.vector(place + "noise", outputs)};
  if (values.has(place + "predicted_noise"))
    fit.predicted_noise = values.vector(place + "predicted_noise", outputs);
  return fit;
}

BayesianLinearModel restored_posterior(const NamedValues& values, const std::string& place,
                                       FourierFeatures draw, const Hyperparameters& fit,
                                       Index transitions) {
  const Index M = draw.count(), D = fit.noise.size();
  BayesianLinearModel posterior(
      std::move(draw), fit,
      {values.vector(place + "output_mean", D), values.vector(place + "output_scale", D)});
  posterior.factor = values.matrix(place + "factor", M, M);
  posterior.moment = values.matrix(place + "moment", M, D);
  posterior.weights = values.matrix(place + "weights", M, D);
  posterior.count = transitions;
  return posterior;
}

// Around all that was seen and the region of interest, with three times as much room.
Box reach_of(const Matrix& region, const std::vector<Transitions>& batches) {
  Vector lower = region.rowwise().minCoeff(), upper = region.rowwise().maxCoeff();
  for (const Transitions& batch : batches) {
    if (batch.count() == 0) continue;
    const auto seen = batch.inputs.topRows(lower.size());
    lower = lower.cwiseMin(seen.rowwise().minCoeff());
    upper = upper.cwiseMax(seen.rowwise().maxCoeff());
  }
  return reach_around({lower, upper});
}

std::string of_output(std::size_t output) { return fmt::format("learner/output {}/", output); }

constexpr const char* kNetwork = "learner/network/";

std::string of_layer(Index layer) { return fmt::format("{}layer {}/", kNetwork, layer); }

// The prior with other draws of the features.
Regression redrawn(const Regression& fitted, const FeatureDraws& draws) {
  Regression prior = fitted.prior();
  for (std::size_t g = 0; g < prior.groups.size(); ++g) {
    FourierFeatures& features = prior.groups[g].posterior.features;
    const FourierFeatures& draw = prior.shared() ? draws.shared : draws.by_output[g];
    features.P = draw.P;
    features.phase = draw.phase;
  }
  return prior;
}

}  // namespace

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

void Learner::learn(const Transitions& data, const StopSignal& stop) {
  evidence_.stop = stop;
  trained_ = false;
  const bool updates = model_ && (config_.model.refit == 0 || since_fit_ + 1 < config_.model.refit);
  const auto parts = [this] {
    return std::tie(transitions_, since_fit_, draws_, draw_, log_evidence_, noise_, counts_, off_,
                    last_, network_, trainings_, trained_on_);
  };
  // A fit begins with nothing of the model, which need not be copied for it.
  auto model = updates || transitions_ + data.count() == 0 ? model_ : std::move(model_);
  const auto before =
      std::make_tuple(transitions_, since_fit_, draws_, draw_, log_evidence_, noise_, counts_, off_,
                      last_, network_, trainings_, trained_on_);
  batches_.push_back(data);
  transitions_ += data.count();
  ++since_fit_;
  try {
    if (updates)
      update(data);
    else if (transitions_ > 0)
      refit(model ? &*model : nullptr);
    refine();
    doubt();
  } catch (...) {
    // What cannot be learned from was never told.
    batches_.pop_back();
    parts() = before;
    model_ = std::move(model);
    throw;
  }
}

void Learner::learn_under_way(const Transitions& episode_so_far, const StopSignal& stop) {
  evidence_.stop = stop;
  if (under_way_) {
    transitions_ -= batches_.back().count();
    batches_.pop_back();
  }
  under_way_ = true;
  batches_.push_back(episode_so_far);
  transitions_ += episode_so_far.count();
  refit(model_ ? &*model_ : nullptr);
  refine();
  doubt();
}

void Learner::compare(const Forecast& announced, const Trajectory& seen) {
  const Vector off = relative_reach(announced, seen);
  if (off.size() == 0) return;
  if (band_scale_.size() == 0) band_scale_.setOnes(off.size());
  // What came too far counts for half, what came too near for little: the next episode goes
  // elsewhere, and nobody is hurt by a wide band.
  for (Index i = 0; i < off.size(); ++i)
    band_scale_[i] =
        std::clamp(band_scale_[i] * std::pow(off[i], off[i] > 1 ? 0.5 : 0.15), 0.7, 4.0);
  // The paper's fit has bands as they are.
  if (model_ && config_.model.bandwidth != BandwidthRule::paper) model_->band_scale = band_scale_;
}

std::optional<double> Learner::log_evidence() const {
  return since_fit_ > 0 ? std::nullopt : log_evidence_;
}

std::optional<BeliefRecord> Learner::record(int episode) const {
  if (!model_) return std::nullopt;
  BeliefRecord record{.episode = episode, .draw = draws_, .transitions = transitions_};
  for (const OutputGroup& group : model_->regression.groups)
    record.posteriors.push_back(record_of(group.posterior));
  if (network_) {
    record.network = trainings_;
    record.layers = std::make_shared<const SineLayers>(layers_of(*network_));
    record.trained = trained_;
  }
  return record;
}

void Learner::save(NamedValues& values) const {
  values.put("learner/draws", static_cast<Index>(draws_));
  values.put("learner/since_fit", since_fit_);
  if (band_scale_.size() > 0) values.put("learner/band_scale", band_scale_);
  if (counts_.size() > 0) values.put("learner/counts", counts_);
  if (noise_) {
    values.put("learner/sensor_noise", noise_->sensor);
    values.put("learner/process_noise", noise_->process);
  }
  if (!model_) return;
  if (network_) {
    save_network(values);
    return;
  }
  if (last_.shared) save_fit(*last_.shared, "learner/", values);
  if (model_->regression.shared())
    save_posterior(model_->regression.groups[0].posterior, "learner/", values);
  save_separate(values);
  if (const auto evidence = log_evidence()) values.put("learner/log_evidence", one(*evidence));
}

void Learner::save_network(NamedValues& values) const {
  const std::string place = kNetwork;
  const BayesianLinearModel& posterior = model_->regression.groups[0].posterior;
  values.put(place + "trainings", static_cast<Index>(trainings_));
  values.put(place + "trained_on", trained_on_);
  const SineLayers layers = layers_of(*network_);
  values.put(place + "layers", static_cast<Index>(layers.size()));
  for (std::size_t l = 0; l < layers.size(); ++l) {
    values.put(of_layer(static_cast<Index>(l)) + "weights", layers[l].weights);
    values.put(of_layer(static_cast<Index>(l)) + "phase", layers[l].phase);
  }
  values.put(place + "centre", network_->centre);
  values.put(place + "scale", network_->scale);
  save_fit(posterior.hyperparameters(), place, values);
  values.put(place + "affine_precision", one(posterior.affine_precision));
  save_posterior(posterior, place, values);
  if (const auto evidence = log_evidence()) values.put("learner/log_evidence", one(*evidence));
}

// Where each output had a fit of its own, also if another one was better.
void Learner::save_separate(NamedValues& values) const {
  const bool shared = model_->regression.shared();
  for (std::size_t j = 0; j < last_.by_output.size(); ++j) {
    const std::string place = of_output(j);
    save_fit(last_.by_output[j], place, values);
    values.put(place + "affine_precision", one(last_.by_output[j].affine_precision));
    if (shared) continue;
    const BayesianLinearModel& posterior = model_->regression.groups[j].posterior;
    values.put(place + "centre", posterior.features.centre);
    values.put(place + "scale", posterior.features.scale);
    save_posterior(posterior, place, values);
  }
}

void Learner::restore(const NamedValues& values, std::vector<Transitions> learned_from) {
  batches_ = std::move(learned_from);
  log_evidence_.reset();
  transitions_ = 0;
  for (const Transitions& batch : batches_) transitions_ += batch.count();
  draws_ = static_cast<std::uint64_t>(values.count("learner/draws"));
  since_fit_ = static_cast<int>(values.count("learner/since_fit"));
  draw_ = run_features(config_, spec_, draws_);
  band_scale_.resize(0);
  if (values.has("learner/band_scale"))
    band_scale_ = values.vector("learner/band_scale", spec_.outputs());
  counts_.resize(0);
  off_.resize(0, 0);
  if (values.has("learner/counts")) counts_ = values.vector("learner/counts", -1);
  noise_.reset();
  if (values.has("learner/sensor_noise"))
    noise_ = NoiseSplit{values.vector("learner/sensor_noise", spec_.outputs()),
                        values.vector("learner/process_noise", spec_.outputs())};

  last_ = {};
  const Index n = spec_.inputs();
  if (values.has("learner/bandwidth"))
    last_.shared = restored_fit(values, "learner/", n, spec_.outputs());
  for (std::size_t j = 0; j < draw_.by_output.size(); ++j) {
    const std::string place = of_output(j);
    if (!values.has(place + "bandwidth")) break;
    last_.by_output.push_back(restored_fit(values, place, n, 1));
    last_.by_output.back().affine_precision = values.number(place + "affine_precision");
  }
  std::optional<Regression> regression = restored_network(values);
  if (!regression) regression = restored_shared(values);
  if (!regression) regression = restored_separate(values);
  if (!regression) return;
  regression->known = spec_.known;
  model_.emplace(std::move(*regression), shape_);
  refine();
  doubt();
  // Nobody knows it any more where an earlier rhc left the run.
  if (values.has("learner/log_evidence")) log_evidence_ = values.number("learner/log_evidence");
}

std::optional<Regression> Learner::restored_network(const NamedValues& values) {
  const std::string place = kNetwork;
  network_.reset();
  trainings_ = 0;
  trained_on_ = 0;
  trained_ = false;
  if (!values.has(place + "layers")) return std::nullopt;
  const Index n = spec_.inputs(), count = values.count(place + "layers");
  SineLayers layers;
  for (Index l = 0; l < count; ++l) {
    const Vector phase = values.vector(of_layer(l) + "phase", -1);
    layers.push_back(
        {values.matrix(of_layer(l) + "weights", phase.size(), l == 0 ? n : layers.back().width()),
         phase});
  }
  if (layers.empty()) throw InputError(values.origin + ": the network has no layers");
  trainings_ = static_cast<std::uint64_t>(values.count(place + "trainings"));
  trained_on_ = values.count(place + "trained_on");
  Hyperparameters fit = restored_fit(values, place, n, spec_.outputs());
  fit.affine_precision = values.number(place + "affine_precision");
  network_ = network_features(std::move(layers));
  network_->bandwidth = fit.bandwidth;
  network_->centre = values.vector(place + "centre", n);
  network_->scale = values.vector(place + "scale", n);
  return restored_posterior(values, place, *network_, fit, transitions_);
}

std::optional<Regression> Learner::restored_shared(const NamedValues& values) const {
  if (!values.has("learner/factor") || !last_.shared) return std::nullopt;
  return restored_posterior(values, "learner/", draw_.shared, *last_.shared, transitions_);
}

std::optional<Regression> Learner::restored_separate(const NamedValues& values) const {
  if (last_.by_output.empty() || !values.has(of_output(0) + "factor")) return std::nullopt;
  std::vector<OutputGroup> groups;
  for (std::size_t j = 0; j < last_.by_output.size(); ++j) {
    FourierFeatures draw = draw_.by_output[j];
    draw.centre = values.vector(of_output(j) + "centre", spec_.inputs());
    draw.scale = values.vector(of_output(j) + "scale", spec_.inputs());
    groups.push_back({{static_cast<Index>(j)},
                      restored_posterior(values, of_output(j), std::move(draw), last_.by_output[j],
                                         transitions_)});
  }
  return Regression(std::move(groups));
}

bool Learner::looks_at_trajectories(const Regression& regression) const {
  // Whole trajectories are fitted with one set of weights, and forgetting says that there is none.
  // With features of a network it would be too much to compute.
  return config_.model.fit_trajectories && config_.model.forgetting == 0 && noise_ && !network_ &&
         trajectories_tell_more(regression, *noise_, transitions_);
}

// The hyperparameters under which whole trajectories are likely, and what the regression is then.
void Learner::fit_to_trajectories(FittedRegression& fitted, const LastFits& before) {
  Regression& regression = fitted.regression;
  std::vector<Hyperparameters> previous = before.by_output;
  if (regression.shared()) {
    previous.clear();
    if (before.shared) previous.push_back(*before.shared);
  }
  const std::vector<Transitions> kept = without_outliers();
  const auto [by_group, noise] = maximize_trajectory_evidence(regression, *noise_, shape_.angles,
                                                              kept, previous, evidence_.stop);
  noise_ = noise;
  for (std::size_t g = 0; g < by_group.size(); ++g) {
    BayesianLinearModel& posterior = regression.groups[g].posterior;
    posterior = BayesianLinearModel(posterior.features, by_group[g], posterior.outputs);
  }
  regression.learn(concatenate(kept), evidence_.stop);
  if (regression.shared())
    fitted.last.shared = by_group[0];
  else
    fitted.last.by_output = by_group;
}

// Where sensors are noisy, by whole trajectories instead of step by step.
void Learner::refine() {
  constexpr int kDraws = 64;
  if (!model_) return;
  model_->weight_draws.clear();
  if (!looks_at_trajectories(model_->regression)) return;
  // It begins with what the steps tell, also where the last refinement was restored.
  for (OutputGroup& group : model_->regression.groups) {
    group.posterior.weights = group.posterior.moment;
    solve_precision(group.posterior.factor, group.posterior.weights);
  }
  model_->weight_draws = fit_trajectories(model_->regression, *noise_, shape_.angles,
                                          without_outliers(), kDraws, evidence_.stop)
                             .draws;
}

// A network's features are not drawn, so there are no more of them to draw.
std::vector<std::shared_ptr<const Regression>> Learner::wider_fits() {
  if (wide_draw_.shared.sines() == 0) wide_draw_ = wide_features(config_, spec_);
  const Transitions all = this->all();
  if (since_fit_ == 0) return possible_fits(last_, draw_, wide_draw_, all, evidence_, spec_.known);
  // Where the last fit is older than the data, its scales are known to the regression alone.
  return {std::make_shared<const Regression>(
      widened(model_->regression, wide_draw_, all, evidence_.stop))};
}

bool Learner::goes_on_as_a_plane() const {
  const Regression& regression = model_->regression;
  return config_.model.posterior == Sharing::evidence &&
         config_.model.bandwidth == BandwidthRule::evidence && !config_.model.redraw_features &&
         !network_ && !regression.known && shape_.angles.empty() && regression.shared() &&
         !explains_all(regression);
}

DynamicsModel Learner::task_model(const StopSignal& stop) const {
  if (!goes_on_as_a_plane()) return *model_;
  Learner other = *this;
  other.evidence_.stop = stop;
  other.draw_ = {with_affine_part(wide_features(config_, spec_).shared, all().inputs)};
  other.evidence_.caution = 0;
  other.last_ = {};
  other.refit(nullptr);
  other.refine();
  DynamicsModel model = *other.model_;
  model.possible = model_->possible;
  model.band_scale = model_->band_scale;
  model.reach = model_->reach;
  model.noise = other.noise_;
  return model;
}

// What forecasts need besides; it follows from the fit and the data.
void Learner::doubt() {
  if (!model_ || config_.model.bandwidth == BandwidthRule::paper) return;
  model_->possible.clear();
  if (!network_) model_->possible = wider_fits();
  model_->band_scale = band_scale_;
  model_->reach = reach_of(evidence_.region.topRows(spec_.outputs()), batches_);
  model_->noise = noise_;
}

Transitions Learner::all() const {
  Transitions all = remembered(batches_, config_.model.forgetting);
  if (counts_.size() == 0) return all;
  if (all.weights.size() == 0) all.weights = Vector::Ones(all.count());
  all.weights.head(counts_.size()).array() *= counts_.array();
  return all;
}

// A trajectory is broken where a transition is set aside.
std::vector<Transitions> Learner::without_outliers() const {
  if (counts_.size() == 0) return batches_;
  std::vector<Transitions> kept;
  Index first = 0;
  for (const Transitions& batch : batches_) {
    std::vector<Index> counting;
    for (Index t = 0; t < batch.count(); ++t)
      if (first + t >= counts_.size() || counts_[first + t] == 1) counting.push_back(t);
    kept.push_back({batch.inputs(Eigen::all, counting), batch.outputs(Eigen::all, counting)});
    first += batch.count();
  }
  return kept;
}

// What was set aside before, and what the model did not think possible of the last data.
Vector Learner::suspected(const DynamicsModel* before) const {
  if (!evidence_.set_outliers_aside || !before) return {};
  Vector weights = Vector::Ones(transitions_);
  weights.head(counts_.size()) = counts_;
  const Transitions& last = batches_.back();
  if (last.count() > 0)
    weights.tail(last.count()) = weights_by_prediction(before->regression, last);
  return weights;
}

std::vector<Learner::Outlier> Learner::outliers() const {
  constexpr double kFar = 4;  // what follows one is set aside as well
  std::vector<Outlier> all;
  if (batches_.empty() || counts_.size() != transitions_ || off_.cols() != transitions_) return all;
  const Index first = transitions_ - batches_.back().count();
  for (Index t = first; t < transitions_; ++t) {
    Index output;
    const double off = off_.col(t).cwiseAbs().maxCoeff(&output);
    if (counts_[t] == 1 || off < kFar) continue;
    all.push_back({t - first, output, off});
  }
  std::ranges::stable_sort(all, std::greater(), &Outlier::off);
  return all;
}

// What was learned before has aged, too.
void Learner::update(const Transitions& data) {
  if (config_.model.forgetting > 0) {
    model_->regression = model_->regression.prior();
    model_->regression.learn(all(), evidence_.stop);
  } else {
    model_->regression.learn(data, evidence_.stop);
  }
}

// Episodes that count for most: what older ones leave over is not noise alone.
std::vector<Transitions> Learner::recent() const {
  const std::vector<Transitions> kept = without_outliers();
  if (config_.model.forgetting == 0) return kept;
  std::vector<Transitions> taken;
  for (auto batch = kept.rbegin(); batch != kept.rend(); ++batch)
    if (batch->count() > 0 && static_cast<double>(taken.size()) < config_.model.forgetting)
      taken.push_back(*batch);
  return {taken.rbegin(), taken.rend()};
}

// Whether the features are a network's. It is trained anew when there is clearly more to learn
// from, for that takes a minute; its last layer is fitted each time.
bool Learner::fit_network(const Transitions& given) {
  constexpr double kClearlyMore = 1.2;
  const Index least = std::max<Index>(config_.network.from, kFewestForNetwork);
  if (config_.network.from == 0 || (transitions_ < least && !network_)) return false;
  // In the middle of an episode nobody has a minute.
  if (under_way_ && !network_) return false;
  check(given, spec_.inputs(), spec_.outputs());
  const Transitions rest = spec_.known ? left_to_learn(spec_.known, given) : given;
  const bool clearly_more =
      static_cast<double>(transitions_) >= kClearlyMore * static_cast<double>(trained_on_);
  if (!network_ || (clearly_more && !under_way_)) {
    network_ = train_network({.data = rest,
                              .layers = config_.network.layers,
                              .updates = config_.network.updates,
                              .before = network_ ? &*network_ : nullptr,
                              .device = config_.device,
                              .seed = config_.seed,
                              .number = trainings_,
                              .stop_requested = [this] {
                                evidence_.stop.check();
                                return false;
                              }});
    ++trainings_;
    trained_on_ = transitions_;
    trained_ = true;
  }
  FittedRegression fitted =
      fit_head(*network_, rest, config_.model.noise_floor, config_.model.model_error);
  fitted.regression.known = spec_.known;
  counts_.resize(0);
  off_.resize(0, 0);
  noise_.reset();
  if (shape_.history == 1) noise_ = split_noise(fitted.regression, recent(), evidence_.stop);
  last_ = {};
  log_evidence_.reset();
  if (!std::isnan(fitted.log_evidence)) log_evidence_ = fitted.log_evidence;
  since_fit_ = 0;
  model_.emplace(std::move(fitted.regression), shape_);
  return true;
}

void Learner::refit(const DynamicsModel* before) {
  const Transitions given = remembered(batches_, config_.model.forgetting);
  if (fit_network(given)) return;
  FittedRegression fitted = fit_regression(draw_, given, sharing_for(config_, spec_), evidence_,
                                           last_, spec_.known, suspected(before));
  counts_ = std::move(fitted.weights);
  off_ = std::move(fitted.off);
  noise_.reset();
  if (shape_.history == 1 && config_.model.bandwidth != BandwidthRule::paper)
    noise_ = split_noise(fitted.regression, recent(), evidence_.stop);
  if (looks_at_trajectories(fitted.regression)) fit_to_trajectories(fitted, last_);
  last_ = std::move(fitted.last);
  log_evidence_.reset();
  if (!std::isnan(fitted.log_evidence)) log_evidence_ = fitted.log_evidence;
  since_fit_ = 0;
  if (config_.model.redraw_features) {
    // The paper's code fits the bandwidths, and then draws the features they are used with.
    draw_ = run_features(config_, spec_, ++draws_);
    fitted.regression = redrawn(fitted.regression, draw_);
    fitted.regression.learn(given, evidence_.stop);
  }
  model_.emplace(std::move(fitted.regression), shape_);
}

}  // namespace rhc
