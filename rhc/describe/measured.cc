#include "rhc/describe/measured.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/describe/log_file.h"
#include "rhc/describe/log_table.h"

namespace rhc {

namespace {

// Of the time step, by which two stamps may miss it without a word.
constexpr double kJitter = 0.05;
// With a word: by which some may miss it, and all of them in the root mean square.
constexpr double kWidestJitter = 0.25;
constexpr double kMeanJitter = 0.1;
// The least distance of rows, in time steps, that tells milliseconds from seconds.
constexpr double kManyRows = 0.05;
// Time steps without a measurement that are still bridged when resampling.
constexpr double kWidestGap = 3;
// By which a cosine and sine may miss the circle.
constexpr double kOffCircle = 0.1;

// One number or two of what a model sees, from the columns of the log.
struct Source {
  std::size_t first;                  // the quantity itself, or its cosine
  std::optional<std::size_t> sine{};  // where an angle was logged as cosine and sine
  double factor = 1;
};

class LogReader {
 public:
  LogReader(std::string_view text, const std::string& name, const SystemFile& system,
            const MeasuredSettings& settings)
      : log_(text, name), system_(system), spec_(system.system.spec()), settings_(settings) {}

  Measured read() {
    find_columns();
    const Index rows = static_cast<Index>(log_.rows());
    Matrix measured(static_cast<Index>(sources_.size()), rows);  // angles unwound, in radians
    for (Index r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < sources_.size(); ++i)
        measured(static_cast<Index>(i), r) = value(i, static_cast<std::size_t>(r));
    unwind(measured);
    read_actions();
    const std::vector<double> times = read_times();
    if (settings_.resample) {
      if (times.empty())
        throw InputError(log_.name() +
                         ": to resample, a column 'time' must say when each row was measured");
      resample(times, measured);
    } else if (!times.empty()) {
      check_times(times);
    }
    return finish(measured);
  }

 private:
  void find_columns() {
    for (const Measure& measure : system_.measures) {
      const std::string& name = measure.quantity.name;
      if (log_.find(name + "_low") && log_.find(name + "_high"))
        throw InputError(fmt::format(
            "{}:1: this is the plan of an experiment, with the band that '{}' is expected in; tell "
            "what was measured",
            log_.name(), name));
      if (const auto found = log_.find(name)) {
        sources_.push_back({*found, std::nullopt, log_.factor(*found, measure.quantity.unit)});
      } else if (measure.angle && log_.find("cos_" + name)) {
        const auto sine = log_.find("sin_" + name);
        if (!sine) log_.missing("sin_" + name);
        sources_.push_back({*log_.find("cos_" + name), sine, 1});
      } else {
        log_.missing(name);
      }
    }
    for (const Quantity& action : spec_.action)
      if (const auto found = log_.find(action.name)) {
        action_columns_.push_back(*found);
        action_factors_.push_back(log_.factor(*found, action.unit));
      }
    if (action_columns_.size() == spec_.action.size()) return;
    if (settings_.actions.size() == 0 || !action_columns_.empty())
      for (const Quantity& action : spec_.action)
        if (!log_.find(action.name)) log_.missing(action.name);
  }

  double value(std::size_t i, std::size_t row) {
    const Source& source = sources_[i];
    if (!source.sine)
      return log_.number(
          row, source.first,
          source.factor * (system_.measures[i].angle ? system_.measures[i].radians : 1));
    const double number = log_.number(row, source.first);
    const double sine = log_.number(row, *source.sine);
    if (std::abs(std::hypot(number, sine) - 1) > kOffCircle)
      log_.fail(row, source.first,
                fmt::format("{} and the sine {} are not on a circle of radius 1", number, sine));
    return std::atan2(sine, number);
  }

  // So that what lies between two angles is the shorter way.
  void unwind(Matrix& measured) const {
    if (!settings_.resample) return;
    constexpr double turn = 2 * std::numbers::pi;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (system_.measures[i].angle)
        for (Index r = 1; r < measured.cols(); ++r) {
          double& angle = measured(static_cast<Index>(i), r);
          const double before = measured(static_cast<Index>(i), r - 1);
          angle -= turn * std::round((angle - before) / turn);
        }
  }

  // The last row's actions led nowhere that was measured: they may be blank.
  void read_actions() {
    if (action_columns_.empty()) return;
    const std::size_t rows = log_.rows();
    actions_.resize(spec_.action_bounds.size(), static_cast<Index>(rows));
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < action_columns_.size(); ++i) {
        const bool last = r + 1 == rows && r > 0 && log_.blank(r, action_columns_[i]);
        actions_(static_cast<Index>(i), static_cast<Index>(r)) =
            last ? actions_(static_cast<Index>(i), static_cast<Index>(r) - 1)
                 : log_.number(r, action_columns_[i], action_factors_[i]);
      }
  }

