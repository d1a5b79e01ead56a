// Sockets: answers browsers on this machine, until a signal ends it.
#pragma once

#include <functional>

#include "rhc/report/http.h"

namespace rhc::app {

// Listens on 127.0.0.1; port 0 is any that is free. `on_ready` is told the port. Returns after
// SIGINT or SIGTERM. IoError where it cannot listen. `answer` is called from several threads.
void serve_http(int port, const std::function<void(int port)>& on_ready,
                const std::function<HttpAnswer(const HttpRequest&)>& answer);

}  // namespace rhc::app
