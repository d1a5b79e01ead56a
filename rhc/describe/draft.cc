#include "rhc/describe/draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <numbers>
#include <sstream>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/describe/action_delay.h"
#include "rhc/describe/log_profile.h"
#include "rhc/describe/units.h"

namespace rhc {

namespace {

constexpr Index kFewestToGuess = 8;
constexpr int kLongestHorizon = 300;
// Shares of the time step: what is a round number of it, and what `rhc tell` takes as it is.
constexpr double kRound = 0.005;
constexpr double kUsualJitter = 0.1, kTolerableJitter = 0.25;

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

// With so many significant digits, upwards, downwards or to the nearest.
double round_to(double value, int digits, double (*way)(double) = std::round) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit =
      std::pow(10.0, std::floor(std::log10(std::abs(value))) - static_cast<double>(digits) + 1);
  // The nearest decimal of that length.
  return parse_number(fmt::format("{:.{}g}", way(value / unit) * unit, digits)).value_or(value);
}

// The letters of a name by words: "field.Tau_1" is "field" and "tau".
std::vector<std::string> letters_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalpha(letter))
      words.back() += static_cast<char>(std::tolower(letter));
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

bool has_word(const std::string& name, std::initializer_list<std::string_view> known) {
  for (const std::string& word : letters_of(name))
    if (std::find(known.begin(), known.end(), word) != known.end()) return true;
  return false;
}

bool called_like_an_action(const std::string& name) {
  return has_word(
      name, {"torque",  "tau",     "force", "u",        "input", "command",  "cmd",     "current",
             "voltage", "volt",    "volts", "pwm",      "duty",  "throttle", "thrust",  "effort",
             "action",  "control", "ctrl",  "actuator", "valve", "heater",   "steering"});
}

bool called_like_a_target(const std::string& name) {
  return has_word(name, {"ref", "reference", "target", "setpoint", "desired", "des", "goal"});
}

bool called_like_an_angle(const std::string& name) {
  return has_word(name, {"angle", "theta", "phi", "psi", "alpha", "yaw", "heading", "roll", "pitch",
                         "q", "rotation"});
}

bool unit_of_an_action(const std::string& unit) {
  for (const char* of : {"N", "N m", "A", "V"})
    if (unit_ratio(unit, of)) return true;
  return unit == "%" || unit == "PWM" || unit == "pwm";
}

// A full turn in this unit; nothing where it is none of an angle.
std::optional<double> turn_in(const std::string& unit) {
  const auto radians = unit_ratio(unit, "rad");
  if (!radians || unit.empty()) return std::nullopt;
  return 2 * std::numbers::pi / *radians;
}

