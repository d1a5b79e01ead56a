// What all episodes together say of the system that a person should know.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rhc/model/dynamics_model.h"

namespace rhc {

// Where actions act late, or one moment does not tell how the system goes on: which `history` lets
// a model see it, and why. Nothing changes by itself.
std::optional<std::string> remark_on_history(const std::vector<Trajectory>& episodes,
                                             const SystemSpec& spec);

// Where the system is not what it was in the first episodes.
std::optional<std::string> remark_on_drift(const std::vector<Trajectory>& episodes,
                                           const DynamicsModel& learned, const SystemSpec& spec);

}  // namespace rhc
