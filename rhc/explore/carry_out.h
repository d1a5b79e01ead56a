// An episode on a plant.
#pragma once

#include <functional>
#include <string>

#include "rhc/system/plant.h"

namespace rhc {

// The action of a step, by what was observed before it.
using Policy = std::function<Vector(const Vector& observation, int step)>;

struct EpisodeListener {
  std::function<void(const std::string&)> remark{};          // what did not go as it should
  std::function<void(const Trajectory& seen)> unfinished{};  // before a plant ends all
};

// Acts until the horizon, until the system is seen outside its limits, or until the plant ends the
// episode or fails.
// Where the plant stops for good, that is thrown on; what was seen until then is told before.
// InputError where an observation is not finite.
Trajectory carry_out(const Policy& policy, Plant& plant, const SystemSpec& spec, int episode,
                     const EpisodeListener& listener);

}  // namespace rhc
