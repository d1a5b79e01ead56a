// Ctrl-C and its relatives, such as a terminal that is closed: asked for, not suffered.
#pragma once

namespace rhc::app {

// SIGINT, SIGTERM and SIGHUP are counted from now on, however many come. What goes to a terminal is
// lost after a SIGHUP; under `nohup` there is none.
void count_stop_signals();

// The first is counted, the next ends the program, unless it is a SIGHUP.
void count_first_stop_signal();

int stop_signals_heard();

// From now on they end the program again. False, and nothing changes, where one was heard: who
// stops in order is not killed by another.
bool release_stop_signals();

}  // namespace rhc::app
