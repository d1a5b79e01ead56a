#include "apps/rhc/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "rhc/core/error.h"

namespace rhc::app {

namespace {

using WebClock = std::chrono::steady_clock;

// For a whole request, however slowly it comes; for a whole answer; and for what a browser sends
// after its head, which must be taken, or the system would throw the answer away.
constexpr auto kReading = std::chrono::seconds(5);
constexpr auto kWriting = std::chrono::seconds(30);
constexpr auto kDraining = std::chrono::seconds(2);
constexpr auto kCrowded = std::chrono::milliseconds(100);
constexpr std::size_t kMostVisitors = 128;

[[noreturn]] void fail_to(const char* what) {
  throw IoError(fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

// Signals that end the server, as a file that can be waited for.
int open_signals() {
  sigset_t stops;
  ::sigemptyset(&stops);
  ::sigaddset(&stops, SIGINT);
  ::sigaddset(&stops, SIGTERM);
  // Under nohup it is ignored, and stays so.
  struct sigaction hangup {};
  ::sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) ::sigaddset(&stops, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &stops, nullptr);
  const int file = ::signalfd(-1, &stops, SFD_CLOEXEC);
  if (file < 0) fail_to("wait for signals");
  return file;
}

int open_listener(int port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0) fail_to("make a socket");
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(listener, SOMAXCONN) == 0)
    return listener;
  ::close(listener);
  throw IoError(
      fmt::format("cannot listen on port {}; is another server there? choose one with "
                  "--port, or 0 for any that is free",
                  port));
}

int port_of(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

// Half of the files that may be open are left to those who answer.
std::size_t most_visitors() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return kMostVisitors;
  return std::clamp<std::size_t>(files.rlim_cur / 2, 9, kMostVisitors + 8) - 8;
}

// Answers one request at a time in a thread of its own. `done` is a file that tells of answers.
class Answerer {
 public:
  explicit Answerer(const std::function<HttpAnswer(const HttpRequest&)>& answer)
      : answer_(answer), done_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (done_ < 0) fail_to("wait for answers");
    std::thread([this] { work(); }).detach();  // until the process ends
  }

  int done() const { return done_; }

  void ask(const HttpRequest& request) {
    const std::lock_guard lock(mutex_);
    request_ = request;
    asked_.notify_one();
  }

  std::optional<HttpAnswer> take() {
    std::uint64_t count;
    (void)!::read(done_, &count, sizeof count);
    const std::lock_guard lock(mutex_);
    return std::exchange(given_, std::nullopt);
  }

 private:
  [[noreturn]] void work() {
    while (true) {
      std::unique_lock lock(mutex_);
      asked_.wait(lock, [&] { return request_.has_value(); });
      const HttpRequest request = *std::exchange(request_, std::nullopt);
      lock.unlock();
      HttpAnswer given = answered(request);
      lock.lock();
      given_ = std::move(given);
      const std::uint64_t one = 1;
      (void)!::write(done_, &one, sizeof one);
    }
  }

  HttpAnswer answered(const HttpRequest& request) const {
    try {
      return answer_(request);
    } catch (const std::exception& error) {
      return refuse(500, error.what());
    }
  }

  const std::function<HttpAnswer(const HttpRequest&)>& answer_;
  const int done_;
  std::mutex mutex_;
  std::condition_variable asked_;
  std::optional<HttpRequest> request_;
  std::optional<HttpAnswer> given_;
};

enum class Doing { reading, waiting, writing, draining, gone };

struct Visitor {
  int socket;
  Doing doing;
  WebClock::time_point deadline;  // but for one who waits
  std::string bytes{};            // that came, or that are to be sent
  std::size_t sent = 0;
  HttpRequest request{};

  void leave() {
    ::close(socket);
    doing = Doing::gone;
  }

  void tell(const HttpAnswer& answer) {
    bytes = answer_bytes(request, answer);
    doing = Doing::writing;
    deadline = WebClock::now() + kWriting;
    write();
  }

  void write() {
    const ssize_t some =
        ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (some < 0 && errno != EAGAIN && errno != EINTR) return leave();
    sent += static_cast<std::size_t>(std::max<ssize_t>(some, 0));
    if (sent < bytes.size()) return;
    ::shutdown(socket, SHUT_WR);
    bytes = {};
    doing = Doing::draining;
    deadline = WebClock::now() + kDraining;
  }

  void read() {
    char buffer[65536];
    const ssize_t got = ::recv(socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return leave();
    if (got < 0 || doing == Doing::draining) return;
    const std::size_t before = bytes.size();
    bytes.append(buffer, static_cast<std::size_t>(got));
    const std::size_t end = head_end(bytes, before < 2 ? 0 : before - 2);
    if (end != std::string::npos)
      understand(std::string_view(bytes).substr(0, end));
    else if (bytes.size() > kLongestHead)
      understand(bytes);
  }

  void understand(std::string_view head) {
    auto understood = parse_request(head);
    if (const auto* refusal = std::get_if<HttpAnswer>(&understood)) return tell(*refusal);
    request = std::move(std::get<HttpRequest>(understood));
    bytes = {};
    doing = Doing::waiting;
  }

  short awaited() const {
    if (doing == Doing::waiting) return 0;
    return doing == Doing::writing ? POLLOUT : POLLIN;
  }

  void attend(short events) {
    if (doing == Doing::waiting || (events & POLLERR)) return leave();
    if (doing == Doing::writing)
      write();
    else
      read();
  }

  void run_out_of_time() {
    if (doing == Doing::reading && !bytes.empty())
      tell(refuse(408, "the request did not come to its end in time"));
    else
      leave();
  }
};

// All sockets are watched by one thread: nobody keeps others waiting by being slow.
class HttpServer {
 public:
  HttpServer(int listener, int signals, const std::function<HttpAnswer(const HttpRequest&)>& answer)
      : listener_(listener), signals_(signals), answerer_(answer) {}

