#include "rhc/evaluate/best_achievable.h"

#include "rhc/model/fit_model.h"

namespace rhc {

Scores best_achievable(const System& system, const NoiseLevels& noise, Index features,
                       int transitions, EvidenceSettings settings, const TestSet& set) {
  settings.seed = 0;
  const Transitions data = draw_uniform_transitions(system, noise, transitions);
  const FourierFeatures draw =
      draw_features(features, system.spec().inputs(), RandomStream(settings.seed, "features"));
  return score(fit_model(draw, data, settings).model, set, settings.threads);
}

}  // namespace rhc
