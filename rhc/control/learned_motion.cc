#include "rhc/control/learned_motion.h"

#include <utility>

namespace rhc {

namespace {

// All but those that are known to go on by a speed which is observed, too. A model of all of the
// motion is none that is known in this sense.
std::vector<Index> disturbed_outputs(const DynamicsModel& model, bool remove_offset) {
  std::vector<Index> result;
  if (!remove_offset) return result;
  const KnownMotion& known = model.regression.known;
  Vector goes_on = Vector::Zero(model.outputs());
  if (known && !known.whole)
    for (const double size : {0.3, 0.7})
      goes_on += known
                     .change(Vector::LinSpaced(model.outputs(), size, 2 * size),
                             Vector::Zero(model.shape.acted))
                     .cwiseAbs();
  for (Index i = 0; i < model.outputs(); ++i)
    if (goes_on[i] == 0) result.push_back(i);
  return result;
}

// What whole trajectories leave possible, as weights over the features of all groups.
std::vector<Matrix> drawn_offsets(const DynamicsModel& model) {
  std::vector<Matrix> result;
  Regression other = model.regression;
  const PlanningModel mean = mean_model_of(model);
  PlanningModel drawn = mean;
  for (const std::vector<Matrix>& weights : model.weight_draws) {
    for (std::size_t g = 0; g < weights.size(); ++g) other.groups[g].posterior.weights = weights[g];
    take_weights(other, drawn);
    result.push_back(drawn.W - mean.W);
  }
  return result;
}

}  // namespace

LearnedMotion::LearnedMotion(const DynamicsModel& model, const SystemSpec& spec, Index horizon,
                             bool remove_offset)
    : layout(layout_of(model.shape, spec.safety.rate.size() > 0)),
      planned(layout.lift(mean_model_of(model))),
      dynamics(planned, horizon),
      online(model.regression),
      disturbed(disturbed_outputs(model, remove_offset)),
      noise(model.regression.noise_variance().cwiseSqrt()),
      sensor_variance(model.sensor_noise().cwiseAbs2()),
      process_variance(model.process_noise().cwiseAbs2()),
      offset_(planned.offset),
      disturbance_(Vector::Zero(model.outputs())),
      left_(model.outputs()),
      before_(model.outputs()),
      after_(model.outputs()),
      draws_(drawn_offsets(model)) {}

void LearnedMotion::set_disturbance(const Eigen::Ref<const Vector>& disturbance) {
  disturbance_ = disturbance;
  planned.offset.head(layout.observed) = offset_.head(layout.observed) + disturbance_;
}

Rollout LearnedMotion::one_step() const {
  return {dynamics.states(), dynamics.actions(), dynamics.features(), 1};
}

void LearnedMotion::doubt(const Rollout& at, Eigen::Ref<Vector> variance) {
  if (draws_.empty() || learned_) {
    online.doubt(at.phi.col(0), variance);
    return;
  }
  variance.setZero();
  for (const Matrix& off : draws_) {
    before_.noalias() = off.transpose() * at.phi.col(0);
    variance += before_.cwiseAbs2() / static_cast<double>(draws_.size());
  }
}

void LearnedMotion::learn(const Rollout& at, const Eigen::Ref<const Vector>& after,
                          Eigen::Ref<Vector> given_up) {
  const Index D = layout.observed;
  const auto phi = at.phi.col(0);
  before_.noalias() = planned.W.leftCols(D).transpose() * phi;
  // The change that is seen, less what is known of it.
  left_ = after - at.unprojected.col(0).head(D) + before_ + planned.offset.head(D);
  online.learn_features(phi, left_);
  online.solve();
  take_weights(online.regression, planned);
  dynamics.take_weights();
  learned_ = true;
  after_.noalias() = planned.W.leftCols(D).transpose() * phi;
  given_up = after_ - before_;
}

}  // namespace rhc
