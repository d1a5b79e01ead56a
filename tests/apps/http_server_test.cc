#include "apps/rhc/http_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <optional>

#include "tests/apps/http_client.h"
#include "tests/apps/program.h"

namespace rhc {
namespace {

// A server whose answers never come, in a process of its own.
class EndlessServer {
 public:
  EndlessServer() {
    EXPECT_EQ(pipe2(ready_, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(asked_, O_CLOEXEC), 0);
    std::fflush(nullptr);
    process_ = fork();
    if (process_ == 0) serve();
    if (read(ready_[0], &port_, sizeof port_) != sizeof port_)
      ADD_FAILURE() << "it does not listen";
  }
  ~EndlessServer() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    for (const int end : {ready_[0], ready_[1], asked_[0], asked_[1]}) close(end);
  }

  int port() const { return port_; }

  void wait_until_asked() const {
    char letter;
    EXPECT_EQ(read(asked_[0], &letter, 1), 1);
  }

  // The exit code, or minus the signal that ended it; nothing where a minute was not enough.
  std::optional<int> end(int signal) {
    kill(process_, signal);
    for (int i = 0; i < 6000; ++i) {
      int status = 0;
      if (waitpid(process_, &status, WNOHANG) == process_) {
        process_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return std::nullopt;
  }

 private:
  [[noreturn]] void serve() const {
    app::serve_http(
        0, [&](int port) { (void)!write(ready_[1], &port, sizeof port); },
        [&](const HttpRequest&) -> HttpAnswer {
          (void)!write(asked_[1], "x", 1);
          while (true) pause();
        });
  }

  int ready_[2], asked_[2];
  int port_ = 0;
  pid_t process_ = -1;
};

TEST(HttpServer, EndsWhileAnAnswerIsWorkedOn) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EndlessServer server;
    const Connection worked_on(server.port()), waiting(server.port()), silent(server.port());
    worked_on.send("GET / HTTP/1.1\r\n\r\n");
    waiting.send("GET / HTTP/1.1\r\n\r\n");
    server.wait_until_asked();
    EXPECT_EQ(server.end(signal), 0) << "signal " << signal;
  }
}

TEST(HttpServer, RefusesBadRequestsWhileAnAnswerIsWorkedOn) {
  const EndlessServer server;
  const Connection worked_on(server.port());
  worked_on.send("GET / HTTP/1.1\r\n\r\n");
  server.wait_until_asked();
  EXPECT_EQ(ask_raw(server.port(), "what?\r\n\r\n").status, 400);
}

}  // namespace
}  // namespace rhc
