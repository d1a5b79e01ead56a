// What was seen and done, as Python hands it over.
#pragma once

#include <optional>

#include "python/arrays.h"
#include "rhc/system/system.h"

namespace rhc::python {

// An observation, or an internal state (for a described system: what is measured), from which it
// follows. They are told apart by their sizes. InputError where it is neither, or not finite.
Vector observation_of(const System& system, nb::handle entries, const char* what);

// T + 1 rows of either, and T actions. InputError that names row and column of what is not finite.
Trajectory trajectory_of(const System& system, nb::handle observations, nb::handle actions);

// What was seen and done until now: the system's own start, or this observation, after a past at
// rest; or, with the actions `done` between them, observations whose last one is the start.
Trajectory before_of(const System& system, const std::optional<ArrayLike>& start,
                     const std::optional<ArrayLike>& done);

}  // namespace rhc::python
