#include "rhc/describe/description_change.h"

#include <fmt/format.h>

#include "rhc/core/text.h"

namespace rhc {

namespace {

std::string interval(double lower, double upper) {
  return fmt::format("[{}, {}]", exact(lower), exact(upper));
}

std::string list(const Vector& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + exact(value);
  return "[" + text + "]";
}

std::string list(const std::vector<Quantity>& quantities) {
  std::string text;
  for (const Quantity& quantity : quantities)
    text += (text.empty() ? "" : ", ") + with_unit(quantity);
  return text;
}

// How each measured quantity is turned into observations.
std::string list(const std::vector<Measure>& measures) {
  std::string text;
  for (const Measure& measure : measures)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", with_unit(measure.quantity),
                        measure.angle ? " (an angle)" : "");
  return text;
}

void note(std::vector<std::string>& differences, const std::string& what, const std::string& before,
          const std::string& after) {
  if (before != after) differences.push_back(fmt::format("{}: {}, now {}", what, before, after));
}

void note_boxes(std::vector<std::string>& differences, const std::string& what,
                const std::vector<Quantity>& quantities, const Box& before, const Box& after) {
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const auto at = static_cast<Index>(i);
    note(differences, fmt::format("{} of '{}'", what, quantities[i].name),
         interval(before.lower[at], before.upper[at]), interval(after.lower[at], after.upper[at]));
  }
}

std::string known_of(const SystemSpec& spec) { return spec.known ? spec.known.words : "nothing"; }

std::string final_weight_of(const SystemSpec& spec) {
  return spec.task.final_weight.size() > 0 ? list(spec.task.final_weight) : "as before the end";
}

std::string rate_of(const SystemSpec& spec) {
  return spec.safety.rate.size() > 0 ? list(spec.safety.rate) : "any";
}

}  // namespace

DescriptionChange description_change(const SystemFile& old_file, const SystemFile& new_file) {
  const SystemSpec &before = old_file.system.spec(), &after = new_file.system.spec();
  DescriptionChange change;
  note(change.refused, "name", before.name, after.name);
  note(change.refused, "what is measured", list(old_file.measures), list(new_file.measures));
  note(change.refused, "actions", list(before.action), list(after.action));
  note(change.refused, "time_step", exact(before.time_step), exact(after.time_step));
  note(change.refused, "horizon", std::to_string(before.horizon), std::to_string(after.horizon));
  note(change.refused, "history", std::to_string(before.history), std::to_string(after.history));
  note(change.refused, "what is known of the motion", known_of(before), known_of(after));
  note(change.refused, "simulated", before.simulated ? "yes" : "no",
       after.simulated ? "yes" : "no");
  if (!change.refused.empty()) return change;
  // A model that sees the past was taught what stood before the first step.
  note(before.history > 1 ? change.refused : change.differences, "rest",
       list(action_at_rest(before)), list(action_at_rest(after)));

  std::vector<std::string>& differences = change.differences;
  note_boxes(differences, "bounds", before.action, before.action_bounds, after.action_bounds);
  note(differences, "rate", rate_of(before), rate_of(after));
  note_boxes(differences, "limits", before.observation, before.limits, after.limits);
  note_boxes(differences, "range", before.state, before.region, after.region);
  note(differences, "start", list(before.start), list(after.start));
  note(differences, "sigmas", exact(before.safety.sigmas), exact(after.safety.sigmas));
  note(differences, "first", exact(before.safety.first), exact(after.safety.first));
  note(differences, "target", list(before.task.target), list(after.task.target));
  note(differences, "weight", list(before.task.weight), list(after.task.weight));
  note(differences, "final_weight", final_weight_of(before), final_weight_of(after));
  note(differences, "action_weight", list(before.task.action_weight),
       list(after.task.action_weight));
  note(differences, "title", before.title, after.title);
  return change;
}

}  // namespace rhc