  std::vector<double> read_times() {
    std::vector<double> times;
    time_column_ = log_.find_time();
    if (!time_column_) return times;
    const double factor = log_.factor(*time_column_, "s");
    for (std::size_t r = 0; r < log_.rows(); ++r)
      times.push_back(log_.number(r, *time_column_, factor));
    if (log_.unit(*time_column_).empty()) take_small_unit(times);
    return times;
  }

  // Stamps without a unit whose steps are a thousand times too long count milliseconds, and so on.
  void take_small_unit(std::vector<double>& times) {
    if (times.size() < 2) return;
    const double steps = median_step(times) / spec_.time_step;
    for (const auto& [unit, size] :
         {std::pair{"milliseconds", 1e3}, {"microseconds", 1e6}, {"nanoseconds", 1e9}}) {
      const double ratio = steps / size;
      // A log that is to be resampled may have more rows than the time step asks for.
      const bool fits = settings_.resample ? ratio >= kManyRows && ratio <= kWidestGap
                                           : std::abs(ratio - 1) <= kWidestJitter;
      if (!fits) continue;
      for (double& time : times) time /= size;
      remarks_.push_back(fmt::format(
          "the times have no unit and look like {}, which they are taken as; a unit in the header, "
          "such as 'time [s]', says what they are",
          unit));
      return;
    }
  }

  // Where a few stamps jitter around the time step, the rows are taken as they are.
  void check_times(const std::vector<double>& times) {
    double worst = 0, squares = 0;
    const auto steps = static_cast<double>(times.size() - 1);
    for (std::size_t r = 1; r < times.size(); ++r) {
      const double miss = std::abs((times[r] - times[r - 1]) / spec_.time_step - 1);
      worst = std::max(worst, miss);
      squares += miss * miss / steps;
    }
    const bool on_time =
        times.size() < 2 ||
        std::abs((times.back() - times.front()) / (steps * spec_.time_step) - 1) <= kJitter;
    if (worst > kJitter && worst <= kWidestJitter && on_time && std::sqrt(squares) <= kMeanJitter) {
      remarks_.push_back(
          fmt::format("the stamps jitter, by {:.2g} % of the time step and {:.2g} % at most; the "
                      "rows are taken "
                      "as they are (`--resample` goes by the stamps)",
                      100 * std::sqrt(squares), 100 * worst));
      return;
    }
    for (std::size_t r = 1; r < times.size(); ++r) {
      const double passed = times[r] - times[r - 1];
      if (std::abs(passed - spec_.time_step) <= kJitter * spec_.time_step) continue;
      log_.fail(
          r, *time_column_,
          fmt::format("{:.6g} s after the row before, but the time step is {} s; `--resample` "
                      "brings the rows onto it",
                      passed, spec_.time_step));
    }
  }

  // Observations between two rows lie on a line. An action holds until the next: that of a step is
  // the one in force in its middle, for stamps that jitter around its ends may be on either side.
  // Where a step has several rows, it is their mean.
  void resample(std::vector<double> times, Matrix& measured) {
    const double dt = spec_.time_step;
    std::vector<std::size_t> kept;
    std::size_t doubled = 0;
    for (std::size_t r = 0; r < times.size(); ++r) {
      if (!kept.empty() && times[r] < times[kept.back()])
        log_.fail(r, *time_column_, "the time goes back; put the rows into order");
      if (!kept.empty() && times[r] == times[kept.back()]) {
        kept.back() = r;  // the later word counts
        ++doubled;
        continue;
      }
      if (!kept.empty() && times[r] - times[kept.back()] > kWidestGap * dt * (1 + 1e-9))
        log_.fail(
            r, *time_column_,
            fmt::format("{:.6g} s without a row are too long to guess what happened; tell what "
                        "came before with --aborted, and what came after with --import",
                        times[r] - times[kept.back()]));
      kept.push_back(r);
    }
    if (doubled > 0)
      remarks_.push_back(
          fmt::format("{} rows have the stamp of the row before, which they replace", doubled));

    // Between what is covered by actions and by observations.
    const double begin = times[kept.front()];
    const double end = times[kept.back()] - settings_.delay;
    const auto points = static_cast<Index>(std::floor((end - begin) / dt * (1 + 1e-12) + 1e-9)) + 1;
    if (points < 1)
      throw InputError(fmt::format("{}: a delay of {} s leaves nothing of {:.6g} s", log_.name(),
                                   settings_.delay, times[kept.back()] - begin));
    Matrix observed(measured.rows(), points), acted(actions_.rows(), points);
    const bool dense =
        static_cast<double>(kept.size() - 1) * dt >= 2 * (times[kept.back()] - begin);
    std::size_t seen = 0, done = 0;
    for (Index p = 0; p < points; ++p) {
      const double at = begin + static_cast<double>(p) * dt;
      while (done + 1 < kept.size() && times[kept[done + 1]] <= at + 0.5 * dt) ++done;
      if (actions_.size() > 0) acted.col(p) = actions_.col(static_cast<Index>(kept[done]));
      if (actions_.size() > 0 && dense) average_actions(times, kept, at, at + dt, acted.col(p));
      const double stamp = at + settings_.delay;
      while (seen + 2 < kept.size() && times[kept[seen + 1]] <= stamp) ++seen;
      const std::size_t next = std::min(seen + 1, kept.size() - 1);
      const double from = times[kept[seen]], to = times[kept[next]];
      const double share = to > from ? std::clamp((stamp - from) / (to - from), 0.0, 1.0) : 0;
      observed.col(p) = (1 - share) * measured.col(static_cast<Index>(kept[seen])) +
                        share * measured.col(static_cast<Index>(kept[next]));
    }
    remarks_.push_back(fmt::format("{} rows became {} at steps of {} s", times.size(), points, dt));
    measured = std::move(observed);
    actions_ = std::move(acted);
  }

