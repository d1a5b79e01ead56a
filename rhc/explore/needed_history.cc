#include "rhc/explore/needed_history.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "rhc/model/fit_regression.h"

namespace rhc {

namespace {

constexpr Index kMostLate = 5, kMostMoments = 3;
constexpr Index kFolds = 4;
// Fewer rows tell nothing; of more, every second or third is enough.
constexpr Index kFewestRows = 90, kMostRows = 600;
// Wide inputs would be slow, and nobody could tell what they say.
constexpr Index kMostInputs = 40, kMostActions = 8;

// By how much the mean square of one-step errors must fall. Several noisy readings are better than
// one of them, too, but by less than this (bench/drift.cc).
constexpr double kClearlyLess = 4;
// Where only the actions are read otherwise, noise gains nothing.
constexpr double kClearlyLessByDelay = 2;
// Of the spread of an output's changes: errors below that do not matter.
constexpr double kSmallError = 0.05;

// What an output's change is regressed on: observations of so many moments, and as many actions,
// each read so many steps before.
struct Lags {
  Index moments;
  std::vector<Index> late;

  Index latest_late() const { return *std::max_element(late.begin(), late.end()); }
  int history() const { return static_cast<int>(moments + latest_late()); }
};

// Rows of all episodes that have enough before them, with the fold that each is in.
struct Rows {
  struct At {
    const Trajectory* episode;
    Index step, fold;
  };
  std::vector<At> all;
  Matrix changes;  // D x N
  Index observed, acted, episodes;
};

Rows rows_with_past(const std::vector<Trajectory>& episodes, const SystemSpec& spec, Index before) {
  Rows rows{{}, {}, spec.outputs(), static_cast<Index>(spec.action.size()), 0};
  Index number = 0;
  rows.episodes = std::count_if(episodes.begin(), episodes.end(), [&](const Trajectory& e) {
    return steps_inside(e, spec.limits) > before;
  });
  for (const Trajectory& episode : episodes) {
    const Index inside = steps_inside(episode, spec.limits);
    if (inside <= before) continue;
    // Few episodes are cut into parts, for neighbours in time tell too much of each other.
    for (Index t = before; t < inside; ++t)
      rows.all.push_back(
          {&episode, t,
           rows.episodes >= kFolds ? number % kFolds : kFolds * (t - before) / (inside - before)});
    ++number;
  }
  const auto count = static_cast<Index>(rows.all.size());
  if (count > kMostRows) {
    std::vector<Rows::At> some;
    for (Index i = 0; i < kMostRows; ++i)
      some.push_back(rows.all[static_cast<std::size_t>(i * count / kMostRows)]);
    rows.all = std::move(some);
  }
  rows.changes.resize(rows.observed, static_cast<Index>(rows.all.size()));
  for (std::size_t i = 0; i < rows.all.size(); ++i) {
    const auto& [episode, t, fold] = rows.all[i];
    rows.changes.col(static_cast<Index>(i)) =
        episode->observations.col(t + 1) - episode->observations.col(t);
  }
  return rows;
}

// The newest first: what a step begins with, and then what was before it.
Matrix regressors(const Rows& rows, const Lags& lags) {
  const Index D = rows.observed, k = rows.acted;
  Matrix inputs(lags.moments * (D + k), static_cast<Index>(rows.all.size()));
  for (std::size_t i = 0; i < rows.all.size(); ++i) {
    const auto& [episode, t, fold] = rows.all[i];
    auto input = inputs.col(static_cast<Index>(i));
    for (Index back = 0; back < lags.moments; ++back) {
      input.segment(back * (D + k), D) = episode->observations.col(t - back);
      for (Index a = 0; a < k; ++a)
        input[back * (D + k) + D + a] =
            episode->actions(a, t - back - lags.late[static_cast<std::size_t>(a)]);
    }
  }
  return inputs;
}

// 1, all regressors, and of the newest moment products and sines.
Matrix basis(Matrix inputs, Index newest) {
  constexpr Index kMostWithProducts = 12;
  inputs = standardization_of(inputs).apply(inputs);
  const Index p = inputs.rows(), N = inputs.cols();
  const Index products = newest <= kMostWithProducts ? newest * (newest + 1) / 2 : 0;
  const Index sines = std::clamp<Index>(N / 8, 8, 48);
  FourierFeatures draw = draw_features(sines, newest, RandomStream(0, "needed history"));
  draw.bandwidth.setConstant(std::sqrt(static_cast<double>(newest)));
  Matrix phi(1 + p + products + sines, N), waves;
  draw.evaluate(inputs.topRows(newest), waves);
  phi.row(0).setOnes();
  phi.middleRows(1, p) = inputs;
  Index at = 1 + p;
  for (Index i = 0; i < newest && products > 0; ++i)
    for (Index j = 0; j <= i; ++j) phi.row(at++) = inputs.row(i).cwiseProduct(inputs.row(j));
  phi.bottomRows(sines) = waves;
  return phi;
}

// Of each output, the mean square of errors in folds that were left out, by the ridge that suits it
// best, and what does not matter.
Vector left_over(const Rows& rows, const Lags& lags) {
  const Matrix phi = basis(regressors(rows, lags), rows.observed + rows.acted);
  const Matrix changes = standardization_of(rows.changes).apply(rows.changes);
  const Index M = phi.rows(), N = phi.cols(), D = rows.observed;
  std::array<std::vector<Index>, kFolds> members;
  for (std::size_t i = 0; i < rows.all.size(); ++i)
    members[static_cast<std::size_t>(rows.all[i].fold)].push_back(static_cast<Index>(i));
  std::vector<Matrix> gram(kFolds), moment(kFolds);
  Matrix all = Matrix::Zero(M, M), all_moment = Matrix::Zero(M, D);
  for (std::size_t f = 0; f < kFolds; ++f) {
    const Matrix part = phi(Eigen::all, members[f]);
    gram[f] = part * part.transpose();
    moment[f] = part * changes(Eigen::all, members[f]).transpose();
    all += gram[f];
    all_moment += moment[f];
  }
  Vector least = Vector::Constant(D, kInfinity);
  for (const double ridge : {1e-5, 1e-3, 1e-1}) {
    Vector squares = Vector::Zero(D);
    for (std::size_t f = 0; f < kFolds; ++f) {
      Matrix A = all - gram[f];
      A.diagonal().array() += ridge * static_cast<double>(N);
      const Matrix weights = A.llt().solve(all_moment - moment[f]);
      squares +=
          (changes(Eigen::all, members[f]) - weights.transpose() * phi(Eigen::all, members[f]))
              .rowwise()
              .squaredNorm();
    }
    least = least.cwiseMin(squares / static_cast<double>(N));
  }
  // Where nothing can be computed, a model is as good as none.
  return least.unaryExpr(
      [](double v) { return (std::isfinite(v) ? v : 1) + kSmallError * kSmallError; });
}

struct TriedLags {
  Lags lags;
  Vector left;  // over