  [[noreturn]] void run_until_signal() noexcept {
    while (true) {
      std::vector<pollfd> files = {{signals_, POLLIN, 0},
                                   {answerer_.done(), POLLIN, 0},
                                   {has_room() ? listener_ : -1, POLLIN, 0}};
      for (const Visitor& visitor : visitors_)
        files.push_back({visitor.socket, visitor.awaited(), 0});
      if (::poll(files.data(), files.size(), patience()) < 0) continue;
      if (files[0].revents) end();
      if (files[1].revents) pass_on();
      auto file = files.begin() + 3;
      for (Visitor& visitor : visitors_)
        if (const short events = (file++)->revents; events && visitor.doing != Doing::gone)
          visitor.attend(events);
      const auto now = WebClock::now();
      for (Visitor& visitor : visitors_)
        if (has_deadline(visitor) && visitor.deadline <= now) visitor.run_out_of_time();
      forget_the_gone();
      if (files[2].revents) welcome();
      hand_out();
    }
  }

 private:
  // An answer may be worked on for long, and nobody waits for it any more.
  [[noreturn]] static void end() {
    std::fflush(stdout);
    std::_Exit(EXIT_SUCCESS);
  }

  static bool has_deadline(const Visitor& visitor) {
    return visitor.doing != Doing::waiting && visitor.doing != Doing::gone;
  }

  // Milliseconds until somebody's time is over; -1 where nobody's will be.
  int patience() const {
    std::optional<WebClock::time_point> first;
    if (WebClock::now() < closed_until_) first = closed_until_;
    for (const Visitor& visitor : visitors_)
      if (has_deadline(visitor))
        first = std::min(first.value_or(visitor.deadline), visitor.deadline);
    if (!first) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - WebClock::now());
    return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
  }

  // The one who has been slow for the longest.
  std::list<Visitor>::iterator slowest() {
    return std::find_if(visitors_.begin(), visitors_.end(), [](const Visitor& visitor) {
      return visitor.doing == Doing::reading || visitor.doing == Doing::draining;
    });
  }

  bool has_room() {
    return WebClock::now() >= closed_until_ &&
           (visitors_.size() < most_ || slowest() != visitors_.end());
  }

  void welcome() {
    while (true) {
      if (visitors_.size() >= most_ && !send_slowest_away()) return;
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket >= 0) {
        visitors_.push_back({socket, Doing::reading, WebClock::now() + kReading});
        // Who has asked already is not slow.
        visitors_.back().read();
        if (visitors_.back().doing == Doing::gone) visitors_.pop_back();
      } else if (errno == EAGAIN) {
        return;
      } else if (errno != EINTR && errno != ECONNABORTED) {
        // The system has run out of something.
        if (!send_slowest_away()) closed_until_ = WebClock::now() + kCrowded;
        return;
      }
    }
  }

  bool send_slowest_away() {
    const auto visitor = slowest();
    if (visitor == visitors_.end()) return false;
    visitor->leave();
    visitors_.erase(visitor);
    return true;
  }

  void forget_the_gone() {
    for (auto visitor = visitors_.begin(); visitor != visitors_.end();) {
      if (visitor->doing != Doing::gone) {
        ++visitor;
        continue;
      }
      if (served_ == &*visitor) served_ = nullptr;
      visitor = visitors_.erase(visitor);
    }
  }

  void hand_out() {
    if (busy_) return;
    const auto next = std::find_if(visitors_.begin(), visitors_.end(), [](const Visitor& visitor) {
      return visitor.doing == Doing::waiting;
    });
    if (next == visitors_.end()) return;
    busy_ = true;
    served_ = &*next;
    answerer_.ask(next->request);
  }

  // The answer, to whom it is for, where he is still there.
  void pass_on() {
    const auto given = answerer_.take();
    if (!given) return;
    busy_ = false;
    if (served_) served_->tell(*given);
    served_ = nullptr;
  }

  const int listener_, signals_;
  const std::size_t most_ = most_visitors();
  Answerer answerer_;
  std::list<Visitor> visitors_;  // in the order they came
  Visitor* served_ = nullptr;    // whose request is being answered
  bool busy_ = false;            // an answer is on its way, if only to one who has gone
  WebClock::time_point closed_until_{};
};

}  // namespace

void serve_http(int port, const std::function<void(int port)>& on_ready,
                const std::function<HttpAnswer(const HttpRequest&)>& answer) {
  const int listener = open_listener(port), signals = open_signals();
  on_ready(port_of(listener));
  HttpServer(listener, signals, answer).run_until_signal();
}

}  // namespace rhc::app
