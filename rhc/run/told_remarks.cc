#include "rhc/run/told_remarks.h"

#include <fmt/format.h>

#include <algorithm>

namespace rhc {

namespace {

struct CameInside {
  std::string measure;
  double share;  // of an angle, that of its cosine and sine together
};

std::vector<CameInside> came_inside(const Trajectory& told, const Forecast& announced,
                                    const SystemFile& system) {
  const Index steps = std::min(told.steps(), announced.mean.cols() - 1);
  std::vector<CameInside> all;
  if (steps == 0) return all;
  Index at = 0;
  for (const Measure& measure : system.measures) {
    const Index size = measure.angle ? 2 : 1;
    const auto off =
        (told.observations.block(at, 1, size, steps) - announced.mean.block(at, 1, size, steps))
            .array()
            .abs();
    const auto band = 1.96 * announced.deviation.block(at, 1, size, steps).array();
    all.push_back({measure.quantity.name, (off <= band).cast<double>().mean()});
    at += size;
  }
  return all;
}

class Remarks {
 public:
  Remarks(const Trajectory& told, const SystemFile& system)
      : told_(told), system_(system), spec_(system.system.spec()) {}

  void of_limits() {
    for (Index t = 1; t <= told_.steps(); ++t) {
      const Index i = spec_.limits.first_outside(told_.observations.col(t));
      if (i < 0) continue;
      add("'{}' left its limits [{}, {}] at step {}; {}",
          spec_.observation[static_cast<std::size_t>(i)].name, spec_.limits.lower[i],
          spec_.limits.upper[i], t,
          t < told_.steps()
              ? fmt::format("{} of {} steps, that one and those after it, are not learned from",
                            told_.steps() - t + 1, told_.steps())
              : "it ends there, and that step is not learned from");
      return;
    }
  }

  void of_length(const Proposal& asked) {
    if (told_.steps() > asked.actions.cols())
      add("{} steps were measured, and {} were asked for; all are learned from", told_.steps(),
          asked.actions.cols());
  }

  void of_actions(const Proposal& asked) {
    const Index steps = std::min(told_.steps(), asked.actions.cols());
    if (steps == 0) return;
    const Matrix off = (told_.actions.leftCols(steps) - asked.actions.leftCols(steps)).cwiseAbs();
    Index i = 0, t = 0;
    const double most = off.maxCoeff(&i, &t);
    if (most <= 1e-6 * (spec_.action_bounds.upper - spec_.action_bounds.lower).maxCoeff()) return;
    const Quantity& action = spec_.action[static_cast<std::size_t>(i)];
    add("the actions differ from those that were asked for, '{}' at step {} by {:.3g} {}; it is "
        "learned from what was done",
        action.name, t, most, action.unit);
  }

  // Of an angle on its circle, of others in the range of interest.
  void of_start(const Proposal& asked) {
    Index at = 0;
    for (std::size_t m = 0; m < system_.measures.size(); ++m) {
      const Measure& measure = system_.measures[m];
      const Index size = measure.angle ? 2 : 1, k = static_cast<Index>(m);
      const double away =
          (told_.observations.col(0) - asked.start).segment(at, size).cwiseAbs().maxCoeff();
      const double range = measure.angle ? 2 : spec_.region.upper[k] - spec_.region.lower[k];
      if (away > 0.05 * range)
        add("'{}' began elsewhere than the plan does; `rhc ask --start` plans from where the "
            "machine stands",
            measure.quantity.name);
      at += size;
    }
  }

  std::vector<std::string> all;

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> text, Values&&... values) {
    all.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  const Trajectory& told_;
  const SystemFile& system_;
  const SystemSpec& spec_;
};

}  // namespace

std::vector<std::string> remarks_on(const Trajectory& told, const std::optional<Proposal>& asked,
                                    const SystemFile& system) {
  Remarks remarks(told, system);
  remarks.of_limits();
  if (asked) {
    remarks.of_length(*asked);
    remarks.of_actions(*asked);
    remarks.of_start(*asked);
  }
  return std::move(remarks.all);
}

std::string announced_and_came(const Trajectory& told, const Forecast& announced,
                               const SystemFile& system) {
  std::string text;
  for (const CameInside& came : came_inside(told, announced, system))
    text += text.empty()
                ? fmt::format("{} {:.0f} % inside its 95 % band", came.measure, 100 * came.share)
                : fmt::format(", {} {:.0f} %", came.measure, 100 * came.share);
  return text;
}

std::vector<std::string> remarks_on_surprise(const Trajectory& told,
                                             const std::optional<Proposal>& asked,
                                             const std::vector<LogReading>& readings,
                                             const DynamicsModel* before, const SystemFile& system,
                                             const std::string& take_back) {
  std::vector<std::string> remarks;
  if (before) {
    // A frozen sensor explains more than any other reading of the log.
    remarks = frozen_observations(*before, told, system);
    if (remarks.empty())
      if (const auto suspicion = suspicion_of(*before, told, readings))
        remarks.push_back(suspicion_in_words(*suspicion, take_back));
  }
  if (!remarks.empty() || !asked || !asked->forecast) return remarks;
  // Where more is outside than not.
  std::string outside;
  for (const CameInside& came : came_inside(told, *asked->forecast, system))
    if (came.share < 0.5) outside += (outside.empty() ? "'" : ", '") + came.measure + "'";
  if (!outside.empty())
    remarks.push_back("the model did not expect what came of " + outside +
                      "; it learns from it, and announces wider bands");
  return remarks;
}

}  // namespace rhc
