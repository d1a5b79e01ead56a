#include "rhc/plant/channel_plant.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/plant/plant_protocol.h"
#include "rhc/plant/process_plant.h"
#include "rhc/system/plant.h"

namespace rhc {

namespace {

constexpr LiveTime kChannelLook = live_seconds(0.05);
// Clocks of one machine are one clock: a stamp from the future is of another.
constexpr LiveTime kClockSlack = live_seconds(0.001);
// Frames that are read in one look: not for ever, where they come faster than they are read.
constexpr int kMostAtOnce = 4096;
constexpr std::uint64_t kMostLost = 1U << 30;
// How much longer than announced a time step may be taken to be the same.
constexpr double kSameTimeStep = 0.01;

bool ready(int socket, short events, LiveTime until) {
  const LiveTime left = std::clamp<LiveTime>(until - live_now(), 0, kChannelLook);
  const timespec wait = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  pollfd end{socket, events, 0};
  return ::ppoll(&end, 1, &wait, nullptr) > 0;
}

bool hung_up(int socket) {
  pollfd end{socket, POLLRDHUP, 0};
  return ::poll(&end, 1, 0) > 0 && (end.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

// A hint for a person who named a socket.
std::string why_not_connected(int error) {
  switch (error) {
    case ENOENT:
      return "there is no such file; is the plant running?";
    case ECONNREFUSED:
      return "nobody listens there; is the plant running?";
    case EPROTOTYPE:
    case ENOTSOCK:
      return "it is not a socket of the kind SOCK_SEQPACKET";
    case EAGAIN:
      return "too many wait there already";
    default:
      return std::strerror(error);
  }
}

std::string frame_words(const Frame& frame) {
  const std::string words = on_one_line(trim(frame.words));
  return words.empty() ? "it does not say why" : words;
}

}  // namespace

ChannelPlant::ChannelPlant(const std::filesystem::path& path, System system, double time_step,
                           double seconds, const std::function<void()>& meanwhile)
    : system_(std::move(system)),
      measured_(system_.spec().state.size()),
      values_(Vector::Zero(static_cast<Index>(measured_))),
      read_(values_) {
  if (measured_ > kMostFrameValues || system_.spec().action.size() > kMostFrameValues)
    throw InputError(fmt::format("the fast channel has room for {} numbers", kMostFrameValues));
  const LiveTime until = live_now() + live_seconds(seconds);
  try {
    connect(path, until);
    greet(path, time_step, until, meanwhile);
  } catch (...) {
    close();
    throw;
  }
}

void ChannelPlant::connect(const std::filesystem::path& path, LiveTime until) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = path.string();
  if (name.empty() || name.size() >= sizeof address.sun_path)
    throw InputError(fmt::format("'{}': the path of a socket has 1 to {} bytes", name,
                                 sizeof address.sun_path - 1));
  std::memcpy(address.sun_path, name.data(), name.size());
  socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) throw IoError(fmt::format("cannot make a socket: {}", std::strerror(errno)));
  while (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    if (error == EINTR) continue;
    if (error != EAGAIN || live_now() >= until)
      throw IoError(
          fmt::format("cannot connect to the plant at '{}': {}", name, why_not_connected(error)));
    ::usleep(10000);
  }
}

void ChannelPlant::greet(const std::filesystem::path& path, double time_step, LiveTime until,
                         const std::function<void()>& meanwhile) {
  const auto fail = [&](const std::string& what) {
    throw IoError(fmt::format("the plant at '{}' {}", path.string(), what));
  };
  const ChannelShape ours = {static_cast<std::uint16_t>(measured_),
                             static_cast<std::uint16_t>(system_.spec().action.size()), time_step};
  const LiveTime asked = live_now();
  const std::size_t size = write_hello({.number = 1, .time = asked}, ours, out_);
  if (::send(socket_, out_.data(), size, MSG_NOSIGNAL) != static_cast<ssize_t>(size))
    fail(fmt::format("took no hello: {}", std::strerror(errno)));
  while (!ready(socket_, POLLIN, until)) {
    meanwhile();
    if (live_now() >= until) fail("did not answer hello; does another controller hold it already?");
  }
  const ssize_t got = ::recv(socket_, in_.data(), in_.size(), MSG_TRUNC);
  if (got < 0) fail(fmt::format("did not answer hello: {}", std::strerror(errno)));
  if (got == 0) fail("hung up instead of answering hello");
  const auto bytes = static_cast<std::size_t>(got);
  Frame frame;
  const FrameFault fault =
      bytes > in_.size() ? FrameFault::too_long : read_frame(std::span(in_).first(bytes), frame);
  if (frame.header.kind == FrameKind::measurement && (frame.header.flags & kFrameStop) != 0)
    throw PlantStop(frame_words(frame));
  if (fault == FrameFault::version)
    fail(fmt::format("speaks version {} of the fast channel, this program speaks version {}",
                     frame.version, kChannelVersion));
  if (fault != FrameFault::none) fail(fmt::format("answered hello with {}", in_words(fault)));
  if (frame.header.kind != FrameKind::hello) fail("did not begin with hello");
  const auto differs = [&](const std::string& what) {
    throw InputError(fmt::format("the plant at '{}' is another one: {}", path.string(), what));
  };
  const ChannelShape& theirs = frame.shape;
  if (theirs.observations != ours.observations)
    differs(fmt::format("it measures {} numbers, not {}", theirs.observations, ours.observations));
  if (theirs.actions != ours.actions)
    differs(fmt::format("it takes {} actions, not {}", theirs.actions, ours.actions));
  if (!(std::abs(theirs.time_step - time_step) <= kSameTimeStep * time_step))
    differs(
        fmt::format("its time step is {} s, not {} s", exact(theirs.time_step), exact(time_step)));
  if (frame.header.time < asked - kClockSlack || frame.header.time > live_now() + kClockSlack)
    fail("stamps its frames by another clock than this machine's CLOCK_MONOTONIC");
}

void ChannelPlant::begin(const Vector&) {
  // What stands in the queue was measured while nobody controlled; a stop among it holds.
  for (int i = 0; i < kMostAtOnce && last_words_.kind == Heard::nothing; ++i) {
    Heard passed;
    passed.kind = read_one(passed);
    if (passed.kind == Heard::nothing) break;
    if (passed.kind == Heard::stopped || passed.kind == Heard::gone)
      last_words_ = std::move(passed);
  }
  dropped_ = {};
  ended_ = false;
}

bool ChannelPlant::send(const Vector& action) { return send_frame(action, 0); }

bool ChannelPlant::send_frame(const Vector& action, std::uint32_t flags) {
  if (socket_ < 0) return false;
  const std::size_t size =
      write_frame({.kind = FrameKind::action,
                   .number = ++sent_,
                   .answers = newest_,
                   .time = live_now(),
                   .flags = flags},
                  {action.data(), static_cast<std::size_t>(action.size())}, {}, out_);
  ssize_t sent = -1;
  do sent = ::send(socket_, out_.data(), size, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(size);
}

void ChannelPlant::rest(const Vector& action) {
  // One that reads nothing any more has some moments to begin again; when we hang up, it learns.
  const LiveTime until = live_now() + live_seconds(0.2);
  while (socket_ >= 0 && !send_frame(action, kFrameRest)) {
    if (errno != EAGAIN || live_now() >= until) return;
    ready(socket_, POLLOUT, until);
  }
}

Heard ChannelPlant::wait(LiveTime until, Vector& observation) {
  Heard heard;
  if (last_words_.kind != Heard::nothing) return last_words_;
  if (socket_ < 0) return {.kind = Heard::gone, .why = "it was let go of"};
  for (int taken = 0;;) {
    const Heard::Kind kind = read_one(heard);
    if (kind == Heard::stopped || kind == Heard::gone) {
      heard.kind = kind;
      return heard;
    }
    if (kind == Heard::nonsense) {
      ++dropped_.nonsense;
      if (heard.kind == Heard::nothing) heard.kind = kind;
      if (++taken < kMostAtOnce) continue;
    }
    if (kind == Heard::measured) {
      if (heard.kind == kind) ++dropped_.superseded;
      heard.kind = kind;
      heard.at = newest_time_;
      if (++taken < kMostAtOnce) continue;
    }
    if (heard.kind != Heard::nothing) break;
    if (!ready(socket_, POLLIN, until) && live_now() >= until) return heard;
  }
  if (heard.kind == Heard::measured) {
    heard.why.clear();
    heard.ended = ended_;
    observation = system_.observe(values_);
  }
  return heard;
}

// The next frame, where one is there. What was dropped does not count as there.
Heard::Kind ChannelPlant::read_one(Heard& heard) {
  for (int dropped = 0; dropped < kMostAtOnce; ++dropped) {
    const ssize_t got = ::recv(socket_, in_.data(), in_.size(), MSG_DONTWAIT | MSG_TRUNC);
    if (got < 0 && errno == EINTR) continue;
    // That it hung up without reading all is said before its own last words.
    if (got < 0 && errno == ECONNRESET && !std::exchange(reset_, true)) continue;
    if (got < 0 && errno == EAGAIN) return Heard::nothing;
    if (got < 0 || (got == 0 && hung_up(socket_))) {
      heard.why = got < 0 && errno != ECONNRESET ? std::strerror(errno) : "it hung up";
      return Heard::gone;
    }
    const auto size = static_cast<std::size_t>(got);
    Frame frame;
    const bool whole = size <= in_.size();
    const FrameFault fault = read_frame(std::span(in_).first(std::min(size, in_.size())), frame);
    // Whatever else is wrong with it: who says stop is taken at that word.
    if (frame.header.kind == FrameKind::measurement && (frame.header.flags & kFrameStop) != 0) {
      heard.why = frame_words(frame);
      return Heard::stopped;
    }
    if (fault != FrameFault::none || !whole) {
      heard.why = fmt::format("it sent {}", in_words(whole ? fault : FrameFault::too_long));
      return Heard::nonsense;
    }
    const Heard::Kind kind = take(frame, heard);
    if (kind != Heard::nothing) return kind;
  }
  return Heard::nothing;
}

Heard::Kind ChannelPlant::take(const Frame& frame, Heard& heard) {
  if (frame.header.kind != FrameKind::measurement) {
    heard.why = "it sent a frame of a kind that only a controller sends";
    return Heard::nonsense;
  }
  if ((frame.header.flags & kFrameFailed) != 0) {
    heard.why = "it failed: " + frame_words(frame);
    return Heard::gone;
  }
  if (frame.count() != measured_) {
    heard.why = fmt::format("it measured {} numbers instead of {}", frame.count(), measured_);
    return Heard::nonsense;
  }
  const std::uint64_t number = frame.header.number;
  if (any_ && number <= newest_) {
    ++(number == newest_ ? dropped_.doubled : dropped_.late);
    return Heard::nothing;
  }
  const LiveTime now = live_now();
  if (frame.header.time > now + kClockSlack || (any_ && frame.header.time < newest_time_)) {
    heard.why = "its clock jumped";
    return Heard::nonsense;
  }
  if (any_ && number - newest_ > kMostLost) {
    heard.why = "the numbers of its frames jumped";
    return Heard::nonsense;
  }
  if (any_) dropped_.lost += number - newest_ - 1;
  any_ = true;
  newest_ = number;
  newest_time_ = frame.header.time;
  for (std::size_t i = 0; i < measured_; ++i) read_[static_cast<Index>(i)] = frame.value(i);
  if (std::string absurd = why_absurd(system_.spec(), read_); !absurd.empty()) {
    heard.why = "it measured " + absurd;
    return Heard::nonsense;
  }
  values_.swap(read_);
  ended_ = (frame.header.flags & kFrameEnded) != 0;
  return Heard::measured;
}

void ChannelPlant::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

}  // namespace rhc
