// A browser that does as it is told, well or badly. It talks to this machine only.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace rhc {

class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{30, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    open_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool open() const { return open_; }

  // False where the other side no longer listens.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Whether the other side has neither answered nor closed.
  bool still_open() const {
    char letter;
    return ::recv(socket_, &letter, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
  }

  // All until the other side closes, or is silent for half a minute.
  std::string receive() const {
    std::string bytes;
    char buffer[65536];
    for (ssize_t got; (got = ::recv(socket_, buffer, sizeof buffer, 0)) > 0;)
      bytes.append(buffer, static_cast<std::size_t>(got));
    return bytes;
  }

 private:
  int socket_;
  bool open_;
};

struct WebAnswer {
  int status = 0;  // 0: none
  std::string head, body;
};

inline WebAnswer parse_answer(const std::string& bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (!bytes.starts_with("HTTP/1.1 ") || end == std::string::npos) return {};
  return {std::stoi(bytes.substr(9, 3)), bytes.substr(0, end), bytes.substr(end + 4)};
}

// Sends the request as it is.
inline WebAnswer ask_raw(int port, const std::string& request) {
  const Connection connection(port);
  connection.send(request);
  return parse_answer(connection.receive());
}

inline WebAnswer ask(int port, const std::string& path, const std::string& headers = "",
                     const std::string& method = "GET") {
  return ask_raw(port, method + " " + path +
                           " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + headers +
                           "\r\n");
}

// Browsers that send a letter of their request now and then, and never its end.
class Dripping {
 public:
  Dripping(int port, int count) {
    for (int i = 0; i < count; ++i) {
      all_.push_back(std::make_unique<Connection>(port));
      all_.back()->send("GET /");
    }
    drip_ = std::thread([this] {
      while (!ended_) {
        for (const auto& connection : all_) connection->send("x");
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    });
  }
  ~Dripping() {
    ended_ = true;
    drip_.join();
  }

  std::size_t still_open() const {
    std::size_t count = 0;
    for (const auto& connection : all_) count += connection->still_open();
    return count;
  }

  const Connection& operator[](std::size_t i) const { return *all_[i]; }

 private:
  std::vector<std::unique_ptr<Connection>> all_;
  std::atomic<bool> ended_ = false;
  std::thread drip_;
};

}  // namespace rhc
