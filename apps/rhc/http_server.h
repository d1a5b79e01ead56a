// Sockets: answers browsers on this machine, until a signal ends it.
#pragma once

#include <functional>

#include "rhc/report/http.h"

namespace rhc::app {

// Listens on 127.0.0.1; port 0 is any that is free. `on_ready` is told the port. IoError where it
// cannot listen. `answer` is called from one other thread, one request after another. SIGINT,
// SIGTERM and SIGHUP end the process with code 0 at once, even where `answer` is at work: it must
// leave nothing half done.
[[noreturn]] void serve_http(int port, const std::function<void(int port)>& on_ready,
                             const std::function<HttpAnswer(const HttpRequest&)>& answer);

}  // namespace rhc::app
