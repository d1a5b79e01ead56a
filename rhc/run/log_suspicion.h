// Whether a log that a model did not expect is explained by a mistake of wiring, units or columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/describe/measured.h"
#include "rhc/model/dynamics_model.h"

namespace rhc {

// A log as it would be without a mistake.
struct LogReading {
  std::string mistake;  // such as "'speed' has the wrong sign"
  Trajectory told;
  double units = 0;  // log of the factor by which an observation was made smaller
};

// The beginning of the log with each sign flipped, observations or actions of one unit exchanged, a
// factor between units, actions shifted by a step. Readings that leave the limits or the actions'
// bounds are left out.
std::vector<LogReading> other_readings(const Trajectory& told, const SystemFile& system);

// A log as it would be read if an angle's header said degrees for radians, or the other way round.
std::vector<LogReading> other_angle_units(std::string_view text, const std::string& name,
                                          const SystemFile& system,
                                          const MeasuredSettings& settings);

// How well a model predicts each step of a log from the one before it.
struct LogFit {
  double nats;    // mean log density of a step; heavy tails, so that no outlier decides
  double inside;  // share of the steps inside their 95 % band, of the observation that fits worst
  double width;   // of the bands: the geometric mean of all their deviations
};
LogFit fit_of(const DynamicsModel& model, const Trajectory& told);

struct LogSuspicion {
  std::vector<std::string> mistakes;  // the likeliest, and those that explain as much
  LogFit as_is, otherwise;            // otherwise: without the likeliest mistake
};

// Nothing where no other reading is what the model expects and clearly likelier than the log as it
// is: then the log is as expected, or an honest surprise.
// `before` must not have learned from the log.
std::optional<LogSuspicion> suspicion_of(const DynamicsModel& before, const Trajectory& told,
                                         const std::vector<LogReading>& readings);

// In words; `take_back` is the command that does.
std::string suspicion_in_words(const LogSuspicion& suspicion, const std::string& take_back);

// Observations that stood still where the model was sure that they move, in words.
std::vector<std::string> frozen_observations(const DynamicsModel& before, const Trajectory& told,
                                             const SystemFile& system);

}  // namespace rhc
