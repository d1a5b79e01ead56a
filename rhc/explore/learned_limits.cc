#include "rhc/explore/learned_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace rhc {

namespace {

// How far an end lies beyond what was survived of one observation; not positive: inside.
double beyond(const EndsSeen& seen, const Vector& end, Index i) {
  return std::max(seen.survived.lower[i] - end[i], end[i] - seen.survived.upper[i]);
}

// Which ends one observation explains, and by how much in units of its spread.
struct Explanation {
  Index observation = -1;
  std::vector<std::size_t> ends{};
  double margin = kInfinity;  // of the nearest of them

  bool better_than(const Explanation& other) const {
    return ends.size() != other.ends.size() ? ends.size() > other.ends.size()
                                            : margin > other.margin;
  }
};

Explanation explanation_by(Index i, const EndsSeen& seen, double spread,
                           const std::vector<std::size_t>& open) {
  Explanation found{.observation = i};
  for (const std::size_t e : open) {
    const double away = beyond(seen, seen.ends[e], i);
    if (!(away > 0)) continue;
    found.ends.push_back(e);
    found.margin = std::min(found.margin, away / spread);
  }
  return found;
}

Vector spread_survived(const EndsSeen& seen) {
  Vector lower = seen.survived.lower, upper = seen.survived.upper;
  for (const Vector& end : seen.ends) {
    lower = lower.cwiseMin(end);
    upper = upper.cwiseMax(end);
  }
  return upper - lower;
}

// Half way to the nearest end on each side that ends lie on.
void take_over(const Explanation& best, const EndsSeen& seen, Box& limits) {
  const Index i = best.observation;
  const double lowest = seen.survived.lower[i], highest = seen.survived.upper[i];
  for (const std::size_t e : best.ends) {
    const double end = seen.ends[e][i];
    if (end > highest)
      limits.upper[i] = std::min(limits.upper[i], std::midpoint(highest, end));
    else
      limits.lower[i] = std::max(limits.lower[i], std::midpoint(end, lowest));
  }
}

double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// That a normally distributed value is between the bounds.
double chance_inside(double mean, double deviation, double lower, double upper) {
  if (!(deviation > 0)) return mean >= lower && mean <= upper ? 1 : 0;
  return normal_below((upper - mean) / deviation) - normal_below((lower - mean) / deviation);
}

}  // namespace

void note_episode(const Trajectory& seen, const Box& described, EndsSeen& ends) {
  const Index last = seen.steps();
  if (last == 0) return;
  const Index survived = seen.ended ? last : last + 1;
  const auto kept = seen.observations.leftCols(survived);
  if (ends.survived.size() == 0)
    ends.survived = {kept.rowwise().minCoeff(), kept.rowwise().maxCoeff()};
  ends.survived.lower = ends.survived.lower.cwiseMin(kept.rowwise().minCoeff());
  ends.survived.upper = ends.survived.upper.cwiseMax(kept.rowwise().maxCoeff());
  // An end outside the described limits needs no other explanation.
  if (survived == last && described.contains(seen.observations.col(last)))
    ends.ends.emplace_back(seen.observations.col(last));
}

LearnedLimits learned_limits(const EndsSeen& seen) {
  LearnedLimits learned{.ends = seen.ends.size()};
  if (seen.ends.empty()) return learned;
  const Index D = seen.survived.size();
  learned.spread = spread_survived(seen);
  Box limits = Box::unbounded(D);
  std::vector<std::size_t> open(seen.ends.size());
  for (std::size_t e = 0; e < open.size(); ++e) open[e] = e;
  for (;;) {
    Explanation best;
    for (Index i = 0; i < D; ++i) {
      Explanation found = explanation_by(i, seen, learned.spread[i], open);
      if (found.better_than(best)) best = std::move(found);
    }
    if (best.ends.empty()) break;
    take_over(best, seen, limits);
    learned.explained += best.ends.size();
    std::erase_if(open, [&](std::size_t e) {
      return std::find(best.ends.begin(), best.ends.end(), e) != best.ends.end();
    });
  }
  if (learned.explained > 0) learned.limits = std::move(limits);
  return learned;
}

