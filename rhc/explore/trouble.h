// What did not go as it might have, in plain words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rhc/core/types.h"
#include "rhc/explore/metrics_row.h"
#include "rhc/system/spec.h"

namespace rhc {

// What is to be said of a plan with this status and these actions: that none was found inside the
// limits, or nothing but rest. Empty where it is a plan like any other, or where none was made.
std::string plan_trouble(std::string_view status, const Matrix& actions, const SystemSpec& spec);

// The same of an episode, and that it left the limits or ended early; empty where all went well. It
// follows from what is on record, so that whoever replays the episode says the same.
std::string episode_trouble(std::string_view status, const Trajectory& seen,
                            const SystemSpec& spec);

// Such a text in a word of seven letters at most, for a table.
std::string_view trouble_in_short(std::string_view trouble);

// What is to be said of an episode that told far less than its plan promised; empty where it did
// not.
std::string told_less(const MetricsRow& row);

// The nats that the plan of this row promised; nothing where it was no plan to speak of.
std::optional<double> promised(const MetricsRow& row);

}  // namespace rhc
