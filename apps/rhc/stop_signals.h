// Ctrl-C and its relatives: asked for, not suffered.
#pragma once

namespace rhc::app {

// SIGINT and SIGTERM are counted from now on; after `most` of them, the next ends the program.
void catch_stop_signals(int most);

int stop_signals_heard();

// From now on they end the program again.
void release_stop_signals();

}  // namespace rhc::app
