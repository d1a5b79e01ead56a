// The pages of all runs below a folder, as a browser asks for them. Knows no sockets.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "rhc/format/json.h"
#include "rhc/report/http.h"
#include "rhc/system/spec.h"

namespace rhc {

// "/" lists the runs, "/run/NAME/" is the report of one, which follows it while it runs ("/run/"
// that of the folder itself, where it is a run), "/run/NAME/control.json" what its controller does
// at this moment, and
// "/files/NAME/config.toml" is any file. Nothing outside the folder is ever read, links out of it
// included, and nobody is answered who got here under another name than this machine's own (a page
// elsewhere could have made the browser ask). Safe to call from several threads.
class Site {
 public:
  // InputError where there is no such folder.
  Site(const std::filesystem::path& folder, int threads);

  HttpAnswer answer(const HttpRequest& request);

 private:
  struct Listed {
    std::string state;  // of its files
    Json row;
    std::vector<std::string> damaged;
  };
  struct Shown {
    std::string etag;
    std::string body;
  };
  struct Controlled {
    std::string state;  // of its files
    SystemSpec spec;
  };

  HttpAnswer list(const HttpRequest& request, bool page);
  HttpAnswer show(const HttpRequest& request, const std::string& name, bool page);
  HttpAnswer show_control(const HttpRequest& request, const std::string& name);
  HttpAnswer file(const std::string& name) const;
  Json runs_json();
  const Listed& listed(const std::filesystem::path& path);
  std::optional<std::filesystem::path> inside(const std::string& name) const;

  std::filesystem::path root_;
  std::string title_;
  int threads_;
  std::mutex mutex_;
  std::map<std::string, Listed> listed_;
  std::map<std::string, Shown> shown_;
  std::map<std::string, Controlled> controlled_;
};

}  // namespace rhc
