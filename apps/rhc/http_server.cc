#include "apps/rhc/http_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <csignal>

#include "rhc/core/error.h"

namespace rhc::app {

namespace {

httplib::Server* serving = nullptr;
std::atomic<bool> listening = false, stop_asked = false, stopped = false;

// The socket is shut once. stop() does only that, which a signal handler may do.
void stop_if_asked() {
  if (listening && stop_asked && !stopped.exchange(true)) serving->stop();
}

extern "C" void on_stop(int) {
  stop_asked = true;
  stop_if_asked();
}

}  // namespace

void serve_http(int port, const std::function<void(int port)>& on_ready,
                const std::function<HttpAnswer(const HttpRequest&)>& answer) {
  httplib::Server server;
  server.set_keep_alive_max_count(1);  // an idle browser must not hold a thread
  server.set_keep_alive_timeout(1);    // nor one that has not asked for anything yet
  server.set_read_timeout(5);
  server.set_write_timeout(10);
  server.set_payload_max_length(1 << 16);
  // By default a second server would take half of the first one's visitors.
  server.set_socket_options([](auto socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  const auto handler = [&](const httplib::Request& request, httplib::Response& response) {
    // Every part would be a copy of up to the whole answer.
    if (request.ranges.size() > 1) {
      response.status = 416;
      return;
    }
    const HttpAnswer given = answer({.method = request.method,
                                     .path = request.path,
                                     .host = request.get_header_value("Host"),
                                     .if_none_match = request.get_header_value("If-None-Match")});
    if (given.status != 200) response.status = given.status;  // else it depends on the range
    response.set_header("Cache-Control", "no-cache");
    response.set_header("X-Content-Type-Options", "nosniff");
    if (!given.etag.empty()) response.set_header("ETag", given.etag);
    response.set_content(given.body, given.type);
  };
  // Every method comes to us, so that all are answered in the same words.
  server.Get(".*", handler);
  server.Post(".*", handler);
  server.Put(".*", handler);
  server.Delete(".*", handler);
  server.Patch(".*", handler);
  server.Options(".*", handler);

  const int bound = port == 0                                ? server.bind_to_any_port("127.0.0.1")
                    : server.bind_to_port("127.0.0.1", port) ? port
                                                             : -1;
  if (bound <= 0)
    throw IoError(
        fmt::format("cannot listen on port {}; is another server there? choose one with "
                    "--port, or 0 for any that is free",
                    port));
  serving = &server;
  std::signal(SIGINT, on_stop);
  std::signal(SIGTERM, on_stop);
  // stop() does nothing before the server listens, and this is the first that it does then.
  server.new_task_queue = [] {
    listening = true;
    stop_if_asked();
    return new httplib::ThreadPool(CPPHTTPLIB_THREAD_POOL_COUNT);
  };
  on_ready(bound);
  if (!server.listen_after_bind() && !stop_asked)
    throw IoError(
        fmt::format("stopped listening on port {}: the system ran out of something", bound));
}

}  // namespace rhc::app