  double nats() const { return 0.5 * left.array().log().sum(); }
};

TriedLags try_lags(const Rows& rows, Lags lags) {
  Vector left = left_over(rows, lags);
  return {std::move(lags), std::move(left)};
}

// The output that gains most, and by which factor.
std::pair<Index, double> largest_gain(const Vector& before, const Vector& after) {
  Index output = 0;
  const double gain = before.cwiseQuotient(after).maxCoeff(&output);
  return {output, gain};
}

// How late each action acts, given so many moments. Of delays that are nearly as good as the best,
// it is the shortest; and none of a single action where it matters little.
TriedLags with_delay(const Rows& rows, Index moments) {
  constexpr double kMatters = 0.2;
  const auto actions = static_cast<std::size_t>(rows.acted);
  const auto tried_with = [&](const auto& lags_of) {
    std::vector<TriedLags> tried;
    for (Index late = 0; late <= kMostLate; ++late) tried.push_back(try_lags(rows, lags_of(late)));
    return tried;
  };
  const auto shortest = [&](const std::vector<TriedLags>& tried) {
    double least = kInfinity;
    for (const TriedLags& each : tried) least = std::min(least, each.nats());
    return *std::find_if(tried.begin(), tried.end(),
                         [&](const TriedLags& c) { return c.nats() <= least + kMatters; });
  };
  TriedLags best = shortest(tried_with([&](Index late) {
    return Lags{moments, std::vector<Index>(actions, late)};
  }));
  for (std::size_t a = 0; a < actions && actions > 1; ++a) {
    const std::vector<TriedLags> tried = tried_with([&](Index late) {
      Lags lags = best.lags;
      lags.late[a] = late;
      return lags;
    });
    best = shortest(tried);
    if (largest_gain(tried[0].left, best.left).second < kClearlyLess) best = tried[0];
  }
  return best;
}

// One step ahead by rhc's own regression, fitted to one half of the rows and tested on the other:
// root mean square.
double error_of_fit(const Rows& rows, const Lags& lags, const KnownMotion& known, Index output) {
  constexpr Index kSines = 64;
  const Matrix inputs = regressors(rows, lags);
  Matrix changes = rows.changes;
  if (known)
    changes -= known_changes(known, inputs.topRows(rows.observed + rows.acted), rows.observed);
  const FourierFeatures draw =
      draw_features(kSines, inputs.rows(), RandomStream(0, "needed history, fit"));
  std::array<std::vector<Index>, 2> halves;
  for (std::size_t i = 0; i < rows.all.size(); ++i)
    halves[static_cast<std::size_t>(rows.all[i].fold % 2)].push_back(static_cast<Index>(i));
  double squares = 0, spread = 0;
  for (const std::size_t taught : {0, 1}) {
    const auto part = [&](const std::vector<Index>& half) {
      return Transitions{inputs(Eigen::all, half), changes.row(output)(Eigen::all, half)};
    };
    const Transitions data = part(halves[taught]), test = part(halves[1 - taught]);
    if (data.count() == 0 || test.count() == 0 || never_changes(data.outputs)) return 0;
    const FittedModel fitted =
        fit_model(with_affine_part(draw, data.inputs), data, {.caution = 0, .starts = 8});
    squares += (test.outputs - fitted.model.predict(test.inputs).mean).squaredNorm();
    spread += (test.outputs.array() - test.outputs.mean()).square().sum();
  }
  // Nobody need be further off than without any model.
  return std::sqrt(std::min(squares, spread) / static_cast<double>(rows.all.size()));
}

}  // namespace

std::optional<NeededHistory> needed_history(const std::vector<Trajectory>& episodes,
                                            const SystemSpec& spec) {
  const Index now = spec.history, most = std::max(kMostMoments, now);
  const auto actions = spec.action.size();
  if (actions == 0 || actions > kMostActions || spec.inputs() > kMostInputs) return std::nullopt;
  const Rows rows = rows_with_past(episodes, spec, most - 1 + kMostLate);
  if (static_cast<Index>(rows.all.size()) < kFewestRows) return std::nullopt;

  // What a model sees by the description, and all that might be seen.
  const std::vector<Index> at_once(actions, 0);
  const TriedLags as_is = try_lags(rows, {now, at_once});
  const TriedLags all = try_lags(rows, {most + kMostLate, at_once});
  std::vector<TriedLags> found = {with_delay(rows, now)};
  if (largest_gain(as_is.left, all.left).second < kClearlyLessByDelay &&
      largest_gain(as_is.left, found[0].left).second < kClearlyLessByDelay)
    return std::nullopt;
  for (Index moments = now + 1; moments <= most; ++moments)
    found.push_back(with_delay(rows, moments));

  // An output that is predicted clearly better, and none that is worse.
  const auto best = std::min_element(
      found.begin(), found.end(), [](const auto& a, const auto& b) { return a.nats() < b.nats(); });
  const auto [output, gain] = largest_gain(as_is.left, best->left);
  if (gain < kClearlyLessByDelay || largest_gain(best->left, as_is.left).second > 1.5)
    return std::nullopt;

  // A basis that lacks what the system has is helped by anything: rhc's own regression decides. As
  // few moments as explain nearly as much as more of them do.
  const double small = kSmallError * standardization_of(rows.changes.row(output)).scale[0];
  const auto matters = [&](double error) { return error * error + small * small; };
  std::vector<double> errors;
  for (const TriedLags& each : found)
    errors.push_back(error_of_fit(rows, each.lags, spec.known, output));
  const double least = matters(*std::min_element(errors.begin(), errors.end()));
  std::size_t enough = 0;
  while (matters(errors[enough]) > kClearlyLess * least) ++enough;
  const Lags& lags = found[enough].lags;
  const double error = errors[enough];
  const double error_now = error_of_fit(rows, as_is.lags, spec.known, output);
  // One episode shows a small part of a system, where the past tells of anything.
  if (lags.moments > now && rows.episodes < 2) return std::nullopt;
  const double clearly = lags.moments > now ? kClearlyLess : kClearlyLessByDelay;
  const bool better = matters(error_now) >= clearly * matters(error);
  if (lags.history() <= spec.history || !better) return std::nullopt;
  return NeededHistory{.history = lags.history(),
                       .moments = static_cast<int>(lags.moments),
                       .late = {lags.late.begin(), lags.late.end()},
                       .output = output,
                       .error_now = error_now,
                       .error = error};
}

}  // namespace rhc
