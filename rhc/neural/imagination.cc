#include "rhc/neural/imagination.h"

#include <cmath>

#include "rhc/neural/jensen_renyi.h"

namespace rhc {

namespace {

// The next observations, as one member each believes, drawn at random.
Tensor draw_next(const Ensemble& ensemble, const EnsemblePrediction& prediction,
                 const Tensor& observations, RandomStream& randomness) {
  const Index n = observations.size(0), d = observations.size(1);
  const Tensor member =
      integers_below(ensemble.members(), n, randomness, observations.device()).view({1, n, 1});
  const auto of_member = [&](const Tensor& values) {
    return values.gather(0, member.expand({1, n, d})).squeeze(0);
  };
  const Tensor noise = normals({n, d}, randomness, observations.device());
  const Tensor difference =
      at::addcmul(of_member(prediction.means), of_member(prediction.variances).sqrt(), noise);
  const Scaling& scaling = ensemble.output_scaling();
  return observations + difference * scaling.deviation + scaling.mean;
}

void put_on_circles(const std::vector<AnglePair>& angles, Tensor& observations) {
  for (const auto& [cosine, sine] : angles) {
    Tensor c = observations.select(1, cosine), s = observations.select(1, sine);
    const Tensor radius = at::hypot(c, s).clamp_min(1e-6);
    c.div_(radius);
    s.div_(radius);
  }
}

}  // namespace

Tensor utility(const EnsemblePrediction& prediction, double variance_share) {
  const double most = std::exp(Ensemble::kMostLogVariance);
  return jensen_renyi(prediction.means,
                      prediction.variances * variance_share + most * (1 - variance_share));
}

SacLosses train_in_imagination(const Ensemble& ensemble, const ImaginedWorld& world,
                               const ImaginationSettings& settings, Sac& policy,
                               RandomStream& randomness,
                               const std::function<void()>& between_updates) {
  const at::Device device = ensemble.input_scaling().mean.device();
  const Index n = settings.actors, m = world.action_bounds.size(), d = world.start.size();
  const Tensor start = rows_of(world.start, device);
  const Tensor least = rows_of(world.limits.lower, device);
  const Tensor most = rows_of(world.limits.upper, device);
  const Tensor middle =
      rows_of((world.action_bounds.upper + world.action_bounds.lower) / 2, device);
  const Tensor half = rows_of((world.action_bounds.upper - world.action_bounds.lower) / 2, device);
  const Scaling seen = ensemble.input_scaling().first(d);

  SacLosses losses;
  Tensor observations = start.expand({n, d}).clone();
  for (Index t = 0; t < settings.steps; ++t) {
    if (between_updates) between_updates();
    const bool warm = t < settings.warm_up * world.horizon;
    const Tensor standardized = seen.apply(observations);
    const Tensor actions =
        warm ? uniforms({n, m}, randomness, device) : policy.act(standardized, &randomness);
    const EnsemblePrediction prediction =
        ensemble.predict(at::cat({observations, middle + half * actions}, 1));
    Tensor next = draw_next(ensemble, prediction, observations, randomness);
    put_on_circles(world.angles, next);
    const Tensor inside = ((next >= least) & (next <= most)).all(1);
    policy.memory().add({standardized, actions, utility(prediction, settings.variance_share),
                         seen.apply(next), inside.to(at::kFloat)});
    const bool over = (t + 1) % world.horizon == 0;
    observations =
        over ? start.expand({n, d}).clone() : at::where(inside.unsqueeze(1), next, start);
    if (warm) continue;
    losses = policy.update(randomness);
    if (!losses.finite()) break;
  }
  return losses;
}

}  // namespace rhc
