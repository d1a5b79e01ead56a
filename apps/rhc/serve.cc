#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/rhc/commands.h"
#include "apps/rhc/http_server.h"
#include "rhc/core/parallel.h"
#include "rhc/report/page.h"
#include "rhc/report/site.h"

namespace rhc::app {

namespace {

struct ServeOptions {
  std::string folder = "runs";
  int port = 8642;
};

void serve(const ServeOptions& options) {
  page("", Json::object());  // a program without pages says so before it listens
  Site site(options.folder, hardware_threads());
  const auto on_ready = [&](int port) {
    fmt::print("serving {} at http://127.0.0.1:{}/ (Ctrl-C ends it)\n", options.folder, port);
    std::fflush(stdout);
  };
  serve_http(options.port, on_ready,
             [&](const HttpRequest& request) { return site.answer(request); });
}

}  // namespace

void add_serve(CLI::App& program, int&) {
  const auto options = std::make_shared<ServeOptions>();
  CLI::App* command = program.add_subcommand(
      "serve",
      "Show the runs below a folder in the browser, and follow those that go on\n"
      "Example: rhc serve runs --port 8642");
  command->add_option("folder", options->folder, "Folder of runs (default: runs)")
      ->type_name("DIR");
  command
      ->add_option("--port", options->port,
                   "Port on this machine, which nobody else can reach; 0: any free one (default "
                   "8642)")
      ->check(CLI::Range(0, 65535));
  command->callback([options] { serve(*options); });
}

}  // namespace rhc::app
