#include "rhc/run/record_remarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rhc/explore/drift.h"
#include "rhc/explore/needed_history.h"

namespace rhc {

namespace {

const Quantity& observation_of(const SystemSpec& spec, Index output) {
  return spec.observation[static_cast<std::size_t>(output)];
}

std::string value_with_unit(double value, const Quantity& quantity) {
  return fmt::format("{:.2g}{}{}", value, quantity.unit.empty() ? "" : " ", quantity.unit);
}

std::string steps(int count) { return fmt::format("{} step{}", count, count == 1 ? "" : "s"); }

// Such as "'voltage' acts 2 steps late".
std::vector<std::string> late_actions(const NeededHistory& needed, const SystemSpec& spec) {
  std::vector<std::string> all;
  for (std::size_t a = 0; a < needed.late.size(); ++a)
    if (needed.late[a] > 0)
      all.push_back(fmt::format("'{}' acts {} late", spec.action[a].name, steps(needed.late[a])));
  return all;
}

}  // namespace

std::optional<std::string> remark_on_history(const std::vector<Trajectory>& episodes,
                                             const SystemSpec& spec) {
  const auto needed = needed_history(episodes, spec);
  if (!needed) return std::nullopt;
  std::vector<std::string> why = late_actions(*needed, spec);
  if (needed->moments > spec.history)
    why.push_back(fmt::format(
        "what is measured at {} does not tell how it goes on, as where a "
        "speed is not measured",
        spec.history == 1 ? std::string("one moment") : fmt::format("{} moments", spec.history)));
  const Quantity& output = observation_of(spec, needed->output);
  return fmt::format(
      "{}: one step ahead '{}' is wrong by {}, and by {} with a longer history; set history = {} "
      "in "
      "the system file, for a run of its own",
      fmt::join(why, ", and "), output.name, value_with_unit(needed->error_now, output),
      value_with_unit(needed->error, output), needed->history);
}

std::optional<std::string> remark_on_drift(const std::vector<Trajectory>& episodes,
                                           const DynamicsModel& learned, const SystemSpec& spec) {
  std::vector<Transitions> data;
  for (const Trajectory& episode : episodes)
    data.push_back(transitions_of(episode, spec.limits, spec.history));
  const auto drift = drift_in(data, learned.regression);
  if (!drift) return std::nullopt;
  const Quantity& output = observation_of(spec, drift->output);
  return fmt::format(
      "the system seems to have changed since the first episodes: one step ahead '{}' is wrong by "
      "{} "
      "after learning from episodes nearby in time, and by {} after as many far away; did anything "
      "warm up, wear or come loose? The setting forgetting = EPISODES lets a run rely on the "
      "latest",
      output.name, value_with_unit(drift->error_near, output),
      value_with_unit(drift->error_far, output));
}

}  // namespace rhc
