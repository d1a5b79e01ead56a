#include "rhc/plan/mean_dynamics.h"

#include <algorithm>

#include "rhc/core/sine_cosine.h"
#include "rhc/model/circle.h"

namespace rhc {

MeanDynamics::MeanDynamics(const PlanningModel& model, Index horizon) : model_(model) {
  const Index M = model.features(), n = model.Q.cols(), nx = model.states();
  first_.resize(M, nx * n);
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j < nx; ++j)
      first_.col(k * nx + j) = model.W.col(j).cwiseProduct(model.Q.col(k));
  second_.resize(M, n * (n + 1) / 2);
  for (Index k = 0, at = 0; k < n; ++k)
    for (Index l = 0; l <= k; ++l) second_.col(at++) = model.Q.col(k).cwiseProduct(model.Q.col(l));
  // What is affine does not bend.
  second_.bottomRows(model.affine).setZero();
  block_.resize(std::max(first_.cols(), second_.cols()), horizon);
  slope_.resize(M, horizon);
  multipliers_.resize(nx, horizon);
  along_.resize(n);
  across_.resize(n);
}

void MeanDynamics::step(Rollout& rollout, Index t) const {
  const Index nx = states();
  auto phi = rollout.phi.col(t);
  phi = model_.phase;
  for (Index k = 0; k < nx; ++k) phi += rollout.states(k, t) * model_.Q.col(k);
  for (Index k = 0; k < actions(); ++k) phi += rollout.actions(k, t) * model_.Q.col(nx + k);
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
  if (model_.known)
    next.head(model_.outputs) +=
        model_.known.change(rollout.states.col(t).head(model_.outputs), action(rollout, t));
  rollout.unprojected.col(t) = next;
  project_on_circles(model_.angles, next);
}

Vector MeanDynamics::action(const Rollout& rollout, Index t) const {
  Vector now = rollout.actions.col(t);
  if (model_.action_before >= 0)
    now += rollout.states.col(t).segment(model_.action_before, actions());
  return now;
}

Matrix MeanDynamics::known_jacobian(const Rollout& rollout, Index t) const {
  const Index nx = states(), D = model_.outputs;
  const Matrix own =
      jacobian_of_known(model_.known, rollout.states.col(t).head(D), action(rollout, t));
  Matrix lifted = Matrix::Zero(D, nx + actions());
  lifted.leftCols(D) = own.leftCols(D);
  lifted.rightCols(actions()) = own.rightCols(actions());
  if (model_.action_before >= 0)
    lifted.middleCols(model_.action_before, actions()) += own.rightCols(actions());
  return lifted;
}

void MeanDynamics::linearize(const Rollout& rollout, Matrix& F) const {
  const Index nx = states(), n = nx + actions(), T = rollout.horizon();
  // F is stored as T blocks of n columns of nx entries: one column of the product a block.
  Eigen::Map<Matrix>(F.data(), nx * n, T).noalias() = first_.transpose() * rollout.cosine;
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
  g.noalias() += model_.Q.transpose() * slope_;
}

void MeanDynamics::add_curvature(const Rollout& rollout, const Matrix& multipliers,
                                 Matrix& feature_slope, Matrix& H) const {
  const Index nx = states(), n = nx + actions(), T = rollout.horizon();
  multipliers_ = multipliers;
  for (Index t = 0; t < T; ++t) {
    const bool knows = model_.known && !model_.angles.empty();
    const Matrix known = knows ? known_jacobian(rollout, t) : Matrix();
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
        double c = first_.col(k * nx + angle.cosine).dot(rollout.cosine.col(t));
        double s = first_.col(k * nx + angle.sine).dot(rollout.cosine.col(t));
        if (model_.carry.size() > 0) {
          c += model_.carry(angle.cosine, k);
          s += model_.carry(angle.sine, k);
        } else {
          if (k == angle.cosine) c += 1;
          if (k == angle.sine) s += 1;
        }
        if (known.size() > 0) {
          c += known(angle.cosine, k);
          s += known(angle.sine, k);
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
