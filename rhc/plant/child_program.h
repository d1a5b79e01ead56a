// A program that runs beside this one and answers line by line. It ends with this one, and with it
// all that it started.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace rhc {

struct Answer {
  enum Kind { line, timeout, too_long, closed } kind;
  std::string text{};  // of a line, without its end; else what had come of it
};

class ChildProgram {
 public:
  static constexpr std::size_t kLongestLine = 1 << 20;

  // By /bin/sh. `heard` is given what it writes to its standard error, as it comes. IoError where
  // no process can be made at all; a command that does not exist ends with exit code 127.
  ChildProgram(const std::string& command, std::function<void(std::string_view)> heard);
  // Ends it at once.
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  // What it wrote although nobody had asked, or at its end; empty where it was silent.
  std::string unasked();

  // Sends a line and waits for one, at most so many seconds. `meanwhile` is called several times a
  // second; what it throws ends the waiting.
  Answer ask(std::string_view line, double seconds, const std::function<void()>& meanwhile);

  // The two halves of it, for who does something else in between. `send` never waits: what the
  // program does not read yet is written while waiting. `wait` is over at this moment of
  // CLOCK_MONOTONIC; where that has passed already it looks once.
  void send(std::string_view line);
  Answer wait(std::int64_t until_ns, const std::function<void()>& meanwhile);
  bool all_sent() const { return to_write_.empty(); }

  // How it ended: "exit code 3" or "signal 11 (Segmentation fault)"; waits a moment for one that is
  // about to. Nothing where it lives.
  std::optional<std::string> ended();

  // Its last line and the end of its input; then so many seconds to end by itself. Whatever is left
  // of it is asked to end, and then made to.
  void close(std::string_view line, double seconds);
  // Without a last line.
  void stop();

 private:
  Answer wait(std::chrono::steady_clock::time_point deadline,
              const std::function<void()>& meanwhile);
  bool wait_for_end(double seconds);
  void end_at_once();
  void read_errors();
  bool read_output();  // false where there will be no more
  void write_input();

  std::function<void(std::string_view)> heard_;
  int input_ = -1, output_ = -1, errors_ = -1;  // our ends of its pipes
  std::string to_write_, read_;
  pid_t guardian_ = -1;  // -1: it has ended and nothing is left
  std::optional<int> code_;
};

}  // namespace rhc
