// From data to all posteriors: which outputs share one is for the evidence to say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rhc/model/fit_model.h"
#include "rhc/model/regression.h"

namespace rhc {

enum class Sharing {
  shared,    // one posterior for all outputs
  separate,  // one for each, with an affine part
  evidence,  // one for all, unless one for each explains the data clearly better
};

// With affine features of what is learned from: a weight is by how much an output changes over a
// standard deviation of an input.
FourierFeatures with_affine_part(FourierFeatures draw, const Matrix& inputs);

// Whether next to nothing is left that noise has to explain.
bool explains_all(const Regression& regression);

// Whether each of them is the same at all steps.
bool never_changes(const Matrix& outputs);

// The draws of a run. Where outputs never have features of their own, `by_output` is empty.
struct FeatureDraws {
  FourierFeatures shared{};
  std::vector<FourierFeatures> by_output{};
};

// Where the last fits ended, from which the next begin.
struct LastFits {
  std::optional<Hyperparameters> shared{};
  std::vector<Hyperparameters> by_output{};  // none, or one for each
};

struct FittedRegression {
  Regression regression;
  LastFits last;
  double log_evidence;  // of the data in the units of the observations; not a number by the paper's
                        // rule
  std::vector<std::string> at_bound{};
  // Where some were set aside: as how many each transition counts, and how far its outputs are off
  // what the others tell, in deviations (D x N).
  Vector weights{};
  Matrix off{};
};

// What is known is not learned. `suspected`: as how many transitions each may count where that
// explains the others better, which is tried beside what the fit itself finds; empty: none is.
FittedRegression fit_regression(const FeatureDraws& draws, const Transitions& data, Sharing sharing,
                                const EvidenceSettings& settings, const LastFits& last = {},
                                const KnownMotion& known = {}, const Vector& suspected = {});

}  // namespace rhc
