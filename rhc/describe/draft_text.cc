#include "rhc/describe/draft_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "rhc/core/text.h"

namespace rhc {

namespace {

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

std::string toml_number(double value) {
  if (!std::isfinite(value)) return "1.0";
  const std::string text = exact(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string observation_text(const DraftColumn& column, const DraftParts& parts) {
  const double first = column.values[0];
  std::string text = fmt::format("\n[[observation]]\nname = {}\nunit = {}\n", quoted(column.name),
                                 quoted(column.unit));
  if (column.angle) text += fmt::format("angle = true  # {}\n", column.why);
  text += fmt::format("start = {}  # where the log begins\n", toml_number(round_to(first, 3)));
  if (!column.angle) {
    const double low = column.profile->lowest, high = column.profile->highest;
    const double room = 0.1 * (high - low);
    double lower = round_to(low - room, 2, std::floor), upper = round_to(high + room, 2, std::ceil);
    if (!std::isfinite(lower) || !std::isfinite(upper) || !(lower < upper)) {
      lower = low;
      upper = high;
    }
    text += fmt::format("range = [{}, {}]  # the log goes from {:.4g} to {:.4g}\n",
                        toml_number(lower), toml_number(upper), low, high);
    text += "# limits = [..., ...]  # an experiment ends outside\n";
  }
  for (const auto& [speed, of] : parts.derivatives)
    if (speed == column.name)
      text += fmt::format("# derivative_of = {}  # so that only what it has wrong is learned\n",
                          quoted(of));
  if (!column.sine && column.profile->noise > 0) {
    const std::string unit = column.unit.empty() ? "" : " " + column.unit;
    text += fmt::format("# noise: about {:.2g}{}\n", column.profile->noise, visible(unit));
  }
  return text;
}

std::string action_text(const DraftColumn& action, double time_step) {
  const double low = action.profile->lowest, high = action.profile->highest;
  const auto [lower, upper] = tried_bounds(action);
  const double fastest = changes_of(action.values, 0).cwiseAbs().maxCoeff() / time_step;
  return fmt::format(
      "\n[[action]]\nname = {}\nunit = {}\n"
      "bounds = [{}, {}]  # as far as the log goes, from {:.4g} to {:.4g}\n"
      "# rate = {}  # the largest change in the log, a second\n"
      "rest = {}  # before an experiment begins\n",
      quoted(action.name), quoted(action.unit), toml_number(lower), toml_number(upper), low, high,
      toml_number(round_to(fastest, 2)), toml_number(std::clamp(0.0, low, high)));
}

// Only a person knows what for.
std::string task_text(const DraftParts& parts) {
  std::vector<std::string> target, weight, costs;
  const auto key = [](const std::string& name) {
    return std::ranges::all_of(
               name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; })
               ? name
               : quoted(name);
  };
  for (const DraftColumn& column : parts.observations) {
    target.push_back(
        fmt::format("{} = {}", key(column.name), toml_number(round_to(column.values[0], 3))));
    const double half = column.angle ? 1 : (column.profile->highest - column.profile->lowest) / 2;
    weight.push_back(
        fmt::format("{} = {}", key(column.name), toml_number(round_to(1 / (half * half), 1))));
  }
  for (const DraftColumn& action : parts.actions) {
    const double half = (action.profile->highest - action.profile->lowest) / 2;
    costs.push_back(
        fmt::format("{} = {}", key(action.name), toml_number(round_to(0.01 / (half * half), 1))));
  }
  return fmt::format(
      "\n# What `rhc solve` and `rhc control` are to reach; weights of 1 over the square of what "
      "is "
      "much.\n# [task]\n# target = {{ {} }}\n# weight = {{ {} }}\n# action_weight = {{ {} }}\n",
      fmt::join(target, ", "), fmt::join(weight, ", "), fmt::join(costs, ", "));
}

}  // namespace

double round_to(double value, int digits, double (*way)(double)) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit =
      std::pow(10.0, std::floor(std::log10(std::abs(value))) - static_cast<double>(digits) + 1);
  // The nearest decimal of that length.
  return parse_number(fmt::format("{:.{}g}", way(value / unit) * unit, digits)).value_or(value);
}

std::pair<double, double> tried_bounds(const DraftColumn& action) {
  const double low = action.profile->lowest, high = action.profile->highest;
  const double rest = std::clamp(0.0, low, high);
  double lower = round_to(low, 3, std::ceil), upper = round_to(high, 3, std::floor);
  constexpr double kSymmetric = 0.05;
  if (std::abs(low + high) < kSymmetric * (high - low)) {
    upper = std::min(-lower, upper);
    lower = -upper;
  }
  if (!(lower < upper) || rest < lower || rest > upper) return {low, high};
  return {lower, upper};
}

std::string draft_text(const DraftParts& parts) {
  std::string text = fmt::format(
      "# Drafted by `rhc describe` from a recording of {} rows. Read it before `rhc new`:\n"
      "# docs/own-system.md explains every key.\n"
      "name = {}\n"
      "time_step = {}  # seconds\n"
      "horizon = {}  # steps of an experiment\n",
      parts.rows, quoted(parts.name), toml_number(parts.time_step), parts.horizon);
  if (parts.history > 1)
    text += fmt::format("history = {}  # actions seem to act {} steps late\n", parts.history,
                        parts.history - 1);
  for (const DraftColumn& column : parts.observations) text += observation_text(column, parts);
  for (const DraftColumn& action : parts.actions) text += action_text(action, parts.time_step);
  text +=
      "\n[safety]\n"
      "sigmas = 2  # predictions stay inside the limits by so many deviations\n"
      "first = 0.5  # share of the bounds that is used while nothing is known\n";
  return text + task_text(parts);
}

}  // namespace rhc
