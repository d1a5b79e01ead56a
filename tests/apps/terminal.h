// A terminal that the program runs in, and what a person would see on it.
#pragma once

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/apps/program.h"

namespace rhc {

// A bar of progress, or a part of one.
inline bool has_bar(const std::string& text) {
  return text.find("█") != std::string::npos || text.find("░") != std::string::npos;
}

// Understands what the program writes: text, \r, \n, ESC[K and colours. It never scrolls.
class Screen {
 public:
  Screen(const std::string& bytes, std::size_t width) : width_(width) {
    for (std::size_t i = 0; i < bytes.size();) i += take(bytes, i);
  }

  // Every line, without spaces at its end. A character that does not fit begins another line.
  std::vector<std::string> lines() const {
    std::vector<std::string> result;
    for (const auto& cells : lines_) {
      std::string line;
      for (const std::string& cell : cells) line += cell;
      result.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
    }
    return result;
  }
  std::string text() const {
    std::string all;
    for (const std::string& line : lines()) all += line + "\n";
    return all;
  }

  bool wrapped() const { return wrapped_; }    // a line was too long
  bool coloured() const { return coloured_; }  // ESC[..m was met
  bool strange() const { return strange_; }    // something else was met
  std::size_t column() const { return column_; }

 private:
  std::vector<std::string>& line() { return lines_.back(); }

  // How many bytes were used up.
  std::size_t take(const std::string& bytes, std::size_t at) {
    const char c = bytes[at];
    if (c == '\r') {
      column_ = 0;
    } else if (c == '\n') {
      lines_.emplace_back();
      line().resize(column_, " ");
    } else if (c == '\033') {
      // Ctrl-C throws away what a terminal has not shown yet, which may cut a sequence short.
      const std::size_t end = bytes.find_first_of("ABCDHJKhlm\r\n\033", at + 1);
      if (end == std::string::npos) return bytes.size() - at;
      if (static_cast<unsigned char>(bytes[end]) < 32) return end - at;
      if (bytes[end] == 'm')
        coloured_ = true;
      else if (bytes.substr(at, end - at + 1) == "\033[K")
        line().resize(std::min(column_, line().size()));
      else
        strange_ = true;
      return end - at + 1;
    } else {
      std::size_t size = 1;  // of the character, in UTF-8
      while (at + size < bytes.size() && (bytes[at + size] & 0xC0) == 0x80) ++size;
      strange_ = strange_ || static_cast<unsigned char>(c) < 32;
      if (column_ == width_) {
        wrapped_ = true;
        lines_.emplace_back();
        column_ = 0;
      }
      if (line().size() <= column_) line().resize(column_ + 1, " ");
      line()[column_++] = bytes.substr(at, size);
      return size;
    }
    return 1;
  }

  std::size_t width_, column_ = 0;
  std::vector<std::vector<std::string>> lines_{1};
  bool wrapped_ = false, coloured_ = false, strange_ = false;
};

// The program in a pseudo-terminal.
class Terminal {
 public:
  Terminal(std::vector<std::string> arguments, const TemporaryDirectory& directory,
           unsigned short columns, unsigned short rows,
           const std::vector<std::pair<std::string, std::string>>& environment = {})
      : columns_(columns) {
    arguments.insert(arguments.begin(), RHC_PROGRAM);
    std::vector<char*> raw;
    for (std::string& a : arguments) raw.push_back(a.data());
    raw.push_back(nullptr);
    winsize size{};
    size.ws_col = columns;
    size.ws_row = rows;
    child_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (child_ == 0) {
      setenv("TERM", "xterm-256color", 1);
      unsetenv("NO_COLOR");
      for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
      if (chdir(directory.path().c_str()) != 0) _exit(99);
      execv(raw[0], raw.data());
      _exit(98);
    }
  }
  ~Terminal() { hang_up(); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void resize(unsigned short columns) const {
    winsize size{};
    size.ws_col = columns;
    size.ws_row = 20;
    ioctl(terminal_, TIOCSWINSZ, &size);
  }

  // As a person who closes the window.
  void hang_up() {
    if (terminal_ >= 0) ::close(terminal_);
    terminal_ = -1;
  }

  void type(char key) const { (void)!::write(terminal_, &key, 1); }

  // Reads until this text was seen, or the program has ended.
  void read_until(const std::string& text) {
    while (bytes_.find(text) == std::string::npos && read_some()) continue;
  }

  // Reads on until this file is there; false where it never comes. A terminal that nobody reads
  // stops the program.
  bool read_until_exists(const std::filesystem::path& file) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!std::filesystem::exists(file)) {
      pollfd waiting{terminal_, POLLIN, 0};
      if (::poll(&waiting, 1, 10) > 0 && !read_some()) return false;
      if (std::chrono::steady_clock::now() > give_up) return false;
    }
    return true;
  }

  // The exit code, or minus the signal that ended it; then all is read.
  int wait() {
    while (read_some()) continue;
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  const std::string& bytes() const { return bytes_; }
  Screen screen() const { return {bytes_, columns_}; }

 private:
  bool read_some() {
    char buffer[4096];
    const ssize_t got = ::read(terminal_, buffer, sizeof buffer);
    if (got > 0) bytes_.append(buffer, static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
  }

  std::size_t columns_;
  int terminal_ = -1;
  pid_t child_;
  std::string bytes_;
};

}  // namespace rhc
