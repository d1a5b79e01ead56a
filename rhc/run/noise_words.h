// The noise that a model has found, as a person reads it.
#pragma once

#include <optional>
#include <string>

#include "rhc/model/noise_split.h"
#include "rhc/store/run_record.h"

namespace rhc {

// Of the last fit, out of the checkpoint; nothing where sensors and motion were not told apart.
std::optional<NoiseSplit> noise_of(const RunRecord& run);

// "speed 0.4 rad/s measured, 0.02 rad/s a step in motion; ...". The cosine and sine of an angle
// that was measured are told of as that angle.
std::string noise_in_words(const NoiseSplit& noise, const SystemSpec& spec);

}  // namespace rhc
