// A plant on the fast channel: frames of a fixed layout over a Unix socket, for hundreds to
// thousands of hertz. It measures by a clock of its own.
#pragma once

#include <filesystem>
#include <functional>

#include "rhc/plant/channel_protocol.h"
#include "rhc/plant/live_plant.h"
#include "rhc/system/system.h"

namespace rhc {

class ChannelPlant final : public LivePlant {
 public:
  // Connects to the socket on which the plant listens, and greets it. InputError where it is
  // another plant than this system with this time step, IoError where it cannot be reached or does
  // not answer within so many seconds, PlantStop where it wants an end. `meanwhile` is called
  // several times a second; what it throws ends the waiting.
  ChannelPlant(const std::filesystem::path& path, System system, double time_step, double seconds,
               const std::function<void()>& meanwhile);
  ~ChannelPlant() override { close(); }
  ChannelPlant(const ChannelPlant&) = delete;
  ChannelPlant& operator=(const ChannelPlant&) = delete;

  // The machine is where it is: only what it measured until now is forgotten.
  void begin(const Vector& start) override;
  bool send(const Vector& action) override;
  Heard wait(LiveTime until, Vector& observation) override;
  void rest(const Vector& action) override;
  void close() override;
  bool has_own_clock() const override { return true; }

 private:
  void connect(const std::filesystem::path& path, LiveTime until);
  void greet(const std::filesystem::path& path, double time_step, LiveTime until,
             const std::function<void()>& meanwhile);
  bool send_frame(const Vector& action, std::uint32_t flags);
  Heard::Kind read_one(Heard& heard);
  Heard::Kind take(const Frame& frame, Heard& heard);

  const System system_;
  const std::size_t measured_;  // numbers of a measurement
  int socket_ = -1;
  std::uint64_t sent_ = 0, newest_ = 0;
  bool any_ = false;  // whether `newest_` is a number that was heard
  LiveTime newest_time_ = 0;
  bool ended_ = false, reset_ = false;
  Vector values_, read_;  // of the newest measurement, and of the one that is being looked at
  Heard last_words_;      // a stop or an end that was said before it began
  FrameBytes out_{}, in_{};
};

}  // namespace rhc