Box narrowed(const Box& limits, const LearnedLimits& learned, const Vector& start, double margin) {
  if (!learned.any()) return limits;
  Box result = limits;
  for (Index i = 0; i < limits.size(); ++i) {
    const double width = learned.limits.upper[i] - learned.limits.lower[i];
    const double room = margin * (std::isfinite(width) ? width : learned.spread[i]);
    if (std::isfinite(learned.limits.lower[i]))
      result.lower[i] =
          std::max(limits.lower[i], std::min(learned.limits.lower[i] + room, start[i]));
    if (std::isfinite(learned.limits.upper[i]))
      result.upper[i] =
          std::min(limits.upper[i], std::max(learned.limits.upper[i] - room, start[i]));
  }
  return result;
}

Box narrowed_for_task(const SystemSpec& spec, const LearnedLimits& learned, const Vector& start) {
  Box result = narrowed(spec.limits, learned, start, 0);
  const TaskCost& task = spec.task;
  for (Index i = 0; i < task.target.size(); ++i) {
    if (task.weight[i] == 0 && task.weight_at_end()[i] == 0) continue;
    const double goal = std::clamp(task.target[i], spec.limits.lower[i], spec.limits.upper[i]);
    result.lower[i] = std::min(result.lower[i], goal);
    result.upper[i] = std::max(result.upper[i], goal);
  }
  return result;
}

Index steps_before_end(const Forecast& forecast, const LearnedLimits& learned) {
  const Index steps = forecast.mean.cols() - 1;
  if (!learned.any()) return steps;
  for (Index t = 1; t <= steps; ++t) {
    double inside = 1;
    for (Index i = 0; i < learned.limits.size(); ++i)
      inside *= chance_inside(forecast.mean(i, t), forecast.deviation(i, t),
                              learned.limits.lower[i], learned.limits.upper[i]);
    if (!(inside >= 0.5)) return t;
  }
  return steps;
}

double information_before_end(const DynamicsModel& model, const Trajectory& before,
                              const Forecast& forecast, const LearnedLimits& learned) {
  const Index steps = steps_before_end(forecast, learned);
  return model.information(before, forecast.mean.leftCols(steps + 1),
                           forecast.actions.leftCols(steps));
}

std::string in_words(const LearnedLimits& learned, const SystemSpec& spec) {
  std::string text;
  if (!learned.any()) return text;
  const auto add = [&](Index i, const char* relation, double bound) {
    if (!std::isfinite(bound)) return;
    const Quantity& quantity = spec.observation[static_cast<std::size_t>(i)];
    text += fmt::format("{}{} {} {:.4g}{}{}", text.empty() ? "" : ", ", quantity.name, relation,
                        bound, quantity.unit.empty() ? "" : " ", quantity.unit);
  };
  for (Index i = 0; i < learned.limits.size(); ++i) {
    add(i, ">=", learned.limits.lower[i]);
    add(i, "<=", learned.limits.upper[i]);
  }
  return text;
}

std::string told_of_end(const Trajectory& seen, const LearnedLimits& before,
                        const LearnedLimits& after, const SystemSpec& spec) {
  const std::string now = in_words(after, spec);
  if (after.ends > before.ends) {
    if (now.empty())
      return "the plant ended it where others went on, so no limit is learned from that";
    std::string text = fmt::format("the plant ended it; plans stay where {}", now);
    if (after.explained < after.ends)
      text += fmt::format(", which explains {} of {} such ends", after.explained, after.ends);
    return text;
  }
  if (!before.any()) return "";
  for (Index t = 0; t <= seen.steps() - (seen.ended ? 1 : 0); ++t)
    if (!before.limits.contains(seen.observations.col(t)))
      return "it went on beyond a limit that was learned" +
             (now.empty() ? ", which is dropped" : "; plans stay where " + now);
  return "";
}

}  // namespace rhc
