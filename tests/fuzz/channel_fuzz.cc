// Frames of a plant on the fast channel.
#include <cmath>
#include <cstring>

#include "rhc/plant/channel_protocol.h"
#include "tests/fuzz/input.h"

using namespace rhc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Frame frame;
  const FrameFault fault = read_frame(std::as_bytes(std::span(data, size)), frame);
  promised(in_words(fault)[0] != '\0');
  if (fault != FrameFault::none) return 0;
  promised(size <= kLargestFrame && frame.version == kChannelVersion);
  promised(frame.count() <= kMostFrameValues && frame.words.size() <= kMostFrameWords);
  promised(std::isfinite(frame.shape.time_step));
  std::array<double, kMostFrameValues> values{};
  for (std::size_t i = 0; i < frame.count(); ++i) {
    values[i] = frame.value(i);
    promised(std::isfinite(values[i]));
  }
  // Written again, it is the same.
  FrameBytes again;
  const std::size_t written =
      frame.header.kind == FrameKind::hello
          ? write_hello(frame.header, frame.shape, again)
          : write_frame(frame.header, std::span(values).first(frame.count()), frame.words, again);
  promised(written == size && std::memcmp(again.data(), data, size) == 0);
  return 0;
}
