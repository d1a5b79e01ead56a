#include "rhc/describe/draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/describe/action_delay.h"
#include "rhc/describe/column_words.h"
#include "rhc/describe/draft_text.h"
#include "rhc/describe/log_profile.h"
#include "rhc/describe/units.h"

namespace rhc {

namespace {

constexpr Index kFewestToGuess = 8;
constexpr int kLongestHorizon = 300;
// Shares of the time step: what is a round number of it, and what `rhc tell` takes as it is.
constexpr double kRound = 0.005;
constexpr double kUsualJitter = 0.1, kTolerableJitter = 0.25;

class Drafting {
 public:
  Drafting(std::string_view log, const std::string& file, const DraftSettings& settings)
      : table_(log, file), profile_(profile_of(table_)), settings_(settings), file_(file) {}

  Draft draft() {
    if (static_cast<Index>(table_.rows()) < kFewestToGuess)
      throw InputError(fmt::format("{}: {} rows are too few to guess anything from; at least {}",
                                   file_, table_.rows(), kFewestToGuess));
    find_time_step();
    find_actions();
    find_observations();
    find_delay();
    compare_with_derivatives();
    tell_of_columns();
    return {draft_text({.name = name(),
                        .rows = table_.rows(),
                        .time_step = time_step_,
                        .horizon = horizon_,
                        .history = history_,
                        .observations = observations_,
                        .actions = actions_,
                        .derivatives = derivatives_}),
            std::move(guesses_), std::move(open_), resample_};
  }

 private:
  template <class... Values>
  void guess(fmt::format_string<Values...> words, Values&&... values) {
    guesses_.push_back(fmt::format(words, std::forward<Values>(values)...));
  }
  template <class... Values>
  void ask(fmt::format_string<Values...> words, Values&&... values) {
    open_.push_back(fmt::format(words, std::forward<Values>(values)...));
  }

  void find_time_step() {
    if (settings_.time_step) {
      time_step_ = *settings_.time_step;
      if (!(time_step_ > 0) || !std::isfinite(time_step_))
        throw InputError("the time step must be a positive number of seconds");
    } else if (profile_.times.empty()) {
      throw InputError(fmt::format(
          "{}: no column is called {}; name the column of the time so, or give --time-step SECONDS",
          file_, fmt::join(time_columns(), ", ")));
    } else if (!(profile_.step > 0)) {
      throw InputError(
          fmt::format("{}: the stamps in '{}' do not go forwards", file_, profile_.time_column));
    } else {
      time_step_ = profile_.step;
      for (int digits = 1; digits <= 4; ++digits)
        if (const double round = round_to(profile_.step, digits);
            std::abs(round / profile_.step - 1) <= kRound) {
          time_step_ = round;
          break;
        }
      guess("time_step = {} s: the median of the steps in '{}', which jitter by {:.2g} %",
            time_step_, profile_.time_column, 100 * profile_.jitter);
    }
    if (!settings_.time_step) bridge_gaps();
    if (!profile_.guessed_time_unit.empty())
      guess(
          "'{}' is in {}: seconds would make steps of {} s; write '{} [s]' into the header if they "
          "are",
          profile_.time_column, profile_.guessed_time_unit,
          profile_.step * (profile_.guessed_time_unit == "ms"   ? 1e3
                           : profile_.guessed_time_unit == "us" ? 1e6
                                                                : 1e9),
          profile_.time_column);
    check_stamps();
    horizon_ = static_cast<int>(std::clamp<Index>(steps() - 1, 2, kLongestHorizon));
    guess("horizon = {} steps ({:.4g} s): {}", horizon_, horizon_ * time_step_,
          horizon_ == kLongestHorizon ? "a part of the log" : "as long as the log");
  }

