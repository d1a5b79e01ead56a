#include "rhc/plan/mean_dynamics.h"

#include <algorithm>

#include "rhc/core/sine_cosine.h"
#include "rhc/model/circle.h"

namespace rhc {

MeanDynamics::MeanDynamics(const PlanningModel& model, Index horizon) : model_(model) {
  const Index M = model.features(), n = model.inputs(), nx = model.states();
  slope_.resize(M, horizon);
  multipliers_.resize(nx, horizon);
  along_.resize(n);
  across_.resize(n);
  if (!model.hidden.empty()) {
    argument_slope_.resize(M);
    reaching_.resize(model.hidden.back().width());
    return;
  }
  first_.resize(M, nx * n);
  take_weights();
  second_.resize(M, n * (n + 1) / 2);
  for (Index k = 0, at = 0; k < n; ++k)
    for (Index l = 0; l <= k; ++l) second_.col(at++) = model.Q.col(k).cwiseProduct(model.Q.col(l));
  // What is affine does not bend.
  second_.bottomRows(model.affine).setZero();
  block_.resize(std::max(first_.cols(), second_.cols()), horizon);
}

void MeanDynamics::take_weights() {
  if (!model_.hidden.empty()) return;
  const Index n = model_.inputs(), nx = model_.states();
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j < nx; ++j)
      first_.col(k * nx + j) = model_.W.col(j).cwiseProduct(model_.Q.col(k));
}

const Matrix& MeanDynamics::slopes_at(const Rollout& rollout, Index t) const {
  const Index n = model_.inputs(), before = model_.Q.cols() - n;
  input_.resize(n);
  input_ << rollout.states.col(t), rollout.actions.col(t);
  layers_.look(model_.hidden, input_, true);
  slopes_.resize(model_.features(), n);
  layers_.slope_of(model_.Q.leftCols(before), slopes_);
  slopes_ += model_.Q.rightCols(n);
  return slopes_;
}

void MeanDynamics::step(Rollout& rollout, Index t) const {
  const Index nx = states();
  auto phi = rollout.phi.col(t);
  phi = model_.phase;
  Index before = 0;  // what comes out of hidden layers
  if (!model_.hidden.empty()) {
    input_.resize(model_.inputs());
    input_ << rollout.states.col(t), rollout.actions.col(t);
    layers_.look(model_.hidden, input_, false);
    before = layers_.sine().size();
    phi.noalias() += model_.Q.leftCols(before) * layers_.sine();
  }
  for (Index k = 0; k < nx; ++k) phi += rollout.states(k, t) * model_.Q.col(before + k);
  for (Index k = 0; k < actions(); ++k)
    phi += rollout.actions(k, t) * model_.Q.col(before + nx + k);
  sine_cosine(phi.data(), static_cast<std::size_t>(model_.sines()), phi.data(),
              rollout.cosine.col(t).data());
  rollout.cosine.col(t).tail(model_.affine).setOnes();

  auto next = rollout.next.col(t);
  if (model_.carry.size() == 0) {
    for (Index j = 0; j < nx; ++j)
      next[j] = rollout.states(j, t) + model_.offset[j] + model_.W.col(j).dot(phi);
  } else {
    next.noalias() = model_.offset + model_.W.transpose() * phi;
    next.noalias() += model_.carry.leftCols(nx) * rollout.states.col(t);
    next.noalias() += model_.carry.rightCols(actions()) * rollout.actions.col(t);
  }
  if (model_.known) {
    move_as_known(model_.known, rollout.states.col(t).head(model_.outputs), action(rollout, t),
                  known_);
    next.head(model_.outputs) += known_.change;
  }
  rollout.unprojected.col(t) = next;
  project_on_circles(model_.angles, next);
}

const Vector& MeanDynamics::action(const Rollout& rollout, Index t) const {
  action_ = rollout.actions.col(t);
  if (model_.action_before >= 0)
    action_ += rollout.states.col(t).segment(model_.action_before, actions());
  return action_;
}

const Matrix& MeanDynamics::known_jacobian(const Rollout& rollout, Index t) const {
  const Index nx = states(), D = model_.outputs;
  jacobian_of_known(model_.known, rollout.states.col(t).head(D), action(rollout, t), known_,
                    of_known_);
  lifted_.setZero(D, nx + actions());
  lifted_.leftCols(D) = of_known_.leftCols(D);
  lifted_.rightCols(actions()) = of_known_.rightCols(actions());
  if (model_.action_before >= 0)
    lifted_.middleCols(model_.action_before, actions()) += of_known_.rightCols(actions());
  return lifted_;
}

const Matrix& MeanDynamics::network_jacobian(const Rollout& rollout, Index t) const {
  scaled_.noalias() = rollout.cosine.col(t).asDiagonal() * slopes_at(rollout, t);
  jacobian_.noalias() = model_.W.transpose() * scaled_;
  return jacobian_;
}

