// What a person should know of an experiment that was told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rhc/describe/system_file.h"
#include "rhc/explore/campaign.h"
#include "rhc/run/log_suspicion.h"

namespace rhc {

// `asked` is what was asked for; nothing where nobody did.
std::vector<std::string> remarks_on(const Trajectory& told, const std::optional<Proposal>& asked,
                                    const SystemFile& system);

// Of each measure the share of the steps inside the 95 % band that was announced, such as "speed
// 96 % inside its 95 % band, angle 91 %". Empty where no step was announced.
std::string announced_and_came(const Trajectory& told, const Forecast& announced,
                               const SystemFile& system);

// Where the log is not what the model expected: a sensor that is frozen, a mistake that explains
// it, or else that it is a surprise. `before` has not learned from it; null before any data.
// `take_back` is the command that forgets the experiment.
std::vector<std::string> remarks_on_surprise(const Trajectory& told,
                                             const std::optional<Proposal>& asked,
                                             const std::vector<LogReading>& readings,
                                             const DynamicsModel* before, const SystemFile& system,
                                             const std::string& take_back);

}  // namespace rhc
