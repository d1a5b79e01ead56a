// An episode on a plant.
#pragma once

#include <functional>
#include <string>

#include "rhc/system/plant.h"

namespace rhc {

// The action of a step, by what was observed before it.
using Policy = std::function<Vector(const Vector& observation, int step)>;

// Acts until the horizon, until the system is seen outside its limits, or until the plant fails.
// InputError where an observation is not finite. `remark` hears of what did not go as it should.
Trajectory carry_out(const Policy& policy, Plant& plant, const SystemSpec& spec, int episode,
                     const std::function<void(const std::string&)>& remark);

}  // namespace rhc
