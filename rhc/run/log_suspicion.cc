#include "rhc/run/log_suspicion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "rhc/core/error.h"

namespace rhc {

namespace {

// A reading explains a log where at least this share of every observation's steps is inside its
// band, and where it is likelier than the log as it is by so many nats a step. No other reading of
// an honest log of a machine is likelier than the log at all: bench/wiring.cc.
constexpr double kExplained = 0.7, kBetter = 0.5;
// Readings that differ by less than these nats a step are named together.
constexpr double kAlike = 1;
// Deviations that a sensor must be from where it would have got to.
constexpr double kFarAway = 3;
constexpr std::size_t kMostNamed = 3;
// A mistake is in all of a log, and a log may be an hour long.
constexpr Index kFewestSteps = 20, kMostSteps = 1000;
constexpr double kInsideBand = 1.959964;
constexpr double kDegrees = 180 / std::numbers::pi;

struct UnitFactor {
  double factor;
  const char* text;
  bool turning;  // only between units of angles and turning speeds
};
constexpr std::array kUnitFactors = {
    UnitFactor{kDegrees, "57.3, as between degrees and radians", false},
    UnitFactor{2 * std::numbers::pi, "2 pi, as between radians and turns", true},
    UnitFactor{30 / std::numbers::pi, "9.55, as between rpm and rad/s", true},
    UnitFactor{60, "60", false},
    UnitFactor{10, "10", false},
    UnitFactor{100, "100", false},
    UnitFactor{1000, "1000", false}};

// A pure number may be anything.
bool may_turn(const std::string& unit) {
  for (const char* word : {"rad", "deg", "°", "rpm", "rev", "turn"})
    if (unit.find(word) != std::string::npos) return true;
  return unit.empty();
}

// Rows of the observations that a measure is in.
struct MeasureRows {
  Index first, count;
};

std::vector<MeasureRows> measure_rows(const std::vector<Measure>& measures) {
  std::vector<MeasureRows> rows;
  Index at = 0;
  for (const Measure& measure : measures) {
    rows.push_back({at, measure.angle ? 2 : 1});
    at += rows.back().count;
  }
  return rows;
}

// With a little room: sensors have noise.
bool all_inside(const Box& box, const Matrix& points) {
  for (Index i = 0; i < box.size(); ++i) {
    const double range = box.upper[i] - box.lower[i], room = std::isfinite(range) ? range / 20 : 0;
    if (points.cols() > 0 && (points.row(i).minCoeff() < box.lower[i] - room ||
                              points.row(i).maxCoeff() > box.upper[i] + room))
      return false;
  }
  return true;
}

Trajectory beginning_of(const Trajectory& told) {
  const Index steps = std::min(told.steps(), kMostSteps);
  return {told.observations.leftCols(steps + 1), told.actions.leftCols(steps)};
}

class Readings {
 public:
  Readings(const Trajectory& told, const SystemFile& system)
      : told_(beginning_of(told)),
        measures_(system.measures),
        spec_(system.system.spec()),
        rows_(measure_rows(measures_)) {}

  void of_signs() {
    for (std::size_t m = 0; m < measures_.size(); ++m) {
      Trajectory other = told_;
      // Of an angle the sine.
      other.observations.row(rows_[m].first + rows_[m].count - 1) *= -1;
      add(fmt::format("'{}' has the wrong sign", measures_[m].quantity.name), std::move(other));
    }
    for (std::size_t k = 0; k < spec_.action.size(); ++k) {
      Trajectory other = told_;
      other.actions.row(static_cast<Index>(k)) *= -1;
      add(fmt::format("'{}' has the wrong sign", spec_.action[k].name), std::move(other));
    }
  }

  void of_exchanges() {
    for (std::size_t m = 0; m < measures_.size(); ++m)
      for (std::size_t l = 0; l < m; ++l) {
        const Measure &a = measures_[l], &b = measures_[m];
        if (a.angle != b.angle || a.quantity.unit != b.quantity.unit) continue;
        Trajectory other = told_;
        const Index count = rows_[m].count;
        other.observations.middleRows(rows_[m].first, count) =
            told_.observations.middleRows(rows_[l].first, count);
        other.observations.middleRows(rows_[l].first, count) =
            told_.observations.middleRows(rows_[m].first, count);
        add(fmt::format("'{}' and '{}' are exchanged", a.quantity.name, b.quantity.name),
            std::move(other));
      }
    for (std::size_t k = 0; k < spec_.action.size(); ++k)
      for (std::size_t l = 0; l < k; ++l) {
        if (spec_.action[k].unit != spec_.action[l].unit) continue;
        Trajectory other = told_;
        other.actions.row(static_cast<Index>(k)).swap(other.actions.row(static_cast<Index>(l)));
        add(fmt::format("'{}' and '{}' are exchanged", spec_.action[l].name, spec_.action[k].name),
            std::move(other));
      }
  }

