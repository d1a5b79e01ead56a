#define _POSIX_C_SOURCE 200809L
#include "rhc_channel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The layout of a frame: magic, version, kind, number, answers, time, flags, two counts; then a
 * double for each value, and words. All of it little-endian. */
enum {
  AT_VERSION = 4,
  AT_KIND = 6,
  AT_NUMBER = 8,
  AT_ANSWERS = 16,
  AT_TIME = 24,
  AT_FLAGS = 32,
  AT_FIRST = 36,
  AT_SECOND = 38,
  HEADER = 40,
  LARGEST = HEADER + 8 * RHC_MOST_VALUES + RHC_MOST_WORDS
};
enum { VERSION = 1, HELLO = 1, ACTION = 2, MEASUREMENT = 3, FLAG_REST = 8 };
static const char magic[4] = {'r', 'h', 'c', 'F'};

static void put(unsigned char* at, int bytes, uint64_t value) {
  for (int i = 0; i < bytes; ++i) at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char* at, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= (uint64_t)at[i] << (8 * i);
  return value;
}

static void put_double(unsigned char* at, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put(at, 8, bits);
}

static double get_double(const unsigned char* at) {
  const uint64_t bits = get(at, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void put_header(unsigned char* frame, int kind, uint64_t number, uint64_t answers,
                       unsigned flags, unsigned first, unsigned second) {
  memcpy(frame, magic, sizeof magic);
  put(frame + AT_VERSION, 2, VERSION);
  put(frame + AT_KIND, 2, (uint64_t)kind);
  put(frame + AT_NUMBER, 8, number);
  put(frame + AT_ANSWERS, 8, answers);
  put(frame + AT_TIME, 8, (uint64_t)rhc_channel_now());
  put(frame + AT_FLAGS, 4, flags);
  put(frame + AT_FIRST, 2, first);
  put(frame + AT_SECOND, 2, second);
}

/* The kind of a whole frame, 0 where it is none. */
static int kind_of(const unsigned char* frame, size_t size) {
  if (size < HEADER || size > LARGEST || memcmp(frame, magic, sizeof magic) != 0) return 0;
  if (get(frame + AT_VERSION, 2) != VERSION) return 0;
  const int kind = (int)get(frame + AT_KIND, 2);
  if (kind == HELLO) return size == HEADER + 8 ? HELLO : 0;
  const size_t whole = HEADER + 8 * get(frame + AT_FIRST, 2) + get(frame + AT_SECOND, 2);
  return size == whole ? kind : 0;
}

int64_t rhc_channel_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int socket_here(void) { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0); }

int rhc_channel_listen(rhc_channel* channel, const char* path, unsigned measured, unsigned actions,
                       double time_step) {
  struct sockaddr_un address;
  memset(channel, 0, sizeof *channel);
  channel->listener = channel->controller = -1;
  channel->measured = measured;
  channel->actions = actions;
  channel->time_step = time_step;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  if (measured > RHC_MOST_VALUES || actions > RHC_MOST_VALUES ||
      strlen(path) >= sizeof address.sun_path) {
    errno = EINVAL;
    return -1;
  }
  memcpy(address.sun_path, path, strlen(path));

  /* Left by a plant that was killed, or does one listen there? */
  const int probe = socket_here();
  if (probe < 0) return -1;
  const int alone =
      connect(probe, (struct sockaddr*)&address, sizeof address) != 0 && errno == ECONNREFUSED;
  close(probe);
  if (alone) unlink(path);

  channel->listener = socket_here();
  if (channel->listener >= 0 &&
      bind(channel->listener, (struct sockaddr*)&address, sizeof address) == 0 &&
      listen(channel->listener, 4) == 0)
    return 0;
  const int why = errno;
  rhc_channel_close(channel);
  errno = why;
  return -1;
}

static int readable(int end, int milliseconds) {
  struct pollfd one;
  one.fd = end;
  one.events = POLLIN;
  one.revents = 0;
  return poll(&one, 1, milliseconds) > 0;
}

int rhc_channel_accept(rhc_channel* channel, int milliseconds) {
  unsigned char frame[LARGEST];
  if (channel->controller >= 0) return 1;
  if (!readable(channel->listener, milliseconds)) return 0;
  channel->controller = accept(channel->listener, NULL, NULL);
  if (channel->controller < 0) return 0;
  channel->sent = channel->heard = 0;
  /* Who says nothing for a second is no controller. */
  ssize_t got = -1;
  if (readable(channel->controller, 1000))
    got = recv(channel->controller, frame, sizeof frame, MSG_DONTWAIT);
  const int is_hello = got > 0 && kind_of(frame, (size_t)got) == HELLO;
  /* What this plant is, and which version it speaks: then the other one can say what is wrong. */
  const int fits = is_hello && get(frame + AT_FIRST, 2) == channel->measured &&
                   get(frame + AT_SECOND, 2) == channel->actions;
  put_header(frame, HELLO, 1, 0, 0, channel->measured, channel->actions);
  put_double(frame + HEADER, channel->time_step);
  const ssize_t sent = send(channel->controller, frame, HEADER + 8, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (fits && sent == HEADER + 8) return 1;
  rhc_channel_hang_up(channel);
  return 0;
}

int rhc_channel_receive(rhc_channel* channel, double* action) {
  unsigned char frame[LARGEST];
  int found = RHC_NOTHING;
  if (channel->controller < 0) return RHC_GONE;
  for (int i = 0; i < 4096; ++i) {
    const ssize_t got = recv(channel->controller, frame, sizeof frame, MSG_DONTWAIT | MSG_TRUNC);
    /* That the other one hung up without reading all is said before its last words. */
    if (got < 0 && (errno == EINTR || errno == ECONNRESET)) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) {
      rhc_channel_hang_up(channel);
      /* A rest that came before counts as what it is. */
      return found == RHC_REST ? RHC_REST : RHC_GONE;
    }
    const uint64_t number = got >= HEADER ? get(frame + AT_NUMBER, 8) : 0;
    int whole = kind_of(frame, (size_t)got) == ACTION &&
                get(frame + AT_FIRST, 2) == channel->actions && number > channel->heard;
    for (unsigned k = 0; whole && k < channel->actions; ++k) {
      const double value = get_double(frame + HEADER + 8 * k);
      if (!(value - value == 0)) whole = 0; /* infinite or no number */
    }
    if (!whole) {
      ++channel->nonsense;
      continue;
    }
    for (unsigned k = 0; k < channel->actions; ++k) action[k] = get_double(frame + HEADER + 8 * k);
    channel->heard = number;
    found = (get(frame + AT_FLAGS, 4) & FLAG_REST) != 0 ? RHC_REST : RHC_ACTION;
  }
  return found;
}

int rhc_channel_send(rhc_channel* channel, const double* values, unsigned flags, const char* why) {
  unsigned char frame[LARGEST];
  size_t words = why ? strlen(why) : 0;
  if (channel->controller < 0) return 0;
  if (words > RHC_MOST_WORDS) words = RHC_MOST_WORDS;
  put_header(frame, MEASUREMENT, ++channel->sent, channel->heard, flags, channel->measured,
             (unsigned)words);
  for (unsigned i = 0; i < channel->measured; ++i) put_double(frame + HEADER + 8 * i, values[i]);
  const size_t end = HEADER + 8 * (size_t)channel->measured;
  if (words > 0) memcpy(frame + end, why, words);
  return send(channel->controller, frame, end + words, MSG_DONTWAIT | MSG_NOSIGNAL) ==
         (ssize_t)(end + words);
}

void rhc_channel_hang_up(rhc_channel* channel) {
  if (channel->controller >= 0) close(channel->controller);
  channel->controller = -1;
}

void rhc_channel_close(rhc_channel* channel) {
  rhc_channel_hang_up(channel);
  if (channel->listener >= 0) close(channel->listener);
  channel->listener = -1;
}
