#include "rhc/model/possible_systems.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "rhc/model/circle.h"

namespace rhc {

PossibleSystems::PossibleSystems(const DynamicsModel& model, const Trajectory& before, Index count,
                                 RandomStream randomness)
    : shape_(model.shape),
      reach_(model.reach),
      sensor_noise_(model.sensor_noise()),
      process_noise_(model.process_noise()),
      randomness_(randomness) {
  const bool whole = !model.weight_draws.empty();
  const auto fits = std::max<Index>(1, static_cast<Index>(model.possible.size()) + (whole ? 1 : 0));
  const Index pairs = std::max<Index>(1, count / (2 * fits));
  const auto next = [&] { return static_cast<Index>(parts_.size()) * 2 * pairs; };
  for (const auto& fit : model.possible) add(*fit, next(), 2 * pairs);
  if (whole) add_drawn(model, next(), 2 * pairs);
  if (parts_.empty()) add(model.regression, 0, 2 * pairs);
  place(before);
}

void PossibleSystems::begin(const Trajectory& before, RandomStream randomness) {
  randomness_ = randomness;
  place(before);
}

// Each was measured with an error of its own; what is not known is as the oldest that is.
void PossibleSystems::place(const Trajectory& before) {
  const Index D = shape_.observed, k = shape_.acted, history = shape_.history;
  const Index all = parts_.back().first + parts_.back().count;
  const Index known = std::min(history, before.observations.cols());
  observed_.resize(history * D, all);
  acted_ = shape_.action_at_rest.replicate(history - 1, all);
  for (Index back = known - 1; back >= 0; --back) {
    states_ = before.observations.rightCols(back + 1).col(0).replicate(1, all);
    states_ += noise(sensor_noise_);
    project();
    observed_.middleRows(back * D, D) = states_;
    if (back > 0)
      acted_.middleRows((back - 1) * k, k).colwise() = before.actions.rightCols(back).col(0);
  }
  for (Index back = known; back < history; ++back)
    observed_.middleRows(back * D, D) = observed_.middleRows((known - 1) * D, D);
}

void PossibleSystems::add(const Regression& regression, Index first, Index count) {
  Part part{regression, first, count,
            std::vector<Matrix>(static_cast<std::size_t>(regression.outputs()))};
  for (const auto& [outputs, posterior] : regression.groups)
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const auto column = static_cast<Index>(k);
      Matrix off(posterior.features.count(), count / 2);
      for (double& value : off.reshaped()) value = posterior.noise[column] * randomness_.normal();
      posterior.factor.transpose().triangularView<Eigen::Upper>().solveInPlace(off);
      Matrix& weights = part.weights[static_cast<std::size_t>(outputs[k])];
      weights = posterior.weights.col(column).replicate(1, count);
      weights.leftCols(count / 2) += off;
      weights.rightCols(count / 2) -= off;
    }
  parts_.push_back(std::move(part));
}

// Draws that err to either side of the mean come one after the other.
void PossibleSystems::add_drawn(const DynamicsModel& model, Index first, Index count) {
  Part part{model.regression, first, count,
            std::vector<Matrix>(static_cast<std::size_t>(model.outputs()))};
  const auto draws = static_cast<Index>(model.weight_draws.size());
  for (std::size_t g = 0; g < model.regression.groups.size(); ++g) {
    const auto& [outputs, posterior] = model.regression.groups[g];
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      Matrix& weights = part.weights[static_cast<std::size_t>(outputs[k])];
      weights.resize(posterior.features.count(), count);
      for (Index s = 0, half = count / 2; s < count; ++s) {
        const Index draw = (2 * (s % half) + s / half) % draws;
        weights.col(s) =
            model.weight_draws[static_cast<std::size_t>(draw)][g].col(static_cast<Index>(k));
      }
    }
  }
  parts_.push_back(std::move(part));
}

void PossibleSystems::step(const Vector& action) {
  const Index D = shape_.observed, k = shape_.acted, past = shape_.history - 1;
  inputs_.resize(shape_.inputs(), count());
  inputs_.topRows(observed_.rows()) = observed_;
  inputs_.middleRows(observed_.rows(), acted_.rows()) = acted_;
  inputs_.bottomRows(k).colwise() = action;

  change_.resize(D, count());
  for (const Part& part : parts_)
    for (const auto& [outputs, posterior] : part.regression.groups) {
      posterior.features.evaluate(inputs_.middleCols(part.first, part.count), phi_);
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Matrix& weights = part.weights[static_cast<std::size_t>(outputs[i])];
        const auto column = static_cast<Index>(i);
        auto change = change_.row(outputs[i]).segment(part.first, part.count);
        change = posterior.outputs.scale[column] * weights.cwiseProduct(phi_).colwise().sum();
        change.array() += posterior.outputs.mean[column];
      }
    }
  if (const KnownMotion& known = parts_[0].regression.known)
    change_ += known_changes(known, inputs_, D);
  states_ += change_ + noise(process_noise_);
  project();
  if (past > 0) {
    observed_.bottomRows(past * D) = observed_.topRows(past * D).eval();
    acted_.bottomRows((past - 1) * k) = acted_.topRows((past - 1) * k).eval();
    acted_.topRows(k).colwise() = action;
  }
  observed_.topRows(D) = states_;
}

Vector PossibleSystems::middle() {
  Vector middle(states_.rows());
  for (Index i = 0; i < middle.size(); ++i) {
    values_.assign(states_.row(i).begin(), states_.row(i).end());
    const auto quarter = static_cast<std::ptrdiff_t>(values_.size() / 4);
    const auto lower = values_.begin() + quarter, upper = values_.end() - quarter;
    std::nth_element(values_.begin(), lower, values_.end());
    std::nth_element(lower, upper, values_.end());
    middle[i] = std::accumulate(lower, upper, 0.0) / static_cast<double>(upper - lower);
  }
  project_on_circles(shape_.angles, middle);
  return middle;
}

Matrix PossibleSystems::measured() { return states_ + noise(sensor_noise_); }

void PossibleSystems::project() {
  for (Index s = 0; s < count(); ++s) {
    project_on_circles(shape_.angles, states_.col(s));
    // A straight line that no data hold would run on for ever; no machine does.
    if (reach_.size() > 0) states_.col(s) = reach_.clip(states_.col(s));
  }
}

// The two of a pair, next to each other in the halves of a part, are disturbed in opposite ways.
Matrix PossibleSystems::noise(const Vector& deviation) {
  Matrix result(shape_.observed, parts_.back().first + parts_.back().count);
  for (const Part& part : parts_)
    for (Index s = 0, half = part.count / 2; s < half; ++s)
      for (Index i = 0; i < shape_.observed; ++i) {
        const double off = deviation[i] > 0 ? deviation[i] * randomness_.normal() : 0;
        result(i, part.first + s) = off;
        result(i, part.first + half + s) = -off;
      }
  return result;
}

}  // namespace rhc
