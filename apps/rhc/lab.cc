#include "apps/rhc/lab.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "apps/rhc/start_option.h"
#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/format/files.h"
#include "rhc/run/keep_control.h"

namespace rhc::app {

namespace {

constexpr double kBand = 1.959963984540054;  // deviations on either side of 95 %

// What is expected to be measured, in the units of the system: an angle instead of its cosine and
// sine.
struct Expected {
  Matrix mean, deviation;
};

Expected measured(const SystemFile& system, const Forecast& forecast) {
  const Index rows = static_cast<Index>(system.measures.size()), columns = forecast.mean.cols();
  Expected result{Matrix(rows, columns), Matrix(rows, columns)};
  Index from = 0;
  for (Index i = 0; i < rows; ++i) {
    const Measure& measure = system.measures[static_cast<std::size_t>(i)];
    if (!measure.angle) {
      result.mean.row(i) = forecast.mean.row(from);
      result.deviation.row(i) = forecast.deviation.row(from++);
      continue;
    }
    double before = 0;
    for (Index t = 0; t < columns; ++t) {
      const double c = forecast.mean(from, t), s = forecast.mean(from + 1, t);
      const double across =
          std::hypot(s * forecast.deviation(from, t), c * forecast.deviation(from + 1, t));
      constexpr double turn = 2 * std::numbers::pi;
      double angle = std::atan2(s, c);
      if (t > 0) angle -= turn * std::round((angle - before) / turn);
      before = angle;
      result.mean(i, t) = angle / measure.radians;
      result.deviation(i, t) = across / measure.radians;
    }
    from += 2;
  }
  return result;
}

// Of a measured quantity; an angle has none.
std::pair<double, double> limits_of(const SystemFile& system, std::size_t measure) {
  const SystemSpec& spec = system.system.spec();
  std::size_t at = 0;
  for (std::size_t i = 0; i < measure; ++i) at += system.measures[i].angle ? 2 : 1;
  return {spec.limits.lower[static_cast<Index>(at)], spec.limits.upper[static_cast<Index>(at)]};
}

}  // namespace

Trajectory parse_measured_start(const std::string& text, const SystemFile& system,
                                const MeasuredSettings& how) {
  const SystemSpec& spec = system.system.spec();
  // Many values make a name that no file can have.
  std::error_code no_file;
  if (std::filesystem::is_regular_file(text, no_file)) {
    Measured log = read_measured(text, system, how);
    for (const std::string& remark : log.remarks) fmt::print(stderr, "rhc: {}: {}\n", text, remark);
    return log.trajectory;
  }
  if (text.ends_with(".csv")) throw InputError(fmt::format("--start: there is no file '{}'", text));
  return standing_at(
      system.system.observe(parse_start(text, spec, fmt::format("'{}' measures", spec.name))),
      spec.action_bounds.size());
}

std::string proposal_csv(const SystemFile& system, const Matrix& actions,
                         const std::optional<Forecast>& forecast, Index first_step) {
  const SystemSpec& spec = system.system.spec();
  std::string text = "time [s]";
  for (const Quantity& action : spec.action) text += "," + with_unit(action);
  std::optional<Expected> expected;
  if (forecast) {
    expected = measured(system, *forecast);
    for (const Measure& measure : system.measures)
      for (const char* column : {"", "_low", "_high"})
        text += "," + with_unit({measure.quantity.name + column, measure.quantity.unit});
  }
  text += "\n";
  for (Index t = 0; t <= actions.cols(); ++t) {
    text += exact(std::round(1e9 * static_cast<double>(first_step + t) * spec.time_step) / 1e9);
    for (Index i = 0; i < actions.rows(); ++i)
      text += t < actions.cols() ? "," + exact(actions(i, t)) : ",";
    if (expected)
      for (Index i = 0; i < expected->mean.rows(); ++i) {
        const double mean = expected->mean(i, t), band = kBand * expected->deviation(i, t);
        text += fmt::format(",{},{:.9g},{:.9g}", exact(mean), mean - band, mean + band);
      }
    text += "\n";
  }
  return text;
}

void print_envelope(std::FILE* out, const SystemFile& system, const Forecast& forecast,
                    Index first_step) {
  const Expected expected = measured(system, forecast);
  fmt::print(out, "  {:<20} {:>22} {:>24}  {}\n", "", "expected", "95 % band", "limits");
  for (Index i = 0; i < expected.mean.rows(); ++i) {
    const Quantity& quantity = system.measures[static_cast<std::size_t>(i)].quantity;
    const Eigen::ArrayXd low = expected.mean.row(i) - kBand * expected.deviation.row(i);
    const Eigen::ArrayXd high = expected.mean.row(i) + kBand * expected.deviation.row(i);
    const auto [lower, upper] = limits_of(system, static_cast<std::size_t>(i));
    const auto range = [](double a, double b) { return fmt::format("{:.4g} to {:.4g}", a, b); };
    std::string limits = "none";
    if (std::isfinite(lower) || std::isfinite(upper)) {
      Index nearest = 0;
      const double room = std::min((low - lower).minCoeff(), (upper - high).minCoeff());
      (low - lower).min(upper - high).minCoeff(&nearest);
      nearest += first_step;
      limits =
          room >= 0
              ? fmt::format("{}, nearest by {:.3g} at step {}", range(lower, upper), room, nearest)
              : fmt::format("{}, left by {:.3g} at step {}", range(lower, upper), -room, nearest);
    }
    fmt::print(out, "  {:<20} {:>22} {:>24}  {}\n", with_unit(quantity),
               range(expected.mean.row(i).minCoeff(), expected.mean.row(i).maxCoeff()),
               range(low.minCoeff(), high.maxCoeff()), limits);
  }
}

void add_sigmas_option(CLI::App& command, std::optional<double>& sigmas) {
  command
      .add_option("--sigmas", sigmas,
                  "Deviations by which the prediction stays inside the limits (default: as the "
                  "system's\nfile says)")
      ->check(CLI::Range(0.0, 10.0));
}

void add_measured_options(CLI::App& command, MeasuredSettings& measured) {
  CLI::Option* resample =
      command.add_flag("--resample", measured.resample,
                       "Bring rows onto the system's time step, where their stamps are not");
  command
      .add_option("--delay", measured.delay,
                  "Seconds by which observations are stamped too late (with --resample)")
      ->check(CLI::Range(0.0, 1e6))
      ->needs(resample);
}

void keep_what_was_learned(const std::string& run, int threads) {
  for (const int number : controls_to_keep(run)) {
    const LearningMark mark = LearningMark::of_another(run, number);
    try {
      const KeptControl kept = keep_control(mark, threads);
      fmt::print(stderr, "rhc: {}: a controller was ended before it kept what it had learned. {}\n",
                 run, in_words(kept));
    } catch (const InputError& error) {
      fmt::print(
          stderr,
          "rhc: what a controller learned cannot be kept: {}; without {} it is not tried again\n",
          error.what(), mark.folder().string());
    }
  }
}

void print_remarks(const Laboratory& lab, const std::string& run) {
  for (const std::string& remark : lab.remarks()) fmt::print(stderr, "rhc: {}: {}\n", run, remark);
}

void write_or_print(const std::string& file, const std::string& text) {
  if (file.empty())
    fmt::print("{}", text);
  else
    write_output(file, text);
}

}  // namespace rhc::app