  // Up to three steps without a row can be bridged: a few more of them by a longer step.
  void bridge_gaps() {
    constexpr double kWidest = 3, kLongestStep = 6;
    double gap = 0;
    for (std::size_t r = 1; r < profile_.times.size(); ++r)
      gap = std::max(gap, profile_.times[r] - profile_.times[r - 1]);
    const double factor = std::ceil(gap / (kWidest * time_step_) * (1 - 1e-9));
    if (!(factor > 1) || factor > kLongestStep) return;
    time_step_ = round_to(factor * time_step_, 4);
    guess("time_step = {} s instead, {} of those: once {:.3g} s are without a row", time_step_,
          factor, gap);
  }

  // What `rhc tell` would say of the stamps.
  void check_stamps() {
    double squares = 0, worst = 0, back = 0;
    for (std::size_t r = 1; r < profile_.times.size(); ++r) {
      const double passed = profile_.times[r] - profile_.times[r - 1];
      const double miss = passed / time_step_ - 1;
      squares += miss * miss;
      worst = std::max(worst, std::abs(miss));
      back = std::min(back, passed);
    }
    if (profile_.times.size() < 2) return;
    resample_ = worst > kTolerableJitter ||
                std::sqrt(squares / static_cast<double>(profile_.times.size() - 1)) > kUsualJitter;
    if (back < 0) ask("the time goes back by {:.4g} s; put the rows into order", -back);
    if (resample_)
      ask("some rows are up to {:.3g} time steps from where they should be: tell such logs with "
          "--resample",
          worst);
  }

  Index steps() const {
    if (profile_.times.empty()) return static_cast<Index>(table_.rows());
    const double duration = profile_.times.back() - profile_.times.front();
    return static_cast<Index>(std::clamp(std::floor(duration / time_step_ + 0.5) + 1, 3.0, 1e6));
  }

  const ColumnProfile& column_called(const std::string& name) const {
    for (const ColumnProfile& column : profile_.columns)
      if (column.name == name) {
        if (column.values.size() == 0)
          throw InputError(
              fmt::format("{}: column '{}' has cells that are no numbers", file_, name));
        return column;
      }
    table_.missing(name);
  }

  static bool is_a_time(const ColumnProfile& column) {
    const auto& times = time_columns();
    return column.name == "step" || std::ranges::find(times, column.name) != times.end();
  }

  static bool says_something(const ColumnProfile& column) {
    return column.values.size() > 0 && !column.constant && !column.counts && !is_a_time(column);
  }

  static int looks_like_an_action(const ColumnProfile& column) {
    constexpr double kWhite = 1, kHeld = 0.5;
    const bool rough = column.roughness > kWhite || column.held > kHeld;
    return 3 * called_like_an_action(column.name) + 2 * unit_of_an_action(column.unit) +
           4 * column.blank_end + rough - 4 * called_like_a_target(column.name);
  }

  void find_actions() {
    for (const std::string& name : settings_.actions)
      actions_.push_back(column_of(column_called(name), "as was said"));
    if (settings_.actions.empty())
      for (const ColumnProfile& column : profile_.columns) {
        const bool chosen =
            std::ranges::find(settings_.observations, column.name) != settings_.observations.end();
        if (chosen || !says_something(column) || looks_like_an_action(column) < 2) continue;
        actions_.push_back(column_of(column, column.blank_end ? "the last row has none"
                                             : called_like_an_action(column.name) ? "by its name"
                                                                                  : "by its unit"));
      }
    for (const DraftColumn& action : actions_)
      if (action.profile->constant)
        throw InputError(fmt::format(
            "{}: '{}' never changes, so the log does not tell what it does; record one in which it "
            "does",
            file_, action.name));
    if (!actions_.empty()) return;
    std::vector<std::string> names;
    for (const ColumnProfile& column : profile_.columns)
      if (column.values.size() > 0) names.push_back(column.name);
    throw InputError(fmt::format(
        "{}: no column looks like an action that moves the machine; say which it is by --action "
        "NAME (numbers are in: {})",
        file_, fmt::join(names, ", ")));
  }