struct Column {
  const ColumnProfile* profile;
  std::string name;  // of the quantity
  std::string unit;
  bool angle = false;
  double turn = 0;                      // of an angle, in its unit
  const ColumnProfile* sine = nullptr;  // where it was logged as cosine and sine
  std::string why{};
  Vector values{};
};

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
    std::string toml = write();
    return {std::move(toml), std::move(guesses_), std::move(open_), resample_};
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

  static bool says_something(const ColumnProfile& column) {
    return column.values.size() > 0 && !column.constant && !column.counts;
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
    for (const Column& action : actions_)
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

  static Column column_of(const ColumnProfile& profile, const std::string& why) {
    return {.profile = &profile,
            .name = profile.name,
            .unit = profile.unit,
            .why = why,
            .values = profile.values};
  }

  bool taken(const ColumnProfile& column) const {
    return std::ranges::any_of(actions_, [&](const Column& a) { return a.profile == &column; }) ||
           std::ranges::any_of(observations_, [&](const Column& o) {
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
                                                                 : "a target, by its name"));
        continue;
      }
      if (!add_circle(column)) add_observation(column);
    }
    for (const std::string& name : settings_.observations) column_called(name);
    if (observations_.empty())
      throw InputError(fmt::format("{}: besides actions, no column says anything", file_));
    if (!left_out.empty()) guess("left out: {}", fmt::join(left_out, ", "));
    for (const Column& action : actions_) guess("'{}' is an action: {}", action.name, action.why);
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
      Column angle{.profile = &cosine,
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
    Column column = column_of(profile, "");
    auto turn = turn_in(profile.unit);
    if (!turn && profile.unit.empty() && called_like_an_angle(profile.name) &&
        !has_word(profile.name, {"rate", "vel", "velocity", "speed", "dot"})) {
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
    for (const Column& column : observations_)
      seen.push_back({column.values, column.angle ? column.turn : 0});
    for (const Column& action : actions_) done.push_back({action.values, 0});
    if (const int late = action_delay(seen, done); late > 0) {
      history_ = late + 1;
      guess("history = {}: actions seem to act {} steps late", history_, late);
    }
  }

  // A speed that was logged beside its angle should be the derivative of it.
  void compare_with_derivatives() {
    if (resample_) return;
    for (const Column& speed : observations_)
      for (const Column& column : observations_) {
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

  std::string write() {
    std::string name = settings_.name;
    if (name.empty()) name = std::filesystem::path(file_).stem().string();
    std::string plain;
    for (const char c : name)
      plain += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ? c : '-';
    plain = plain.substr(0, 60);
    std::string text = fmt::format(
        "# Drafted by `rhc describe` from a recording of {} rows. Read it before `rhc new`:\n"
        "# docs/own-system.md explains every key.\n"
        "name = {}\n"
        "time_step = {}  # seconds\n"
        "horizon = {}  # steps of an experiment\n",
        table_.rows(), quoted(plain.empty() ? "system" : plain), toml_number(time_step_), horizon_);
    if (history_ > 1)
      text += fmt::format("history = {}  # actions seem to act {} steps late\n", history_,
                          history_ - 1);
    for (const Column& column : observations_) text += observation_text(column);
    for (const Column& action : actions_) text += action_text(action);
    text +=
        "\n[safety]\n"
        "sigmas = 2  # predictions stay inside the limits by so many deviations\n"
        "first = 0.5  # share of the bounds that is used while nothing is known\n";
    return text + task_text();
  }

  std::string observation_text(const Column& column) {
    const double first = column.values[0];
    std::string text = fmt::format("\n[[observation]]\nname = {}\nunit = {}\n", quoted(column.name),
                                   quoted(column.unit));
    if (column.angle) text += fmt::format("angle = true  # {}\n", column.why);
    text += fmt::format("start = {}  # where the log begins\n", toml_number(round_to(first, 3)));
    if (!column.angle) {
      const double low = column.profile->lowest, high = column.profile->highest;
      const double room = 0.1 * (high - low);
      double lower = round_to(low - room, 2, std::floor),
             upper = round_to(high + room, 2, std::ceil);
      if (!std::isfinite(lower) || !std::isfinite(upper) || !(lower < upper)) {
        lower = low;
        upper = high;
      }
      text += fmt::format("range = [{}, {}]  # the log goes from {:.4g} to {:.4g}\n",
                          toml_number(lower), toml_number(upper), low, high);
      text += "# limits = [..., ...]  # an experiment ends outside\n";
      ask_for_limits_ = true;
    }
    for (const auto& [speed, of] : derivatives_)
      if (speed == column.name)
        text += fmt::format("# derivative_of = {}  # so that only what it has wrong is learned\n",
                            quoted(of));
    if (!column.sine && column.profile->noise > 0) {
      const std::string unit = column.unit.empty() ? "" : " " + column.unit;
      text += fmt::format("# noise: about {:.2g}{}\n", column.profile->noise, visible(unit));
      guess("'{}'{}: from {:.4g} to {:.4g}{}, noise about {:.2g}", column.name,
            column.angle ? " is an angle, " + column.why : "", column.profile->lowest,
            column.profile->highest, unit, column.profile->noise);
    } else {
      guess("'{}'{}: no noise is seen", column.name,
            column.angle ? " is an angle, " + column.why : "");
    }
    return text;
  }

  // No more than was done already: what a machine survived.
  std::string action_text(const Column& action) {
    const double low = action.profile->lowest, high = action.profile->highest;
    const double rest = std::clamp(0.0, low, high);
    double lower = round_to(low, 3, std::ceil), upper = round_to(high, 3, std::floor);
    constexpr double kSymmetric = 0.05;
    if (std::abs(low + high) < kSymmetric * (high - low)) {
      upper = std::min(-lower, upper);
      lower = -upper;
    }
    if (!(lower < upper) || rest < lower || rest > upper) {
      lower = low;
      upper = high;
    }
    const Vector changes = changes_of(action.values, 0);
    guess("'{}' has the bounds [{}, {}]: as far as the log goes", action.name, lower, upper);
    return fmt::format(
        "\n[[action]]\nname = {}\nunit = {}\n"
        "bounds = [{}, {}]  # as far as the log goes, from {:.4g} to {:.4g}\n"
        "# rate = {}  # the largest change in the log, a second\n"
        "rest = {}  # before an experiment begins\n",
        quoted(action.name), quoted(action.unit), toml_number(lower), toml_number(upper), low, high,
        toml_number(round_to(changes.cwiseAbs().maxCoeff() / time_step_, 2)), toml_number(rest));
  }

  // Only a person knows what for.
  std::string task_text() {
    std::vector<std::string> target, weight, costs;
    const auto key = [](const std::string& name) {
      return std::ranges::all_of(
                 name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; })
                 ? name
                 : quoted(name);
    };
    for (const Column& column : observations_) {
      target.push_back(
          fmt::format("{} = {}", key(column.name), toml_number(round_to(column.values[0], 3))));
      const double half = column.angle ? 1 : (column.profile->highest - column.profile->lowest) / 2;
      weight.push_back(
          fmt::format("{} = {}", key(column.name), toml_number(round_to(1 / (half * half), 1))));
    }
    for (const Column& action : actions_) {
      const double half = (action.profile->highest - action.profile->lowest) / 2;
      costs.push_back(
          fmt::format("{} = {}", key(action.name), toml_number(round_to(0.01 / (half * half), 1))));
    }
    if (ask_for_limits_)
      ask("no [[observation]] has limits: write them where the machine must not go");
    ask("there is no [task]: write what `rhc solve` and `rhc control` are to reach");
    return fmt::format(
        "\n# What `rhc solve` and `rhc control` are to reach; weights of 1 over the square of what "
        "is "
        "much.\n# [task]\n# target = {{ {} }}\n# weight = {{ {} }}\n# action_weight = {{ {} }}\n",
        fmt::join(target, ", "), fmt::join(weight, ", "), fmt::join(costs, ", "));
  }

  static std::string toml_number(double value) {
    if (!std::isfinite(value)) return "1.0";
    const std::string text = exact(value);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }

  LogTable table_;
  LogProfile profile_;
  const DraftSettings& settings_;
  const std::string& file_;
  double time_step_ = 0;
  int horizon_ = 0, history_ = 1;
  bool resample_ = false, ask_for_limits_ = false;
  std::vector<Column> observations_, actions_;
  std::vector<std::pair<std::string, std::string>> derivatives_;
  std::vector<std::string> guesses_, open_;
};

}  // namespace

Draft draft_description(std::string_view log, const std::string& file,
                        const DraftSettings& settings) {
  return Drafting(log, file, settings).draft();
}

}  // namespace rhc
