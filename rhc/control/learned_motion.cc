#include "rhc/control/learned_motion.h"

#include <cmath>
#include <utility>

namespace rhc {

namespace {

// Which observations go on by a speed that is observed, too: that is known of them. A model of all
// of the motion is none that is known in this sense.
Vector goes_on(const DynamicsModel& model) {
  const KnownMotion& known = model.regression.known;
  Vector changes = Vector::Zero(model.outputs());
  if (known && !known.whole)
    for (const double size : {0.3, 0.7})
      changes += known
                     .change(Vector::LinSpaced(model.outputs(), size, 2 * size),
                             Vector::Zero(model.shape.acted))
                     .cwiseAbs();
  return changes;
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

// What the columns of all actions that a prediction is made from add up to.
Matrix sum_of_actions(const Layout& layout, const ConstMatrixRef& by_state_and_control) {
  Matrix sum = Matrix::Zero(by_state_and_control.rows(), layout.acted);
  // The last action is the one before it and its change: the state's column has both.
  if (!layout.changes) sum = by_state_and_control.rightCols(layout.acted);
  for (Index back = 0; back < layout.actions_before(); ++back)
    sum +=
        by_state_and_control.middleCols(layout.first_action() + back * layout.acted, layout.acted);
  return sum;
}

}  // namespace

LearnedMotion::LearnedMotion(const DynamicsModel& model, const SystemSpec& spec, Index horizon,
                             bool remove_offset)
    : layout(layout_of(model.shape, spec.safety.rate.size() > 0)),
      planned(layout.lift(mean_model_of(model))),
      dynamics(planned, horizon),
      online(model.regression),
      sensor_variance(model.sensor_noise().cwiseAbs2()),
      process_variance(model.process_noise().cwiseAbs2()),
      acts_(remove_offset ? layout.acted : 0),
      noise_variance_(model.regression.noise_variance()),
      offset_(planned.offset),
      phase_(planned.phase),
      first_phase_(planned.hidden.empty() ? Vector() : planned.hidden.front().phase),
      shift_(sum_of_actions(layout, planned.Q.rightCols(planned.inputs()))),
      on_actions_(Vector::Zero(layout.acted)),
      on_changes_(Vector::Zero(model.outputs())),
      left_(model.outputs()),
      before_(model.outputs()),
      after_(model.outputs()),
      draws_(drawn_offsets(model)) {
  if (!planned.hidden.empty())
    first_shift_ = sum_of_actions(layout, planned.hidden.front().weights);
  directions_.resize(model.outputs(), 0);
  if (remove_offset) find_directions(model);
  rests_at(spec.task.target);
  // What is known of the motion sees the action as it arrives, too.
  if (!planned.known || !planned.known.whole) return;
  planned.known.in_place = [this, known = model.regression.known](KnownStep& step) {
    step.action += on_actions_;
    if (known.in_place)
      known.in_place(step);
    else
      step.change = known.change(step.observation, step.action);
  };
  planned.known.change = change_by(planned.known.in_place);
}

void LearnedMotion::find_directions(const DynamicsModel& model) {
  Vector known = goes_on(model);
  std::vector<AnglePair> angles;
  for (const AnglePair& angle : model.shape.angles) {
    if (known[angle.cosine] == 0 || known[angle.sine] == 0) angles.push_back(angle);
    known[angle.cosine] = known[angle.sine] = 1;
  }
  const Index plain = (known.array() == 0).count(), turned = static_cast<Index>(angles.size());
  directions_.setZero(model.outputs(), plain + turned);
  Index k = 0;
  for (Index i = 0; i < model.outputs(); ++i)
    if (known[i] == 0) directions_(i, k++) = 1;
  for (const AnglePair& angle : angles) {
    directions_(angle.sine, k) = 1;
    turned_.push_back({angle, k++});
  }
  disturbance_.setZero(disturbances());
}

void LearnedMotion::rests_at(const Eigen::Ref<const Vector>& observation) {
  for (const auto& [angle, k] : turned_) {
    const double c = observation[angle.cosine], s = observation[angle.sine];
    const double size = std::hypot(c, s);
    if (!(size > 0)) continue;
    directions_(angle.cosine, k) = -s / size;
    directions_(angle.sine, k) = c / size;
  }
  set_disturbance(disturbance_);
}

void LearnedMotion::set_disturbance(const Eigen::Ref<const Vector>& disturbance) {
  if (disturbance.size() == 0) return;
  disturbance_ = disturbance;
  on_actions_ = disturbance.head(acts_);
  on_changes_.noalias() = directions_ * disturbance.tail(directions_.cols());
  planned.offset.head(layout.observed) = offset_.head(layout.observed) + on_changes_;
  planned.phase = phase_;
  for (Index i = 0; i < acts_; ++i) planned.phase += on_actions_[i] * shift_.col(i);
  if (planned.hidden.empty()) return;
  planned.hidden.front().phase = first_phase_;
  for (Index i = 0; i < acts_; ++i)
    planned.hidden.front().phase += on_actions_[i] * first_shift_.col(i);
}

void LearnedMotion::slope_of_disturbance(const Matrix& F, Eigen::Ref<Matrix> slope) const {
  const Index D = layout.observed, nx = dynamics.states();
  slope.setZero();
  for (Index i = 0; i < acts_; ++i) {
    if (!layout.changes) slope.col(i).head(D) = F.col(nx + i).head(D);
    for (Index back = 0; back < layout.actions_before(); ++back)
      slope.col(i).head(D) += F.col(layout.first_action() + back * layout.acted + i).head(D);
  }
  slope.topRightCorner(D, directions_.cols()) = directions_;
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

bool LearnedMotion::tells(const Rollout& at, double share) {
  online.doubt(at.phi.col(0), left_);
  return (left_.array() >= share * noise_variance_.array()).any();
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