  // Over the rows from here to there; unchanged where there is none.
  void average_actions(const std::vector<double>& times, const std::vector<std::size_t>& rows,
                       double from, double to, Eigen::Ref<Vector> mean) const {
    // A row on the edge belongs to what follows, however it was rounded.
    const double edge = 1e-6 * (to - from);
    const auto at = [&](std::size_t row, double time) { return times[row] < time - edge; };
    const auto first = std::lower_bound(rows.begin(), rows.end(), from, at);
    const auto last = std::lower_bound(first, rows.end(), to, at);
    if (first == last) return;
    mean.setZero();
    for (auto row = first; row != last; ++row) mean += actions_.col(static_cast<Index>(*row));
    mean /= static_cast<double>(last - first);
  }

  Measured finish(const Matrix& measured) {
    const Index rows = measured.cols(), steps = rows - 1;
    Measured result{{Matrix(spec_.outputs(), rows), Matrix(spec_.action_bounds.size(), steps)}};
    for (Index r = 0; r < rows; ++r) result.trajectory.observations.col(r) = seen(measured, r);
    if (actions_.size() == 0) {
      if (settings_.actions.cols() < steps)
        throw InputError(fmt::format(
            "{}: {} steps were measured, but the plan has {}; a column for each action must say "
            "what was done",
            log_.name(), steps, settings_.actions.cols()));
      result.trajectory.actions = settings_.actions.leftCols(steps);
      remarks_.push_back("the file has no actions: they are taken to be those that were asked for");
    } else {
      result.trajectory.actions = actions_.leftCols(steps);
    }
    note_excess(result.trajectory.actions);
    result.remarks = std::move(remarks_);
    return result;
  }

  // What the model sees of a row. Numbers that need no conversion keep their bits.
  Vector seen(const Matrix& measured, Index row) const {
    Vector observation(spec_.outputs());
    Index at = 0;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const double value = measured(static_cast<Index>(i), row);
      const auto r = static_cast<std::size_t>(row);
      if (!system_.measures[i].angle) {
        observation[at++] = value;
      } else if (sources_[i].sine && !settings_.resample) {
        observation[at++] = log_.number(r, sources_[i].first);
        observation[at++] = log_.number(r, *sources_[i].sine);
      } else {
        observation[at++] = std::cos(value);
        observation[at++] = std::sin(value);
      }
    }
    return observation;
  }

  void note_excess(const Matrix& actions) {
    const Box& bounds = spec_.action_bounds;
    for (Index i = 0; i < actions.rows(); ++i) {
      if (actions.cols() == 0) return;
      const double slack = 1e-9 * (bounds.upper[i] - bounds.lower[i]);
      if (actions.row(i).minCoeff() < bounds.lower[i] - slack ||
          actions.row(i).maxCoeff() > bounds.upper[i] + slack)
        remarks_.push_back(fmt::format(
            "'{}' went from {:.6g} to {:.6g}, which is outside its bounds [{}, {}]; it is taken as "
            "it was",
            spec_.action[static_cast<std::size_t>(i)].name, actions.row(i).minCoeff(),
            actions.row(i).maxCoeff(), bounds.lower[i], bounds.upper[i]));
    }
  }

  LogTable log_;
  const SystemFile& system_;
  const SystemSpec& spec_;
  const MeasuredSettings& settings_;
  std::vector<Source> sources_;
  std::vector<std::size_t> action_columns_;
  std::vector<double> action_factors_;
  std::optional<std::size_t> time_column_;
  Matrix actions_;  // one a row
  std::vector<std::string> remarks_;
};

}  // namespace

Measured parse_measured(std::string_view text, const std::string& name, const SystemFile& system,
                        const MeasuredSettings& settings) {
  return LogReader(text, name, system, settings).read();
}

Measured read_measured(const std::filesystem::path& file, const SystemFile& system,
                       const MeasuredSettings& settings) {
  return parse_measured(read_log(file), file.string(), system, settings);
}

}  // namespace rhc
