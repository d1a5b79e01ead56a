#include "rhc/plant/channel_protocol.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace rhc {

namespace {

constexpr std::array<char, 4> kFrameMagic = {'r', 'h', 'c', 'F'};
constexpr std::size_t kHelloSize = kFrameHeader + 8;

// Where the parts of a header are.
constexpr std::size_t kAtVersion = 4, kAtKind = 6, kAtNumber = 8, kAtAnswers = 16, kAtTime = 24,
                      kAtFlags = 32, kAtFirstCount = 36, kAtSecondCount = 38;

std::uint64_t little_endian(std::span<const std::byte> bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value |= static_cast<std::uint64_t>(bytes[at + i]) << (8 * i);
  return value;
}

void put_bytes(FrameBytes& bytes, std::size_t at, std::size_t size, std::uint64_t value) {
  for (std::size_t i = 0; i < size; ++i)
    bytes[at + i] = static_cast<std::byte>((value >> (8 * i)) & 0xff);
}

void put_double(FrameBytes& bytes, std::size_t at, double value) {
  put_bytes(bytes, at, 8, std::bit_cast<std::uint64_t>(value));
}

std::uint16_t count_at(std::span<const std::byte> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(little_endian(bytes, at, 2));
}

double double_at(std::span<const std::byte> bytes, std::size_t at) {
  return std::bit_cast<double>(little_endian(bytes, at, 8));
}

void put_header(const FrameHeader& header, std::size_t first, std::size_t second,
                FrameBytes& bytes) {
  std::memcpy(bytes.data(), kFrameMagic.data(), kFrameMagic.size());
  put_bytes(bytes, kAtVersion, 2, kChannelVersion);
  put_bytes(bytes, kAtKind, 2, static_cast<std::uint64_t>(header.kind));
  put_bytes(bytes, kAtNumber, 8, header.number);
  put_bytes(bytes, kAtAnswers, 8, header.answers);
  put_bytes(bytes, kAtTime, 8, static_cast<std::uint64_t>(header.time));
  put_bytes(bytes, kAtFlags, 4, header.flags);
  put_bytes(bytes, kAtFirstCount, 2, first);
  put_bytes(bytes, kAtSecondCount, 2, second);
}

std::uint32_t flags_of(FrameKind kind) {
  switch (kind) {
    case FrameKind::hello:
      return 0;
    case FrameKind::action:
      return kFrameRest;
    case FrameKind::measurement:
      return kFrameEnded | kFrameStop | kFrameFailed;
  }
  return 0;
}

FrameFault read_hello(std::span<const std::byte> bytes, Frame& frame) {
  if (bytes.size() != kHelloSize)
    return bytes.size() < kHelloSize ? FrameFault::too_short : FrameFault::too_long;
  frame.shape = {count_at(bytes, kAtFirstCount), count_at(bytes, kAtSecondCount),
                 double_at(bytes, kFrameHeader)};
  return std::isfinite(frame.shape.time_step) ? FrameFault::none : FrameFault::not_finite;
}

}  // namespace

const char* in_words(FrameFault fault) {
  switch (fault) {
    case FrameFault::none:
      return "nothing wrong";
    case FrameFault::too_short:
      return "a frame that ends too early";
    case FrameFault::too_long:
      return "a frame that is too long";
    case FrameFault::foreign:
      return "something that is no frame of the fast channel";
    case FrameFault::version:
      return "a frame of another version";
    case FrameFault::kind:
      return "a frame of an unknown kind";
    case FrameFault::flags:
      return "a frame with unknown flags";
    case FrameFault::not_finite:
      return "a value that is not a finite number";
  }
  return "";
}

double Frame::value(std::size_t i) const { return double_at(values, 8 * i); }

FrameFault read_frame(std::span<const std::byte> bytes, Frame& frame) {
  frame = {};
  if (bytes.size() < kFrameHeader) {
    const std::size_t both = std::min(bytes.size(), kFrameMagic.size());
    const bool begins = bytes.empty() || std::memcmp(bytes.data(), kFrameMagic.data(), both) == 0;
    return begins ? FrameFault::too_short : FrameFault::foreign;
  }
  if (std::memcmp(bytes.data(), kFrameMagic.data(), kFrameMagic.size()) != 0)
    return FrameFault::foreign;
  frame.version = count_at(bytes, kAtVersion);
  if (frame.version != kChannelVersion) return FrameFault::version;
  const auto kind = little_endian(bytes, kAtKind, 2);
  if (kind < 1 || kind > 3) return FrameFault::kind;
  frame.header = {.kind = static_cast<FrameKind>(kind),
                  .number = little_endian(bytes, kAtNumber, 8),
                  .answers = little_endian(bytes, kAtAnswers, 8),
                  .time = static_cast<std::int64_t>(little_endian(bytes, kAtTime, 8)),
                  .flags = static_cast<std::uint32_t>(little_endian(bytes, kAtFlags, 4))};
  if ((frame.header.flags & ~flags_of(frame.header.kind)) != 0) return FrameFault::flags;
  if (frame.header.kind == FrameKind::hello) return read_hello(bytes, frame);
  const std::size_t count = count_at(bytes, kAtFirstCount), words = count_at(bytes, kAtSecondCount);
  if (count > kMostFrameValues || words > kMostFrameWords) return FrameFault::too_long;
  const std::size_t size = kFrameHeader + 8 * count + words;
  if (bytes.size() != size)
    return bytes.size() < size ? FrameFault::too_short : FrameFault::too_long;
  frame.values = bytes.subspan(kFrameHeader, 8 * count);
  frame.words = {reinterpret_cast<const char*>(bytes.data()) + kFrameHeader + 8 * count, words};
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isfinite(frame.value(i))) return FrameFault::not_finite;
  return FrameFault::none;
}

std::size_t write_frame(const FrameHeader& header, std::span<const double> values,
                        std::string_view words, FrameBytes& bytes) {
  const std::size_t count = std::min(values.size(), kMostFrameValues);
  words = words.substr(0, kMostFrameWords);
  put_header(header, count, words.size(), bytes);
  for (std::size_t i = 0; i < count; ++i) put_double(bytes, kFrameHeader + 8 * i, values[i]);
  const std::size_t end = kFrameHeader + 8 * count;
  if (!words.empty()) std::memcpy(bytes.data() + end, words.data(), words.size());
  return end + words.size();
}

std::size_t write_hello(const FrameHeader& header, const ChannelShape& shape, FrameBytes& bytes) {
  put_header(header, shape.observations, shape.actions, bytes);
  put_double(bytes, kFrameHeader, shape.time_step);
  return kHelloSize;
}

}  // namespace rhc
