// The hyperparameters that explain the data best.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rhc/core/stop_signal.h"
#include "rhc/model/bayesian_linear_model.h"

namespace rhc {

enum class BandwidthRule {
  evidence,       // maximise the evidence
  mean_distance,  // mean pairwise distance; noise and prior still maximise the evidence
  paper,          // the paper's code: least weighted error, noise and prior fixed (see paper_fit.h)
};

struct EvidenceSettings {
  BandwidthRule bandwidth = BandwidthRule::evidence;
  // In standard deviations of an output: of the noise, which the weights' covariance is relative
  // to, and of what takes its place in predictions.
  double noise_floor = 1e-5, model_error = 1e-4;

  // Data from a small part of the region of interest cannot tell a bent function from a straight
  // one, nor a large one from a small one: the evidence is flat, and its maximum may be sure of
  // nonsense. So of explanations that are about as good, the one that claims to know least is
  // preferred: one nat of uncertainty, averaged over the region, is worth `caution` nats of
  // evidence; less where the data determine so little that caution alone would decide.
  double caution = 6;
  Matrix region{};  // inputs where the model will be asked, one a column; none: no caution

  // Whether a transition that noise does not explain counts for less.
  bool set_outliers_aside = false;

  int starts = 32;  // points that are tried; the best few are followed
  int threads = 1;
  std::uint64_t seed = 1;
  StopSignal stop{};  // checked at every evaluation
};

struct EvidenceFit {
  Hyperparameters hyperparameters;
  double log_evidence;  // of the data in the units of the observations
  double caution;       // in force
  double objective;     // what was maximised: evidence of the standardised outputs, and caution
  std::vector<std::string> at_bound;  // parameters that ended at a bound
  int evaluations;                    // on all data
};

// `previous` is one more start. Throws InputError where there is no data or it is not finite.
EvidenceFit maximize_evidence(const FourierFeatures& draw, const Transitions& data,
                              const Standardization& standardization,
                              const EvidenceSettings& settings,
                              const std::optional<Hyperparameters>& previous = std::nullopt);

// Hyperparameters that explain the data about as well as the best: drawn from Laplace's
// approximation of what is believed of them. Few data leave some of them nearly free, and a model
// that is sure of the best ones is sure of too much.
std::vector<Hyperparameters> plausible_hyperparameters(const FourierFeatures& draw,
                                                       const Transitions& data,
                                                       const Standardization& standardization,
                                                       const EvidenceSettings& settings,
                                                       const Hyperparameters& best, int count);

}  // namespace rhc
