// Limits that are learned from episodes which the plant ended early.
#pragma once

#include <string>
#include <vector>

#include "rhc/model/forecast.h"
#include "rhc/system/spec.h"

namespace rhc {

// What episodes showed of where they end.
struct EndsSeen {
  std::vector<Vector> ends{};  // last observations of those that the plant ended inside the limits
  Box survived{};              // around all other observations; empty: there are none
};

// The same after one more episode, under the limits that were described for it.
void note_episode(const Trajectory& seen, const Box& described, EndsSeen& ends);

// Limits beyond which the ends lie, and nothing that was survived.
struct LearnedLimits {
  Box limits{};               // half way between what was survived and the nearest end; empty: none
  Vector spread{};            // of each observation, of all that was seen
  std::size_t ends = 0;       // that were seen
  std::size_t explained = 0;  // of them, by the limits

  bool any() const { return limits.size() > 0; }
};

// The observations that explain the most ends come first; of those that explain as many, the one
// that tells them apart by the most, in units of its spread.
LearnedLimits learned_limits(const EndsSeen& ends);

// The limits, narrowed by those that were learned less a share of their range (of the spread, where
// one side is open), but never without the start.
Box narrowed(const Box& limits, const LearnedLimits& learned, const Vector& start, double margin);

// The system's limits for a task, narrowed in the same way without a margin, but never without what
// the task leads to: an end may be its goal.
Box narrowed_for_task(const SystemSpec& spec, const LearnedLimits& learned, const Vector& start);

// The steps after which a forecast is more likely outside the learned limits than inside.
Index steps_before_end(const Forecast& forecast, const LearnedLimits& learned);

// Nats that the steps until then are expected to tell.
double information_before_end(const DynamicsModel& model, const Trajectory& before,
                              const Forecast& forecast, const LearnedLimits& learned);

// Such as "angle <= 0.2 rad, angle >= -0.19 rad"; empty where nothing was learned.
std::string in_words(const LearnedLimits& learned, const SystemSpec& spec);

// What is to be said of an episode that brought one set of learned limits in place of another;
// empty where it did not end early and kept inside what was known.
std::string told_of_end(const Trajectory& seen, const LearnedLimits& before,
                        const LearnedLimits& after, const SystemSpec& spec);

}  // namespace rhc
