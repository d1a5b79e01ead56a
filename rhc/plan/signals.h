// Action sequences to begin with: of a search for a plan, and of exploring with no data yet.
#pragma once

#include "rhc/core/random.h"

namespace rhc {

// Every step independent and uniform in the bounds.
Matrix white_signal(const Box& bounds, Index horizon, RandomStream randomness);

// Noise that remembers: a correlation time drawn between 1 step and a quarter of the horizon.
Matrix coloured_signal(const Box& bounds, Index horizon, RandomStream randomness);

// One bound or the other, held for random times that are short of a typical `hold` or long.
Matrix held_signal(const Box& bounds, Index horizon, double hold, RandomStream randomness);

// The same, but every second time not as far as the bound: 1 to `levels` - 1 of `levels` parts of
// the way from the middle, in a random order. What an action does in between is seen, too.
// With `between`, each lies anywhere in the part below its level: signals that are repeated at the
// same few levels tell nothing of what lies between these.
Matrix levels_signal(const Box& bounds, Index horizon, double hold, int levels,
                     RandomStream randomness, bool between = false);

}  // namespace rhc
