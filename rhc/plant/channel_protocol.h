// The frames of the fast channel, byte by byte as docs/protocol.md lists them. Nothing here takes
// memory, so that it may be used while a plant waits for its action.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rhc {

inline constexpr std::uint16_t kChannelVersion = 1;
inline constexpr std::size_t kFrameHeader = 40;
inline constexpr std::size_t kMostFrameValues = 1024, kMostFrameWords = 256;
inline constexpr std::size_t kLargestFrame = kFrameHeader + 8 * kMostFrameValues + kMostFrameWords;

enum class FrameKind : std::uint16_t { hello = 1, action = 2, measurement = 3 };

// Of a measurement: the episode is over with it; nothing may move any more; the plant has failed.
// Of an action: it is the last one, and the safe one.
enum FrameFlag : std::uint32_t {
  kFrameEnded = 1,
  kFrameStop = 2,
  kFrameFailed = 4,
  kFrameRest = 8,
};

struct FrameHeader {
  FrameKind kind = FrameKind::hello;
  std::uint64_t number = 0;   // of the sender's frames of this kind
  std::uint64_t answers = 0;  // the newest frame that the sender has of the other one
  std::int64_t time = 0;      // of the sender, in nanoseconds of CLOCK_MONOTONIC
  std::uint32_t flags = 0;
};

// What is on the wire in a hello.
struct ChannelShape {
  std::uint16_t observations = 0, actions = 0;
  double time_step = 0;  // seconds
};

enum class FrameFault {
  none,
  too_short,  // for a header, or for what its header announces
  too_long,
  foreign,  // it does not begin as frames do
  version,
  kind,
  flags,
  not_finite,
};
const char* in_words(FrameFault fault);

struct Frame {
  FrameHeader header;
  std::uint16_t version = 0;          // also where it is another one
  ChannelShape shape;                 // of a hello
  std::span<const std::byte> values;  // of the others, eight bytes each
  std::string_view words;             // why it stops or failed
  std::size_t count() const { return values.size() / 8; }
  double value(std::size_t i) const;
};

// The whole frame, as it was received; it must outlive what is read from it.
FrameFault read_frame(std::span<const std::byte> bytes, Frame& frame);

using FrameBytes = std::array<std::byte, kLargestFrame>;
// How many bytes it takes. At most kMostFrameValues values; words that are longer are cut off.
std::size_t write_frame(const FrameHeader& header, std::span<const double> values,
                        std::string_view words, FrameBytes& bytes);
std::size_t write_hello(const FrameHeader& header, const ChannelShape& shape, FrameBytes& bytes);

}  // namespace rhc
