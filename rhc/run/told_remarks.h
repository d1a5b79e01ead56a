// What a person should know of an experiment that was told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rhc/describe/system_file.h"
#include "rhc/explore/campaign.h"

namespace rhc {

// `asked` is what was asked for; nothing where nobody did.
std::vector<std::string> remarks_on(const Trajectory& told, const std::optional<Proposal>& asked,
                                    const SystemFile& system);

}  // namespace rhc