void MeanDynamics::linearize(const Rollout& rollout, Matrix& F) const {
  const Index nx = states(), n = nx + actions(), T = rollout.horizon();
  // F is stored as T blocks of n columns of nx entries: one column of the product a block.
  if (model_.hidden.empty())
    Eigen::Map<Matrix>(F.data(), nx * n, T).noalias() = first_.transpose() * rollout.cosine;
  else
    for (Index t = 0; t < T; ++t) F.middleCols(t * n, n) = network_jacobian(rollout, t);
  for (Index t = 0; t < T; ++t) {
    auto block = F.middleCols(t * n, n);
    if (model_.carry.size() == 0)
      block.leftCols(nx).diagonal().array() += 1;
    else
      block += model_.carry;
    if (model_.known) block.topRows(model_.outputs) += known_jacobian(rollout, t);
    for (const AnglePair& angle : model_.angles) {
      const Circle on(rollout.unprojected(angle.cosine, t), rollout.unprojected(angle.sine, t));
      // (I - r r') / length, with r the point on the circle.
      for (Index k = 0; k < n; ++k) {
        const double c = block(angle.cosine, k), s = block(angle.sine, k);
        const double across = (on.c * s - on.s * c) / on.length;
        block(angle.cosine, k) = -on.s * across;
        block(angle.sine, k) = on.c * across;
      }
    }
  }
}

void MeanDynamics::add_slope(const Rollout& rollout, const Matrix& feature_slope, Matrix& g) const {
  slope_ = feature_slope.cwiseProduct(rollout.cosine);
  if (model_.hidden.empty())
    g.noalias() += model_.Q.transpose() * slope_;
  else
    for (Index t = 0; t < rollout.horizon(); ++t)
      g.col(t).noalias() += slopes_at(rollout, t).transpose() * slope_.col(t);
}

void MeanDynamics::add_curvature(const Rollout& rollout, const Matrix& multipliers,
                                 Matrix& feature_slope, Matrix& H) const {
  const Index nx = states(), n = nx + actions(), T = rollout.horizon();
  multipliers_ = multipliers;
  for (Index t = 0; t < T; ++t) {
    const bool knows = model_.known && !model_.angles.empty();
    if (knows) known_jacobian(rollout, t);
    if (!model_.hidden.empty() && !model_.angles.empty()) network_jacobian(rollout, t);
    const auto before_projection = [&](Index row, Index k) {
      return model_.hidden.empty() ? first_.col(k * nx + row).dot(rollout.cosine.col(t))
                                   : jacobian_(row, k);
    };
    for (const AnglePair& angle : model_.angles) {
      const Circle on(rollout.unprojected(angle.cosine, t), rollout.unprojected(angle.sine, t));
      const double along = on.c * multipliers(angle.cosine, t) + on.s * multipliers(angle.sine, t);
      const double across = on.c * multipliers(angle.sine, t) - on.s * multipliers(angle.cosine, t);
      multipliers_(angle.cosine, t) = -on.s * across / on.length;
      multipliers_(angle.sine, t) = on.c * across / on.length;

      // The projection's own second derivative, in the directions along and across the radius:
      // [0, -across; -across, -along] / length^2. The model's Jacobian before the projection is
      // rebuilt for the two rows.
      for (Index k = 0; k < n; ++k) {
        double c = before_projection(angle.cosine, k);
        double s = before_projection(angle.sine, k);
        if (model_.carry.size() > 0) {
          c += model_.carry(angle.cosine, k);
          s += model_.carry(angle.sine, k);
        } else {
          if (k == angle.cosine) c += 1;
          if (k == angle.sine) s += 1;
        }
        if (knows) {
          c += lifted_(angle.cosine, k);
          s += lifted_(angle.sine, k);
        }
        along_[k] = on.c * c + on.s * s;
        across_[k] = on.c * s - on.s * c;
      }
      const double square = on.length * on.length;
      auto block = H.middleCols(t * n, n);
      for (Index k = 0; k < n; ++k)
        for (Index l = 0; l < n; ++l)
          block(l, k) -= (across * (along_[k] * across_[l] + across_[k] * along_[l]) +
                          along * across_[k] * across_[l]) /
                         square;
    }
  }

  // d2 sin = -sin: every feature adds -slope * phi * Q_i Q_i'.
  feature_slope.noalias() += model_.W * multipliers_;
  slope_ = feature_slope.cwiseProduct(rollout.phi);
  if (!model_.hidden.empty()) {
    // And every hidden layer does the same, by the slope that reaches it.
    slope_.bottomRows(model_.affine).setZero();
    const Index before = model_.hidden.back().width();
    for (Index t = 0; t < T; ++t) {
      const Matrix& Q = slopes_at(rollout, t);
      auto block = H.middleCols(t * n, n);
      scaled_.noalias() = slope_.col(t).asDiagonal() * Q;
      block.noalias() -= Q.transpose() * scaled_;
      argument_slope_ = feature_slope.col(t).cwiseProduct(rollout.cosine.col(t));
      reaching_.noalias() = model_.Q.leftCols(before).transpose() * argument_slope_;
      layers_.take_curvature(model_.hidden, reaching_, block);
    }
    return;
  }
  auto products = block_.topRows(second_.cols());
  products.noalias() = second_.transpose() * slope_;
  for (Index t = 0; t < T; ++t) {
    auto block = H.middleCols(t * n, n);
    for (Index k = 0, at = 0; k < n; ++k)
      for (Index l = 0; l <= k; ++l, ++at) {
        block(l, k) -= products(at, t);
        if (l < k) block(k, l) -= products(at, t);
      }
  }
}

}  // namespace rhc
