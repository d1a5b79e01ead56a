// The other end of the fast channel, in the same process: does as it is told, well or badly.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "rhc/plant/channel_protocol.h"
#include "rhc/plant/live_plant.h"
#include "tests/temporary_directory.h"

namespace rhc {

class ChannelPeer {
 public:
  explicit ChannelPeer(int type = SOCK_SEQPACKET) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path().c_str());
    listener_ = ::socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(listener_, 4);
  }
  ~ChannelPeer() {
    hang_up();
    ::close(listener_);
  }
  ChannelPeer(const ChannelPeer&) = delete;
  ChannelPeer& operator=(const ChannelPeer&) = delete;

  std::string path() const { return (dir_.path() / "s").string(); }

  // Waits for whoever connects, and for its hello.
  Frame meet() {
    end_ = ::accept(listener_, nullptr, nullptr);
    return receive();
  }

  // The next frame, which is waited for half a minute; hello of version 0 where none comes.
  Frame receive() {
    Frame frame;
    pollfd one{end_, POLLIN, 0};
    if (::poll(&one, 1, 30000) < 1) return frame;
    const ssize_t got = ::recv(end_, in_.data(), in_.size(), MSG_DONTWAIT);
    if (got <= 0) return frame;
    read_frame(std::span(in_).first(static_cast<std::size_t>(got)), frame);
    return frame;
  }

  void hello(ChannelShape shape, LiveTime time = live_now()) {
    FrameBytes bytes;
    send(bytes, write_hello({.number = 1, .time = time}, shape, bytes));
  }

  void measure(std::uint64_t number, const std::vector<double>& values, std::uint32_t flags = 0,
               const std::string& words = "", LiveTime time = live_now()) {
    FrameBytes bytes;
    send(bytes, write_frame({.kind = FrameKind::measurement,
                             .number = number,
                             .answers = 0,
                             .time = time,
                             .flags = flags},
                            values, words, bytes));
  }

  void say(std::string_view text) {
    ASSERT_EQ(::send(end_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }

  void hang_up() {
    if (end_ >= 0) ::close(end_);
    end_ = -1;
  }

 private:
  void send(const FrameBytes& bytes, std::size_t size) {
    ASSERT_EQ(::send(end_, bytes.data(), size, MSG_NOSIGNAL), static_cast<ssize_t>(size));
  }

  TemporaryDirectory dir_;
  int listener_ = -1, end_ = -1;
  FrameBytes in_{};
};

}  // namespace rhc
