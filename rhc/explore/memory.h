// The memory that a campaign will take, known before it is taken.
#pragma once

#include "rhc/explore/config.h"

namespace rhc {

inline constexpr double kMostBytes = 4.0 * (1 << 30);

// Of the model, of the test set, and of one thread that plans.
double needed_bytes(const Config& config, const SystemSpec& spec);

// InputError where that is more than kMostBytes; it names the setting that brings it down, and a
// value that fits.
void check_memory(const Config& config, const SystemSpec& spec);

}  // namespace rhc
