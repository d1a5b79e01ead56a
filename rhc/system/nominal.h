// A simulated system as what is known of another one.
#pragma once

#include "rhc/system/system.h"

namespace rhc {

// The nominal system has the same observations, actions and time step in the same order and units,
// and no state that is not observed. InputError that names what differs.
KnownMotion nominal_motion(const System& nominal, const SystemSpec& spec);

}  // namespace rhc
