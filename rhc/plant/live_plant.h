// A plant that moves while one thinks: an action is sent at one moment, what was measured is waited
// for at another.
#pragma once

#include <cstdint>
#include <string>

#include "rhc/core/types.h"

namespace rhc {

// Nanoseconds of CLOCK_MONOTONIC, which does not change when somebody sets the time of day.
using LiveTime = std::int64_t;
LiveTime live_now();

inline constexpr LiveTime live_seconds(double seconds) {
  return static_cast<LiveTime>(seconds * 1e9);
}

struct Heard {
  enum Kind {
    measured,
    nothing,   // yet
    stopped,   // it wants an end
    gone,      // it will say nothing more: it crashed, closed its end, or said that it has failed
    nonsense,  // what came is no measurement
  };
  Kind kind = nothing;
  std::string why{};   // of the last three
  LiveTime at = 0;     // when it was measured, or where nobody knows that, when it came
  bool ended = false;  // the plant has ended the episode with this measurement
};

// What was passed over without a word.
struct Dropped {
  std::uint64_t late = 0;        // answers to older questions, and measurements that came too late
  std::uint64_t doubled = 0;     // the same once more
  std::uint64_t lost = 0;        // that must have been there, by their numbers
  std::uint64_t superseded = 0;  // by a newer one that was there at the same time
  std::uint64_t nonsense = 0;
};

class LivePlant {
 public:
  virtual ~LivePlant() = default;

  // Goes to where the task begins, as near as it can. The first measurement is heard soon.
  virtual void begin(const Vector& start) = 0;

  // The action from now on; never waits. False where the plant takes none at this moment.
  virtual bool send(const Vector& action) = 0;

  // The newest measurement, as the system observes it, where one comes until then; what came before
  // and was not waited for counts, too. Everything is heard once.
  virtual Heard wait(LiveTime until, Vector& observation) = 0;

  // This action whatever else still waits to be sent: the last one, and the safe one.
  virtual void rest(const Vector& action) = 0;

  // Lets go of it. A plant that is a program is ended.
  virtual void close() = 0;

  // Whether it measures by a clock of its own, whether or not an action has come.
  virtual bool has_own_clock() const { return false; }
  const Dropped& dropped() const { return dropped_; }

 protected:
  Dropped dropped_;
};

}  // namespace rhc