  void of_units() {
    for (std::size_t m = 0; m < measures_.size(); ++m)
      if (!measures_[m].angle)
        for (const UnitFactor& unit : kUnitFactors)
          for (const bool large : {true, false}) {
            if (unit.turning && !may_turn(measures_[m].quantity.unit)) continue;
            Trajectory other = told_;
            other.observations.row(rows_[m].first) *= large ? 1 / unit.factor : unit.factor;
            add(fmt::format("'{}' is too {} by a factor of {}", measures_[m].quantity.name,
                            large ? "large" : "small", unit.text),
                std::move(other), large ? std::log(unit.factor) : 0);
          }
  }

  void of_delays() {
    const Index T = told_.steps();
    if (T < 2) return;
    Trajectory late = told_, early = told_;
    late.actions.rightCols(T - 1) = told_.actions.leftCols(T - 1);
    late.actions.col(0) = action_at_rest(spec_);
    early.actions.leftCols(T - 1) = told_.actions.rightCols(T - 1);
    early.actions.conservativeResize(Eigen::NoChange, T - 1);
    early.observations.conservativeResize(Eigen::NoChange, T);
    add("the actions acted a step later than the log says", std::move(late));
    add("the actions acted a step earlier than the log says", std::move(early));
  }

  std::vector<LogReading> all;

 private:
  void add(std::string mistake, Trajectory other, double units = 0) {
    if (all_inside(spec_.limits, other.observations) &&
        all_inside(spec_.action_bounds, other.actions))
      all.push_back({std::move(mistake), std::move(other), units});
  }

