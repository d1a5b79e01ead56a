// A process and all that descend from it, found in /proc: also those that left its group or
// session. Nothing here takes memory or locks, so that it may be used after a fork of many threads.
#pragma once

#include <sys/types.h>

namespace rhc {

// From now on orphans among the descendants of this process become its children.
void adopt_orphans();

// Sends a signal to every descendant, but not to the ancestor; how many there were.
int signal_descendants(pid_t ancestor, int signal);

// Kills all descendants of this process and waits until they are gone, for a second at most.
void end_descendants();

}  // namespace rhc
