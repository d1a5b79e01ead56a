/* A plant's end of the fast channel of rhc (docs/protocol.md): C99 and POSIX, nothing else.
 *
 * The plant listens on a Unix socket; `rhc control RUN --plant unix:PATH` connects. The plant
 * measures by its own clock and sends what it measured; whenever it likes it looks for the newest
 * action. Nothing here waits but rhc_channel_accept, and nothing takes memory. */
#ifndef RHC_CHANNEL_H
#define RHC_CHANNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RHC_MOST_VALUES = 1024, RHC_MOST_WORDS = 256 };

/* What a measurement says besides. */
enum {
  RHC_ENDED = 1,  /* the episode is over with it: a limit switch opened, the machine fell */
  RHC_STOP = 2,   /* nothing may move any more */
  RHC_FAILED = 4, /* the plant cannot go on */
};

/* What rhc_channel_receive has found. */
enum {
  RHC_NOTHING = 0, /* no new action: the last one stays */
  RHC_ACTION = 1,
  RHC_REST = 2,  /* the last action, and the safe one: the controller takes its hands off */
  RHC_GONE = -1, /* nobody controls any more: go to rest, and accept again */
};

typedef struct {
  int listener, controller; /* sockets; -1: none */
  unsigned measured, actions;
  double time_step;       /* seconds */
  uint64_t sent, heard;   /* the numbers of the last measurement and the last action */
  unsigned long nonsense; /* frames that were not understood */
} rhc_channel;

/* Listens at this path; 0, or -1 with errno. A socket file that nobody listens on is replaced. */
int rhc_channel_listen(rhc_channel* channel, const char* path, unsigned measured, unsigned actions,
                       double time_step);

/* Waits for a controller, so many milliseconds at most; 1 where one is connected. Who is none, or
 * expects another plant, is told so and sent away. */
int rhc_channel_accept(rhc_channel* channel, int milliseconds);

/* The newest action, if there is a new one; `action` has channel->actions numbers. */
int rhc_channel_receive(rhc_channel* channel, double* action);

/* Sends what was measured just now, channel->measured numbers. `why`: with RHC_STOP and RHC_FAILED,
 * or NULL. 1, or 0 where the controller does not listen at this moment. */
int rhc_channel_send(rhc_channel* channel, const double* values, unsigned flags, const char* why);

void rhc_channel_hang_up(rhc_channel* channel); /* on the controller */
void rhc_channel_close(rhc_channel* channel);

int64_t rhc_channel_now(void); /* nanoseconds of CLOCK_MONOTONIC */

#ifdef __cplusplus
}
#endif

#endif
