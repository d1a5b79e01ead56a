#include "rhc/describe/action_delay.h"

#include <Eigen/QR>
#include <cmath>
#include <numbers>

#include "rhc/describe/log_profile.h"

namespace rhc {

namespace {

constexpr Index kLatest = 5, kFewestToCompare = 40, kMostCompared = 20000;

// One, each number, and of an angle its cosine and sine; a row a column.
Matrix state_rows(const std::vector<DelayColumn>& observations, Index rows) {
  Matrix state = Matrix::Ones(1, rows);
  const auto add = [&](const Eigen::RowVectorXd& row) {
    state.conservativeResize(state.rows() + 1, rows);
    state.row(state.rows() - 1) = row;
  };
  for (const DelayColumn& column : observations) {
    const Eigen::ArrayXd values = column.values.head(rows).array();
    if (column.turn > 0) {
      const Eigen::ArrayXd angle = values * (2 * std::numbers::pi / column.turn);
      add(angle.cos().matrix().transpose());
      add(angle.sin().matrix().transpose());
    } else {
      add((values / std::max(values.abs().maxCoeff(), 1e-300)).matrix().transpose());
    }
  }
  return state;
}

}  // namespace

int action_delay(const std::vector<DelayColumn>& observations,
                 const std::vector<DelayColumn>& actions) {
  if (observations.empty() || actions.empty()) return 0;
  const Index rows = std::min(observations[0].values.size(), kMostCompared);
  if (rows < kFewestToCompare) return 0;
  const Matrix state = state_rows(observations, rows);
  // The same rows for every delay, so that their errors can be compared.
  const Index steps = rows - 1 - kLatest;
  Matrix changes(steps, static_cast<Index>(observations.size()));
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const Vector all = changes_of(observations[i].values.head(rows), observations[i].turn);
    changes.col(static_cast<Index>(i)) = all.tail(steps);
    const double size = changes.col(static_cast<Index>(i)).norm();
    if (size > 0 && std::isfinite(size)) changes.col(static_cast<Index>(i)) /= size;
  }
  const auto errors_with = [&](Index late) {
    Matrix inputs(steps, state.rows() + static_cast<Index>(actions.size()));
    inputs.leftCols(state.rows()) = state.middleCols(kLatest, steps).transpose();
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const Vector& done = actions[i].values;
      inputs.col(state.rows() + static_cast<Index>(i)) =
          done.segment(kLatest - late, steps) / std::max(done.cwiseAbs().maxCoeff(), 1e-300);
    }
    const Matrix left = changes - inputs * inputs.colPivHouseholderQr().solve(changes);
    return Eigen::RowVectorXd(left.colwise().squaredNorm());
  };
  const Eigen::RowVectorXd at_once = errors_with(0);
  if (!at_once.allFinite()) return 0;
  // Clearly better: a fifth less is left of what is explained best.
  constexpr double kClearly = 0.8;
  Index best = 0;
  double least = kClearly;
  for (Index late = 1; late <= kLatest; ++late) {
    const Eigen::RowVectorXd errors = errors_with(late);
    const double ratio = (errors.array() / at_once.array().max(1e-12)).minCoeff();
    if (ratio < least) {
      least = ratio;
      best = late;
    }
  }
  return static_cast<int>(best);
}

}  // namespace rhc