  static DraftColumn column_of(const ColumnProfile& profile, const std::string& why) {
    return {.profile = &profile,
            .name = profile.name,
            .unit = profile.unit,
            .why = why,
            .values = profile.values};
  }

  bool taken(const ColumnProfile& column) const {
    return std::ranges::any_of(actions_,
                               [&](const DraftColumn& a) { return a.profile == &column; }) ||
           std::ranges::any_of(observations_, [&](const DraftColumn& o) {
             return o.profile == &column || o.sine == &column;
           });
  }

  void find_observations() {
    std::vector<std::string> left_out;
    for (const ColumnProfile& column : profile_.columns) {
      if (taken(column)) continue;
      const bool chosen =
          std::ranges::find(settings_.observations, column.name) != settings_.observations.end();
      if (!settings_.observations.empty() && !chosen) continue;
      if (chosen) column_called(column.name);
      if (!says_something(column) || (!chosen && called_like_a_target(column.name))) {
        left_out.push_back(fmt::format("'{}' ({})", column.name,
                                       column.values.size() == 0 ? "not all of it are numbers"
                                       : column.constant         ? "it never changes"
                                       : column.counts           ? "it counts the rows"
                                       : is_a_time(column)       ? "a time, by its name"
                                                                 : "a target, by its name"));
        continue;
      }
      if (!add_circle(column)) add_observation(column);
    }
    for (const std::string& name : settings_.observations) column_called(name);
    if (observations_.empty())
      throw InputError(fmt::format("{}: besides actions, no column says anything", file_));
    if (!left_out.empty()) guess("left out: {}", fmt::join(left_out, ", "));
    for (const DraftColumn& action : actions_)
      guess("'{}' is an action: {}", action.name, action.why);
  }

  // cos_NAME and sin_NAME on a circle are one angle.
  bool add_circle(const ColumnProfile& cosine) {
    if (!cosine.name.starts_with("cos_")) return false;
    const std::string name = cosine.name.substr(4);
    for (const ColumnProfile& sine : profile_.columns) {
      if (sine.name != "sin_" + name || sine.values.size() == 0) continue;
      const Eigen::ArrayXd radius =
          (cosine.values.array().square() + sine.values.array().square()).sqrt();
      if ((radius - 1).abs().maxCoeff() > 0.1) return false;
      DraftColumn angle{.profile = &cosine,
                        .name = name,
                        .unit = "rad",
                        .angle = true,
                        .turn = 2 * std::numbers::pi,
                        .sine = &sine,
                        .why = "its cosine and sine are on a circle"};
      angle.values = cosine.values.binaryExpr(sine.values,
                                              [](double c, double s) { return std::atan2(s, c); });
      observations_.push_back(std::move(angle));
      return true;
    }
    return false;
  }

  void add_observation(const ColumnProfile& profile) {
    DraftColumn column = column_of(profile, "");
    auto turn = turn_in(profile.unit);
    if (!turn && profile.unit.empty() && called_like_an_angle(profile.name)) {
      // Without a unit: many turns in radians are rather degrees.
      constexpr double kManyRadians = 40;
      const bool degrees = std::max(-profile.lowest, profile.highest) > kManyRadians;
      column.unit = degrees ? "deg" : "rad";
      turn = turn_in(column.unit);
      ask("'{}' has no unit; it is taken to be in {}", profile.name, column.unit);
    }
    if (turn) {
      const double widest = changes_of(profile.values, 0).cwiseAbs().maxCoeff();
      const double span = profile.highest - profile.lowest;
      column.turn = *turn;
      column.angle = widest > 0.7 * *turn || span > *turn / 2;
      column.why = widest > 0.7 * *turn ? "it jumps by a turn"
                   : span > *turn / 2   ? "it goes more than half way round"
                                        : "";
      if (!column.angle)
        guess(
            "'{}' is no full angle: it stays within {:.3g} {}; write angle = true where it can "
            "turn "
            "over",
            column.name, span, column.unit);
    } else if (column.unit.empty()) {
      ask("'{}' has no unit", column.name);
    }
    observations_.push_back(std::move(column));
  }

