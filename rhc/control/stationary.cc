#include "rhc/control/stationary.h"

#include <algorithm>
#include <cmath>

#include "rhc/control/control_task.h"
#include "rhc/model/circle.h"

namespace rhc {

namespace {

// Of the largest weight: what has none stays where it is, as far as it may.
constexpr double kLeastPull = 1e-7;
// Of an action that would leave its bounds.
constexpr double kHeldAction = 1e6;
// Steps of the Riccati equation where there is no solution yet, for one where there is.
constexpr int kMoreSteps = 10;
// Of the cost to go: who has only this share of it left is on the way to rest.
constexpr double kReached = 0.01;
constexpr double kAtRest = 1e-8;  // of a state's size, by which an equilibrium may still move

}  // namespace

Stationary::Stationary(LearnedMotion& motion, const SystemSpec& spec, const Box& control_bounds)
    : motion_(motion),
      action_bounds_(spec.action_bounds),
      control_bounds_(control_bounds),
      rest_(action_at_rest(spec)),
      nx_(motion.dynamics.states()),
      nu_(motion.dynamics.actions()),
      state_(Vector::Zero(nx_)),
      control_(Vector::Zero(nu_)),
      action_(Vector::Zero(nu_)),
      tail_(Matrix::Zero(nx_, nx_)),
      gain_(Matrix::Zero(nu_, nx_)),
      at_(motion.one_step()),
      F_(nx_, nx_ + nu_),
      H_(nx_ + nu_, nx_ + nu_),
      program_(Matrix::Zero(2 * nx_ + nu_, 2 * nx_ + nu_)),
      weight_(nx_ + nu_),
      wanted_(nx_ + nu_),
      right_(2 * nx_ + nu_),
      change_(2 * nx_ + nu_),
      off_(nx_),
      moved_(nx_),
      tried_(nu_),
      solver_(2 * nx_ + nu_),
      PF_(nx_, nx_ + nu_),
      M_(nx_ + nu_, nx_ + nu_),
      next_(nx_, nx_),
      Muu_(nu_, nu_),
      gain_next_(nu_, nx_),
      inverse_(nx_, nx_),
      small_(nu_),
      large_(nx_) {}

// Gauss-Newton: the weighted distance from what is wanted, under the linearised condition that
// nothing moves.
bool Stationary::improve(int iterations) {
  const Index n = nx_ + nu_;
  double moves = kInfinity;
  const auto look = [&] {
    at_.states.col(0) = state_;
    at_.actions.col(0) = control_;
    motion_.step(at_);
    moves = (at_.next.col(0) - state_).cwiseAbs().maxCoeff();
  };
  look();
  for (int i = 0; i < iterations && std::isfinite(moves); ++i) {
    motion_.dynamics.linearize(at_, F_);
    program_.setZero();
    program_.diagonal().head(n) = weight_;
    program_.bottomLeftCorner(nx_, n) = F_;
    program_.bottomLeftCorner(nx_, nx_).diagonal().array() -= 1;
    program_.topRightCorner(n, nx_) = program_.bottomLeftCorner(nx_, n).transpose();
    // What cannot be brought to rest in this direction is left, where that is singular.
    program_.diagonal().tail(nx_).setConstant(-1e-11);
    right_.head(nx_) = wanted_.head(nx_) - state_;
    right_.segment(nx_, nu_) = wanted_.tail(nu_) - control_;
    right_.head(n).array() *= weight_.array();
    right_.tail(nx_) = state_ - at_.next.col(0);
    solver_.compute(program_);
    change_ = solver_.solve(right_);
    if (!change_.allFinite()) return false;
    state_ += change_.head(nx_);
    control_ += change_.segment(nx_, nu_);
    project_on_circles(motion_.planned.angles, state_.head(motion_.layout.observed));
    const double size = 1 + state_.cwiseAbs().maxCoeff();
    look();
    if (moves <= kAtRest * size && change_.head(n).cwiseAbs().maxCoeff() <= 1e-6 * size) break;
  }
  return moves <= kAtRest * (1 + state_.cwiseAbs().maxCoeff());
}

bool Stationary::settle(const TaskCost& cost, const Eigen::Ref<const Vector>& target,
                        const Eigen::Ref<const Vector>& state) {
  const Layout& layout = motion_.layout;
  const Index D = layout.observed;
  for (Index back = 0; back < layout.history; ++back)
    for (Index i = 0; i < D; ++i) state_[back * D + i] = cost.weight[i] > 0 ? target[i] : state[i];
  project_on_circles(motion_.planned.angles, state_.head(D));
  for (Index back = 1; back < layout.history; ++back) state_.segment(back * D, D) = state_.head(D);
  for (Index i = 0; i < layout.actions_before() * layout.acted; ++i)
    state_[layout.first_action() + i] = rest_[i % layout.acted];
  if (layout.changes)
    control_.setZero();
  else
    control_ = rest_;
  settled_ = true;
  return follow(cost, target);
}

bool Stationary::follow(const TaskCost& cost, const Eigen::Ref<const Vector>& target) {
  const Layout& layout = motion_.layout;
  const Index D = layout.observed;
  if (!settled_) return false;
  const double most = std::max(cost.weight.maxCoeff(), 1e-300);
  weight_.setConstant(kLeastPull);
  wanted_.head(nx_) = state_;
  wanted_.tail(nu_) = control_;
  for (Index i = 0; i < D; ++i) {
    if (!(cost.weight[i] > 0)) continue;
    weight_[i] = cost.weight[i] / most;
    wanted_[i] = target[i];
  }
  // The action is part of the state where its changes are limited.
  const Index acts = layout.changes ? layout.first_action() : nx_;
  const auto actions = [&] {
    return layout.changes ? state_.segment(acts, nu_) : control_.segment(0, nu_);
  };
  constexpr int kIterations = 30;
  settled_ = improve(kIterations);
  bool outside = false;
  for (Index i = 0; i < nu_ && settled_; ++i) {
    const double inside =
        std::clamp(actions()[i], action_bounds_.lower[i], action_bounds_.upper[i]);
    if (inside == actions()[i]) continue;
    outside = true;
    weight_[acts + i] = kHeldAction;
    wanted_[acts + i] = inside;
  }
  if (outside) settled_ = improve(kIterations);
  action_ = actions().cwiseMax(action_bounds_.lower).cwiseMin(action_bounds_.upper);
  return settled_;
}

bool Stationary::regulate(const TaskCost& cost, int steps, bool anew) {
  if (!settled_) return regulated_ = false;
  if (!regulated_) steps *= kMoreSteps;
  at_.states.col(0) = state_;
  at_.actions.col(0) = control_;
  motion_.step(at_);
  motion_.dynamics.linearize(at_, F_);
  stage_curvature(cost, motion_.layout, H_);
  if (anew) {
    tail_ = H_.topLeftCorner(nx_, nx_);
    regulated_ = false;
  }
  const double least = 1e-12 * std::max(H_.cwiseAbs().maxCoeff(), 1e-300);
  double moved = kInfinity;
  // A cost to go that settles more slowly than in this many steps is none that a plan could use.
  constexpr double kSettled = 1e-9, kUsable = 1e-5, kStillUsable = 0.02;
  for (int i = 0; i < steps && moved > kSettled; ++i) {
    PF_.noalias() = tail_ * F_;
    M_.noalias() = F_.transpose() * PF_;
    M_ += H_;
    Muu_ = M_.bottomRightCorner(nu_, nu_);
    Muu_.diagonal().array() += least;
    small_.compute(Muu_);
    gain_next_ = -M_.bottomLeftCorner(nu_, nx_);
    small_.solveInPlace(gain_next_);
    next_ = M_.topLeftCorner(nx_, nx_);
    next_.noalias() += M_.topRightCorner(nx_, nu_) * gain_next_;
    const double size = next_.cwiseAbs().maxCoeff();
    if (!std::isfinite(size) || !gain_next_.allFinite() || size > 1e14 * H_.maxCoeff()) {
      tail_ = H_.topLeftCorner(nx_, nx_);  // from where the next call tries again
      return regulated_ = false;
    }
    inverse_ = next_ - tail_;
    moved = inverse_.cwiseAbs().maxCoeff() / std::max(size, 1e-300);
    tail_ = next_;
    next_ = tail_.transpose();
    tail_ = 0.5 * (tail_ + next_);
    gain_ = gain_next_;
  }
  regulated_ = moved <= (regulated_ ? kStillUsable : kUsable);
  if (regulated_) size_region();
  return regulated_;
}

// The largest ellipsoid of the cost to go that touches no bound of the regulator: over it, a row k
// of the gain is at most sqrt(region k P^-1 k').
void Stationary::size_region() {
  next_ = tail_;
  next_.diagonal().array() += 1e-9 * tail_.diagonal().maxCoeff() + 1e-300;
  large_.compute(next_);
  inverse_.setIdentity();
  large_.solveInPlace(inverse_);
  region_ = kInfinity;
  const auto bound = [&](double room, double reach) {
    region_ = std::min(region_, room * room / std::max(reach, 1e-300));
  };
  for (Index i = 0; i < nu_; ++i) {
    gain_next_.noalias() = gain_ * inverse_;
    bound(std::min(control_bounds_.upper[i] - control_[i], control_[i] - control_bounds_.lower[i]),
          gain_next_.row(i).dot(gain_.row(i)));
    if (!motion_.layout.changes) continue;
    const Index at = motion_.layout.first_action() + i;
    bound(std::min(action_bounds_.upper[i] - state_[at], state_[at] - action_bounds_.lower[i]),
          inverse_(at, at));
  }
}

void Stationary::control_at(const Eigen::Ref<const Vector>& state, Eigen::Ref<Vector> control) {
  off_ = state - state_;
  control = control_;
  control.noalias() += gain_ * off_;
  control = control.cwiseMax(control_bounds_.lower).cwiseMin(control_bounds_.upper);
}

double Stationary::cost_to_go(const Eigen::Ref<const Vector>& state) {
  off_ = state - state_;
  moved_.noalias() = tail_ * off_;
  return off_.dot(moved_);
}

bool Stationary::holds_from(const Eigen::Ref<const Vector>& state) {
  if (!regulated()) return false;
  const double now = cost_to_go(state);
  if (!(now <= region_)) return false;
  control_at(state, tried_);
  at_.states.col(0) = state;
  at_.actions.col(0) = tried_;
  change_.head(nx_) = off_;
  change_.segment(nx_, nu_) = tried_ - control_;
  right_.head(nx_ + nu_).noalias() = H_ * change_.head(nx_ + nu_);
  const double paid = change_.head(nx_ + nu_).dot(right_.head(nx_ + nu_));
  motion_.step(at_);
  return cost_to_go(at_.next.col(0)) <= now - 0.3 * paid + 1e-9 * region_;
}

bool Stationary::reached(const Rollout& regulated_rollout) {
  if (!regulated() || !regulated_rollout.states.allFinite()) return false;
  const auto last = regulated_rollout.states.rightCols(1);
  return holds_from(last.col(0)) ||
         cost_to_go(last.col(0)) <= kReached * cost_to_go(regulated_rollout.states.col(0));
}

}  // namespace rhc
