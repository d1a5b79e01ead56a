#include "rhc/explore/trouble.h"

#include <fmt/format.h>

#include "rhc/plan/planner.h"

namespace rhc {

namespace {

constexpr char kNoPlan[] = "no plan inside the limits was found";
constexpr char kOnlyRest[] = "no plan but rest was found inside the limits";
constexpr char kRepeated[] = "no plan keeps its margin, so it is one like the first";
constexpr char kPlanningFailed[] = "planning failed";
constexpr char kLimits[] = "the limits";
constexpr char kEndedByPlant[] = "ended by the plant";

std::string where_it_left(const Trajectory& seen, const SystemSpec& spec) {
  for (Index t = 0; t <= seen.steps(); ++t) {
    const Index outside = spec.limits.first_outside(seen.observations.col(t));
    if (outside < 0) continue;
    const std::string value =
        fmt::format("{} = {:.4g}", spec.observation[static_cast<std::size_t>(outside)].name,
                    seen.observations(outside, t));
    return t == 0 ? fmt::format("began outside {}: {}", kLimits, value)
                  : fmt::format("left {} at step {}: {}", kLimits, t, value);
  }
  return "";
}

}  // namespace

std::string plan_trouble(std::string_view status, const Matrix& actions, const SystemSpec& spec) {
  if (status == name(PlanStatus::failed)) return kPlanningFailed;
  if (status == name(PlanStatus::infeasible)) return kNoPlan;
  if (status == name(PlanStatus::repeated)) return kRepeated;
  if (status != name(PlanStatus::shrunk)) return "";
  return (actions.colwise() - action_at_rest(spec)).isZero() ? kOnlyRest : "";
}

std::string episode_trouble(std::string_view status, const Trajectory& seen,
                            const SystemSpec& spec) {
  if (seen.steps() == 0) return "nothing was measured";
  std::string text = plan_trouble(status, seen.actions, spec);
  const auto add = [&](const std::string& what) {
    if (!what.empty()) text += (text.empty() ? "" : "; ") + what;
  };
  add(where_it_left(seen, spec));
  // An episode ends where it is seen outside.
  if (seen.steps() < spec.horizon && spec.limits.contains(seen.observations.col(seen.steps())))
    add(fmt::format("{} after {} of {} steps", seen.ended ? kEndedByPlant : "ended", seen.steps(),
                    spec.horizon));
  return text;
}

std::string_view trouble_in_short(std::string_view trouble) {
  if (trouble.empty()) return "";
  if (trouble.starts_with(kOnlyRest)) return "rest";
  if (trouble.starts_with(kNoPlan)) return "no plan";
  if (trouble.starts_with(kPlanningFailed)) return "failed";
  if (trouble.find(kEndedByPlant) != std::string_view::npos) return "ended";
  // An experiment like the first one is none to worry about; one that left the limits is.
  if (trouble.find(kLimits) != std::string_view::npos) return "limits";
  return trouble.starts_with(kRepeated) ? "again" : "short";
}

std::string told_less(const MetricsRow& row) {
  constexpr double kTimes = 3, kNats = 10;
  const std::optional<double> planned = promised(row);
  if (!planned || !row.information_gained) return "";
  const double gained = *row.information_gained;
  if (*planned <= kTimes * gained || *planned <= gained + kNats) return "";
  return fmt::format(
      "it told {:.3g} nats of the {:.3g} that were planned: it did not go as the model expected",
      gained, *planned);
}

std::optional<double> promised(const MetricsRow& row) {
  const std::string_view trouble = row.trouble ? std::string_view(*row.trouble) : "";
  const bool none = row.plan_status == name(PlanStatus::infeasible) ||
                    row.plan_status == name(PlanStatus::failed) || trouble.starts_with(kOnlyRest);
  return none ? std::nullopt : row.information_planned;
}

}  // namespace rhc
