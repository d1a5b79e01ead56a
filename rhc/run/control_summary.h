// What came of a controller's run: as JSON, control/NNNN.json of a run, and in words.
#pragma once

#include <map>
#include <string>

#include "rhc/core/durations.h"
#include "rhc/format/json.h"
#include "rhc/plant/live_plant.h"

namespace rhc {

enum class ControlEnding {
  done,         // the time was over
  interrupted,  // by a person
  stopped,      // by the plant
  ended,        // the plant ended the episode
  gone,         // the plant will say nothing more
  given_up,     // nobody knew any more where the system is, or the plant took no actions
};
const char* name(ControlEnding ending);

struct ControlSummary {
  ControlEnding ending = ControlEnding::done;
  std::string why{};  // of all but the first two

  std::uint64_t steps = 0;
  double period = 0, seconds = 0;
  double cost = 0;  // of the task, by what was measured, and where nothing was, by the estimate

  // By the clock on the wall.
  std::uint64_t sent_late = 0;     // actions that left too late
  std::uint64_t missed_steps = 0;  // altogether
  std::uint64_t delays = 0;        // in which they were
  double longest_delay = 0;        // seconds
  std::uint64_t missed_deadlines() const { return sent_late + missed_steps; }
  Durations sent{};  // from the beginning of a step until its action had left

  // Of this thread's processor; and what the machine below a virtual one took away meanwhile.
  Durations act{}, step{};
  double stolen_seconds = 0;

  std::uint64_t no_measurement = 0, nonsense = 0, absurd = 0, believed = 0, not_taken = 0;
  Dropped dropped{};
  std::map<std::string, std::uint64_t> sources{}, falls{};  // steps, by their names
  std::uint64_t learned = 0;                                // transitions
  std::string first_nonsense{};                             // in words

  std::uint64_t log_lost = 0;  // rows for which there was no room
  std::string log_failure{};
};

Json control_json(const ControlSummary& summary);

// Some lines, what matters first.
std::string in_words(const ControlSummary& summary);

// A line about a summary that was read, for a list.
std::string control_line(const Json& summary);

// Seconds for which processors of this machine waited for the one below it, since it was started; 0
// where that is not known.
double stolen_seconds();

}  // namespace rhc
