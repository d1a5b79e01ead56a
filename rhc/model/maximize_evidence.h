// The hyperparameters that explain the data best.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rhc/model/bayesian_linear_model.h"

namespace rhc {

enum class BandwidthRule {
  evidence,       // maximise the evidence
  mean_distance,  // mean pairwise distance; noise and prior still maximise the evidence
};

struct EvidenceSettings {
  BandwidthRule bandwidth = BandwidthRule::evidence;
  double noise_floor = 1e-4;  // in standard deviations of an output

  // Data from a small region cannot tell a bent function from a straight one, and a belief in
  // straight lines is overconfident elsewhere. So a bandwidth beyond `bandwidth_reach` mean
  // distances must be earned: each factor e costs `bandwidth_cost` nats.
  double bandwidth_reach = 25;
  double bandwidth_cost = 5;

  int starts = 32;  // points that are tried; the best few are followed
  int threads = 1;
  std::uint64_t seed = 1;
};

struct EvidenceFit {
  Hyperparameters hyperparameters;
  double log_evidence;                // of the data in the units of the observations
  double objective;                   // log evidence of the standardised outputs, less the bandwidths' cost
  std::vector<std::string> at_bound;  // parameters that ended at a bound
  int evaluations = 0;                // on all data
};

// `previous` is one more start. Throws InputError where there is no data or it is not finite.
EvidenceFit maximize_evidence(const FourierFeatures& draw, const Transitions& data,
                              const Standardization& standardization,
                              const EvidenceSettings& settings,
                              const std::optional<Hyperparameters>& previous = std::nullopt);

}  // namespace rhc
