#include "rhc/plant/channel_protocol.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "rhc/core/random.h"

namespace rhc {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::span<const std::byte> first(const FrameBytes& bytes, std::size_t size) {
  return std::span(bytes).first(size);
}

const FrameHeader kSomeHeader = {.kind = FrameKind::measurement,
                                 .number = 0x0102030405060708,
                                 .answers = 7,
                                 .time = 0x1112131415161718,
                                 .flags = kFrameEnded | kFrameStop};

// As docs/protocol.md lists them.
TEST(ChannelProtocol, PutsEveryByteWhereTheDocsSay) {
  FrameBytes frame;
  const double values[] = {1.0, -2.5};
  const std::size_t size = write_frame(kSomeHeader, values, "hot", frame);
  const std::vector<std::byte> expected =
      bytes_of({'r',  'h',  'c',  'F', 1, 0, 3, 0, 8, 7,    6,    5,    4,    3,    2,
                1,    7,    0,    0,   0, 0, 0, 0, 0, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13,
                0x12, 0x11, 3,    0,   0, 0, 2, 0, 3, 0,    0,    0,    0,    0,    0,
                0,    0xf0, 0x3f, 0,   0, 0, 0, 0, 0, 4,    0xc0, 'h',  'o',  't'});
  EXPECT_EQ(std::vector<std::byte>(frame.begin(), frame.begin() + static_cast<long>(size)),
            expected);
}

TEST(ChannelProtocol, ReadsWhatItWrote) {
  FrameBytes bytes;
  const double values[] = {1.5, -0.0, 1e-308, 1e308};
  std::size_t size = write_frame(kSomeHeader, values, "why", bytes);
  Frame frame;
  ASSERT_EQ(read_frame(first(bytes, size), frame), FrameFault::none);
  EXPECT_EQ(frame.header.number, kSomeHeader.number);
  EXPECT_EQ(frame.header.answers, 7u);
  EXPECT_EQ(frame.header.time, kSomeHeader.time);
  EXPECT_EQ(frame.header.flags, kSomeHeader.flags);
  ASSERT_EQ(frame.count(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(frame.value(i)),
              std::bit_cast<std::uint64_t>(values[i]));
  EXPECT_EQ(frame.words, "why");

  size = write_hello({.number = 1, .time = 5}, {3, 2, 0.001}, bytes);
  ASSERT_EQ(read_frame(first(bytes, size), frame), FrameFault::none);
  EXPECT_EQ(frame.header.kind, FrameKind::hello);
  EXPECT_EQ(frame.shape.observations, 3);
  EXPECT_EQ(frame.shape.actions, 2);
  EXPECT_EQ(frame.shape.time_step, 0.001);
}

TEST(ChannelProtocol, CutsWordsOffThatHaveNoRoom) {
  FrameBytes bytes;
  const std::vector<double> values(kMostFrameValues, 1);
  const std::size_t size = write_frame({.kind = FrameKind::measurement}, values,
                                       std::string(2 * kMostFrameWords, 'x'), bytes);
  EXPECT_EQ(size, kLargestFrame);
  Frame frame;
  EXPECT_EQ(read_frame(first(bytes, size), frame), FrameFault::none);
  EXPECT_EQ(frame.words, std::string(kMostFrameWords, 'x'));
}

TEST(ChannelProtocol, RefusesFramesOfEveryOtherLength) {
  FrameBytes bytes;
  const double values[] = {1, 2};
  const std::size_t size = write_frame(kSomeHeader, values, "hot", bytes);
  Frame frame;
  for (std::size_t length = 0; length < size; ++length)
    EXPECT_EQ(read_frame(first(bytes, length), frame), FrameFault::too_short) << length;
  EXPECT_EQ(read_frame(first(bytes, size + 1), frame), FrameFault::too_long);
  EXPECT_EQ(read_frame(first(bytes, kLargestFrame), frame), FrameFault::too_long);
}

TEST(ChannelProtocol, SaysWhatIsWrong) {
  const auto fault_with = [](std::size_t at, std::initializer_list<int> changed) {
    FrameBytes bytes;
    const double values[] = {1, 2};
    const std::size_t size = write_frame(kSomeHeader, values, "hot", bytes);
    const std::vector<std::byte> put = bytes_of(changed);
    std::memcpy(bytes.data() + at, put.data(), put.size());
    Frame frame;
    const FrameFault fault = read_frame(first(bytes, size), frame);
    EXPECT_NE(std::string(in_words(fault)), "");
    return fault;
  };
  EXPECT_EQ(fault_with(0, {'R'}), FrameFault::foreign);
  EXPECT_EQ(fault_with(4, {2}), FrameFault::version);
  EXPECT_EQ(fault_with(6, {0}), FrameFault::kind);
  EXPECT_EQ(fault_with(6, {4}), FrameFault::kind);
  EXPECT_EQ(fault_with(6, {2}), FrameFault::flags) << "an action does not end";
  EXPECT_EQ(fault_with(35, {1}), FrameFault::flags);
  EXPECT_EQ(fault_with(36, {0xff, 0xff}), FrameFault::too_long);
  EXPECT_EQ(fault_with(36, {1}), FrameFault::too_long);
  EXPECT_EQ(fault_with(36, {3}), FrameFault::too_short);
  EXPECT_EQ(fault_with(46, {0xf0, 0x7f}), FrameFault::not_finite) << "infinity";
  EXPECT_EQ(fault_with(46, {0xf8, 0x7f}), FrameFault::not_finite) << "no number";
}

// Whatever comes: it is understood, or said to be wrong, and nothing beyond it is touched.
TEST(ChannelProtocol, SurvivesAnyBytes) {
  RandomStream randomness(1, "any bytes");
  int understood = 0;
  for (int i = 0; i < 100000; ++i) {
    FrameBytes bytes;
    const double values[] = {1, 2, 3};
    const std::size_t size = write_frame(kSomeHeader, values, "hot", bytes);
    // In memory of its own, so that sanitizers see its end.
    std::vector<std::byte> some(bytes.begin(),
                                bytes.begin() + static_cast<long>(randomness.below(size + 20)));
    for (std::uint64_t k = randomness.below(4); k > 0 && !some.empty(); --k)
      some[randomness.below(some.size())] = static_cast<std::byte>(randomness.below(256));
    Frame frame;
    if (read_frame(some, frame) != FrameFault::none) continue;
    ++understood;
    for (std::size_t v = 0; v < frame.count(); ++v) EXPECT_TRUE(std::isfinite(frame.value(v)));
    EXPECT_LE(frame.words.size(), kMostFrameWords);
  }
  EXPECT_GT(understood, 100);
}

}  // namespace
}  // namespace rhc
