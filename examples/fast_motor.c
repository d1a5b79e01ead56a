/* A motor that turns in its own time, at a kilohertz if you like:
 *   cc -I clients examples/fast_motor.c clients/rhc_channel.c -o fast_motor
 *   ./fast_motor /tmp/motor.sock 0.01
 * then `rhc control RUN --plant unix:/tmp/motor.sock`. examples/motor.toml describes it. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rhc_channel.h"

enum { PATIENCE = 10 }; /* steps without an action, after which the motor gets no voltage */

int main(int count, char** words) {
  rhc_channel channel;
  const double dt = count > 2 ? strtod(words[2], NULL) : 0.01;
  double state[2] = {0, 0}, voltage = 0; /* angle in rad, speed in rad/s; volts */
  if (count < 2 || !(dt > 0) || rhc_channel_listen(&channel, words[1], 2, 1, dt) != 0) {
    fprintf(stderr, "fast_motor PATH [TIME_STEP]: %s\n", strerror(errno));
    return 2;
  }
  int64_t due = rhc_channel_now();
  for (int silent = 0;;) {
    rhc_channel_accept(&channel, 0);
    const int heard = rhc_channel_receive(&channel, &voltage);
    silent = heard == RHC_ACTION ? 0 : silent + 1;
    if (heard == RHC_GONE || heard == RHC_REST || silent > PATIENCE) voltage = 0;
    for (int i = 0; i < 10; ++i) { /* friction, and a voltage that is limited to 12 V */
      const double volts = voltage < -12 ? -12 : voltage > 12 ? 12 : voltage;
      state[1] += 0.1 * dt * (20 * volts - 5 * state[1]);
      state[0] += 0.1 * dt * state[1];
    }
    due += (int64_t)(1e9 * dt);
    const struct timespec at = {due / 1000000000, due % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) continue;
    const int too_fast = state[1] > 200 || state[1] < -200;
    rhc_channel_send(&channel, state, too_fast ? RHC_STOP : 0,
                     too_fast ? "it turns too fast" : NULL);
  }
}
