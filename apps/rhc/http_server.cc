#include "apps/rhc/http_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <csignal>

#include "rhc/core/error.h"

namespace rhc::app {

namespace {

httplib::Server* serving = nullptr;

// stop() only shuts the listening socket, which a signal handler may do.
extern "C" void on_stop(int) {
  if (serving) serving->stop();
}

}  // namespace

void serve_http(int port, const std::function<void(int port)>& on_ready,
                const std::function<HttpAnswer(const HttpRequest&)>& answer) {
  httplib::Server server;
  server.set_keep_alive_max_count(1);  // an idle browser must not hold a thread
  server.set_read_timeout(5);
  server.set_write_timeout(10);
  server.set_payload_max_length(1 << 16);
  const auto handler = [&](const httplib::Request& request, httplib::Response& response) {
    const HttpAnswer given = answer({.method = request.method,
                                     .path = request.path,
                                     .host = request.get_header_value("Host"),
                                     .if_none_match = request.get_header_value("If-None-Match")});
    response.status = given.status;
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
  on_ready(bound);
  server.listen_after_bind();
  serving = nullptr;
}

}  // namespace rhc::app