  const Trajectory told_;
  const std::vector<Measure>& measures_;
  const SystemSpec& spec_;
  const std::vector<MeasureRows> rows_;
};

// Of each step from the one before it: what all fits that are held possible say together.
struct OneStep {
  Transitions data;
  Matrix mean, variance;
  Matrix unsure;  // the deviation that more data would lower
};

OneStep one_step(const DynamicsModel& model, const Trajectory& told) {
  OneStep step;
  step.data =
      transitions_of(beginning_of(told), Box::unbounded(model.outputs()), model.shape.history);
  const Index D = model.outputs(), T = step.data.count();
  Matrix squares = Matrix::Zero(D, T), unsure = Matrix::Zero(D, T);
  Vector noise = Vector::Zero(D);
  step.mean = Matrix::Zero(D, T);
  const auto take = [&](const Regression& fit, double weight) {
    const Prediction prediction = fit.predict(step.data.inputs);
    step.mean += weight * prediction.mean;
    squares += weight * prediction.mean.cwiseAbs2();
    unsure += weight * prediction.epistemic;
    noise += weight * prediction.noise;
  };
  if (model.possible.empty()) take(model.regression, 1);
  for (const auto& fit : model.possible)
    take(*fit, 1.0 / static_cast<double>(model.possible.size()));
  unsure += (squares - step.mean.cwiseAbs2()).cwiseMax(0);
  // Earlier bands that were too narrow tell of these, too.
  const Vector wider = model.band_scale.size() > 0
                           ? Vector(model.band_scale.cwiseMax(1).cwiseAbs2())
                           : Vector(Vector::Ones(D));
  step.unsure = (wider.asDiagonal() * unsure).cwiseSqrt();
  step.variance = wider.asDiagonal() * Matrix(unsure.colwise() + noise);
  return step;
}

}  // namespace

std::vector<LogReading> other_readings(const Trajectory& told, const SystemFile& system) {
  Readings readings(told, system);
  readings.of_signs();
  readings.of_exchanges();
  readings.of_units();
  readings.of_delays();
  return std::move(readings.all);
}

std::vector<LogReading> other_angle_units(std::string_view text, const std::string& name,
                                          const SystemFile& system,
                                          const MeasuredSettings& settings) {
  std::vector<LogReading> readings;
  for (std::size_t m = 0; m < system.measures.size(); ++m)
    for (const double factor : {kDegrees, 1 / kDegrees}) {
      if (!system.measures[m].angle) continue;
      SystemFile other = system;
      other.measures[m].radians *= factor;
      try {
        readings.push_back({fmt::format("'{}' is in {}", system.measures[m].quantity.name,
                                        factor > 1 ? "radians where degrees are meant"
                                                   : "degrees where radians are meant"),
                            beginning_of(parse_measured(text, name, other, settings).trajectory)});
      } catch (const InputError&) {
        // Nobody can read it so.
      }
    }
  return readings;
}

LogFit fit_of(const DynamicsModel& model, const Trajectory& told) {
  const OneStep step = one_step(model, told);
  const Index T = step.data.count();
  if (T == 0) return {0, 1, 1};
  const Eigen::ArrayXXd variance = step.variance.array().max(1e-300);
  const Eigen::ArrayXXd squares = (step.data.outputs - step.mean).array().square() / variance;
  // Student's t with 4 degrees of freedom, but for a constant that all readings share.
  const double nats = (-2.5 * (1 + squares / 4).log() - 0.5 * variance.log()).sum();
  const double inside =
      (squares <= kInsideBand * kInsideBand).cast<double>().rowwise().mean().minCoeff();
  return {nats / static_cast<double>(T), inside, std::exp(0.5 * variance.log().mean())};
}

std::optional<LogSuspicion> suspicion_of(const DynamicsModel& before, const Trajectory& told,
                                         const std::vector<LogReading>& readings) {
  if (told.steps() < kFewestSteps) return std::nullopt;
  const LogFit as_is = fit_of(before, told);
  struct Explanation {
    const LogReading* reading;
    double nats;
    LogFit fit;
  };
  std::vector<Explanation> found;
  for (const LogReading& reading : readings) {
    const LogFit fit = fit_of(before, reading.told);
    // What is made small comes near anything: the density is that of the numbers in the log.
    const double nats = fit.nats - reading.units;
    if (fit.inside >= kExplained && nats >= as_is.nats + kBetter)
      found.push_back({&reading, nats, fit});
  }
  if (found.empty()) return std::nullopt;
  std::stable_sort(found.begin(), found.end(),
                   [](const Explanation& a, const Explanation& b) { return a.nats > b.nats; });
  LogSuspicion suspicion{{}, as_is, found[0].fit};
  for (const Explanation& explanation : found)
    if (explanation.nats >= found[0].nats - kAlike && suspicion.mistakes.size() < kMostNamed)
      suspicion.mistakes.push_back(explanation.reading->mistake);
  return suspicion;
}

std::string suspicion_in_words(const LogSuspicion& suspicion, const std::string& take_back) {
  // Where a model knows nothing, anything is inside its bands.
  const double wider = suspicion.as_is.width / suspicion.otherwise.width;
  return fmt::format(
      "it looks as if {}: without that {:.0f} % of the steps are where the model expects them, and "
      "{:.0f} % as it is{}; look at the wiring and the log, `{}` takes it back",
      fmt::join(suspicion.mistakes, ", or "), 100 * suspicion.otherwise.inside,
      100 * suspicion.as_is.inside,
      wider > 1.5 ? fmt::format(", in bands {:.2g} times as wide", wider) : "", take_back);
}

std::vector<std::string> frozen_observations(const DynamicsModel& before, const Trajectory& told,
                                             const SystemFile& system) {
  const OneStep step = one_step(before, told);
  const Index T = step.data.count();
  std::vector<std::string> found;
  if (T < kFewestSteps) return found;
  const std::vector<MeasureRows> rows = measure_rows(system.measures);
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const Matrix change = step.data.outputs.middleRows(rows[m].first, rows[m].count);
    const Eigen::ArrayXXd expected = step.mean.middleRows(rows[m].first, rows[m].count);
    const Eigen::ArrayXXd variance = step.variance.middleRows(rows[m].first, rows[m].count);
    const Eigen::ArrayXXd unsure = step.unsure.middleRows(rows[m].first, rows[m].count);
    Index still = 0, longest = 0, end = 0;
    for (Index t = 0; t < T; ++t) {
      still = change.col(t).isZero(0) ? still + 1 : 0;
      if (still > longest) longest = still, end = t + 1;
    }
    if (longest < std::max(kFewestSteps, T / 4)) continue;
    // Either most steps alone say so, or all of them together: what the model is unsure of adds up.
    const auto sum = [&](const Eigen::ArrayXXd& terms) -> Eigen::ArrayXd {
      return terms.middleCols(end - longest, longest).rowwise().sum();
    };
    const auto moves = expected.square() > kInsideBand * kInsideBand * variance;
    const Eigen::ArrayXd most = sum(moves.cast<double>());
    const Eigen::ArrayXd way = sum(expected).abs();
    const Eigen::ArrayXd doubt = (sum(variance - unsure.square()) + sum(unsure).square()).sqrt();
    if ((2 * most > static_cast<double>(longest)).any() || (way > kFarAway * doubt).any())
      found.push_back(fmt::format(
          "'{}' does not change in {} steps where the model expects it to move: does its sensor "
          "work?",
          system.measures[m].quantity.name, longest));
  }
  return found;
}

}  // namespace rhc