  void find_delay() {
    std::vector<DelayColumn> seen, done;
    for (const DraftColumn& column : observations_)
      seen.push_back({column.values, column.angle ? column.turn : 0});
    for (const DraftColumn& action : actions_) done.push_back({action.values, 0});
    if (const int late = action_delay(seen, done); late > 0) {
      history_ = late + 1;
      guess("history = {}: actions seem to act {} steps late", history_, late);
    }
  }

  // A speed that was logged beside its angle should be the derivative of it.
  void compare_with_derivatives() {
    if (resample_) return;
    for (const DraftColumn& speed : observations_)
      for (const DraftColumn& column : observations_) {
        if (&speed == &column || speed.angle) continue;
        const Vector rate = changes_of(column.values, column.angle ? column.turn : 0) / time_step_;
        if (rate.size() < 2) continue;
        const Vector between =
            (speed.values.head(rate.size()) + speed.values.tail(rate.size())) / 2;
        const double slope = between.dot(rate) / between.squaredNorm();
        const double left = (rate - slope * between).squaredNorm() / rate.squaredNorm();
        constexpr double kAlike = 0.05, kSame = 0.1;
        if (!(left < kAlike) || !std::isfinite(slope) || slope == 0) continue;
        const auto ratio = unit_ratio(speed.unit, column.unit + "/s");
        if (ratio ? std::abs(slope / *ratio - 1) < kSame
                  : speed.unit.empty() && std::abs(slope - 1) < kSame) {
          derivatives_.emplace_back(speed.name, column.name);
          guess("'{}' is the derivative of '{}'", speed.name, column.name);
        } else if (ratio) {
          ask("'{}' is the derivative of '{}' but for a factor of {:.3g}: is a unit wrong?",
              speed.name, column.name, *ratio / slope);
        }
      }
  }

  void tell_of_columns() {
    bool limits = true;
    for (const DraftColumn& column : observations_) {
      limits = limits && column.angle;
      const std::string what = column.angle ? " is an angle, " + column.why : "";
      if (column.sine || !(column.profile->noise > 0))
        guess("'{}'{}: no noise is seen", column.name, what);
      else
        guess("'{}'{}: from {:.4g} to {:.4g}{}, noise about {:.2g}", column.name, what,
              column.profile->lowest, column.profile->highest,
              column.unit.empty() ? "" : " " + column.unit, column.profile->noise);
    }
    for (const DraftColumn& action : actions_) {
      const auto [lower, upper] = tried_bounds(action);
      guess("'{}' has the bounds [{}, {}]: as far as the log goes", action.name, lower, upper);
    }
    if (!limits) ask("no [[observation]] has limits: write them where the machine must not go");
    ask("there is no [task]: write what `rhc solve` and `rhc control` are to reach");
  }

  // As a file is called, in the letters that a name may have.
  std::string name() const {
    constexpr std::size_t kLongestName = 60;
    std::string given = settings_.name;
    if (given.empty()) given = std::filesystem::path(file_).stem().string();
    for (char& c : given)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '-';
    given = given.substr(0, kLongestName);
    return given.empty() ? "system" : given;
  }

  LogTable table_;
  LogProfile profile_;
  const DraftSettings& settings_;
  const std::string& file_;
  double time_step_ = 0;
  int horizon_ = 0, history_ = 1;
  bool resample_ = false;
  std::vector<DraftColumn> observations_, actions_;
  std::vector<std::pair<std::string, std::string>> derivatives_;
  std::vector<std::string> guesses_, open_;
};

}  // namespace

Draft draft_description(std::string_view log, const std::string& file,
                        const DraftSettings& settings) {
  return Drafting(log, file, settings).draft();
}

}  // namespace rhc
