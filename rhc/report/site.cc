#include "rhc/report/site.h"

#include <fmt/format.h>

#include "rhc/core/error.h"
#include "rhc/core/version.h"
#include "rhc/format/crc32.h"
#include "rhc/format/files.h"
#include "rhc/report/control_view.h"
#include "rhc/report/page.h"
#include "rhc/report/run_report.h"
#include "rhc/store/control_log.h"
#include "rhc/store/lock.h"

namespace rhc {

namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kJson = "application/json; charset=utf-8";

HttpAnswer answer_with(const HttpRequest& request, const char* type, std::string body,
                       const std::string& etag) {
  if (!etag.empty() && request.if_none_match == etag)
    return {.status = 304, .type = type, .etag = etag};
  return {.type = type, .body = std::move(body), .etag = etag};
}

bool is_this_machine(std::string host) {
  if (const auto port = host.rfind(':'); port != std::string::npos && !host.ends_with(']'))
    host.resize(port);
  return host == "127.0.0.1" || host == "localhost" || host == "[::1]";
}

// Changes when what is shown of the run may have changed. The log of a controller grows many times
// a second, and is asked for alone.
std::string state_of(const std::filesystem::path& run) {
  std::string state;
  for (const ControlRunFile& control : control_runs(run))
    state += fmt::format("{}{};", control.number, control.summary.is_null() ? "" : "ended");
  for (const char* name : {"manifest.json", "metrics.jsonl"}) {
    std::error_code error;
    const auto size = std::filesystem::file_size(run / name, error);
    const auto time = std::filesystem::last_write_time(run / name, error);
    state += fmt::format("{}:{};", error ? 0 : size, error ? 0 : time.time_since_epoch().count());
  }
  return state + (lock_owner(run) ? "written" : "left");
}

std::string quoted_sum(const std::string& text) { return fmt::format("\"{:08x}\"", crc32(text)); }

const char* type_of(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".html") return kHtml;
  if (extension == ".json") return kJson;
  if (extension == ".png") return "image/png";
  if (extension.empty()) return "application/octet-stream";
  return "text/plain; charset=utf-8";
}

}  // namespace

Site::Site(const std::filesystem::path& folder, int threads) : threads_(threads) {
  std::error_code error;
  root_ = std::filesystem::canonical(folder, error);
  if (error || !std::filesystem::is_directory(root_))
    throw InputError(
        fmt::format("'{}' is not a directory; name a folder of runs", folder.string()));
  title_ = root_.filename().string();
}

HttpAnswer Site::answer(const HttpRequest& request) {
  if (request.method != "GET" && request.method != "HEAD")
    return refuse(405, "only GET is understood");
  if (!is_this_machine(request.host)) return refuse(403, "this server answers to localhost only");
  const std::string& path = request.path;
  if (path.find('\0') != std::string::npos) return refuse(400, "a path has no such character");
  const std::lock_guard lock(mutex_);
  try {
    if (path == "/") return list(request, true);
    if (path == "/runs.json") return list(request, false);
    if (path.starts_with("/files/")) return file(path.substr(7));
    if (path.starts_with("/run/") && path.ends_with("/data.json"))
      return show(request, path.substr(5, path.size() - 14), false);
    if (path.starts_with("/run/") && path.ends_with("/control.json"))
      return show_control(request, path.substr(5, path.size() - 17));
    if (path.starts_with("/run/") && path.ends_with("/"))
      return show(request, path.substr(5), true);
  } catch (const InputError& error) {
    return refuse(404, error.what());
  } catch (const std::exception& error) {
    return refuse(500, error.what());
  }
  return refuse(404, "there is no such page");
}

// What the name points to, where it is inside the folder after all links were followed.
std::optional<std::filesystem::path> Site::inside(const std::string& name) const {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(root_ / ("./" + name), error);
  if (error) return std::nullopt;
  const std::filesystem::path below = path.lexically_relative(root_);
  if (below.empty() || *below.begin() == "..") return std::nullopt;
  return path;
}

HttpAnswer Site::list(const HttpRequest& request, bool as_page) {
  const Json data = runs_json();
  if (as_page) return {.type = kHtml, .body = page("Runs", data)};
  const std::string body = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  return answer_with(request, kJson, body, quoted_sum(body));
}

Json Site::runs_json() {
  Json data = {{"kind", "runs"},   {"version", version()},  {"live", "runs.json"},
               {"folder", title_}, {"runs", Json::array()}, {"problems", Json::array()}};
  for (const std::filesystem::path& path : find_runs(root_)) {
    try {
      const Listed& run = listed(path);
      data["runs"].push_back(run.row);
      for (const std::string& damage : run.damaged) data["problems"].push_back(damage);
    } catch (const std::exception& error) {
      data["problems"].push_back(error.what());
    }
  }
  return data;
}

const Site::Listed& Site::listed(const std::filesystem::path& path) {
  const std::string name = path == root_ ? "." : path.lexically_relative(root_).string();
  const std::string state = state_of(path);
  Listed& known = listed_[name];
  if (known.state == state) return known;

  const RunSummary run = read_summary(path);
  const MetricsRow last = run.rows.empty() ? MetricsRow{} : run.rows.back();
  const auto or_null = [](const std::optional<double>& v) { return v ? Json(*v) : Json(); };
  known.row = {{"path", name},
               {"system", run.manifest.system},
               {"method", run.manifest.method},
               {"seed", run.manifest.seed},
               {"episodes", run.config.episodes},
               {"episodes_done", run.episodes_done()},
               {"status", run.status()},
               {"started", run.manifest.started},
               {"task_cost", or_null(last.task_cost)},
               {"task_cost_limit", or_null(last.task_cost_limit)},
               {"log_likelihood", last.scores ? Json(last.scores->log_likelihood) : Json()}};
  known.damaged = run.damaged;
  known.state = state;
  return known;
}

HttpAnswer Site::show(const HttpRequest& request, const std::string& name, bool as_page) {
  const auto path = inside(name);
  if (!path || !std::filesystem::exists(*path / "manifest.json"))
    return refuse(404, "there is no such run");
  const std::string etag = quoted_sum(path->string() + state_of(*path));
  if (!as_page && request.if_none_match == etag)
    return {.status = 304, .type = kJson, .etag = etag};

  Shown& known = shown_[path->string()];
  if (known.etag != etag) {
    const RunRecord run = read_run(*path);
    Json data = run_report_data(run, system_of(run), {.threads = threads_});
    data["live"] = "data.json";
    known = {etag, data.dump(-1, ' ', false, Json::error_handler_t::replace)};
    // One run is looked at at a time, or a few: the data of all would fill the memory.
    if (shown_.size() > 8)
      shown_.erase(shown_.begin()->first == path->string() ? std::prev(shown_.end())
                                                           : shown_.begin());
  }
  const std::string& body = shown_[path->string()].body;
  if (as_page) return {.type = kHtml, .body = page(run_name(*path), Json::parse(body))};
  return answer_with(request, kJson, body, etag);
}

HttpAnswer Site::show_control(const HttpRequest& request, const std::string& name) {
  const auto path = inside(name);
  if (!path || !std::filesystem::exists(*path / "manifest.json"))
    return refuse(404, "there is no such run");
  const std::string state = state_of(*path);
  Controlled& known = controlled_[path->string()];
  if (known.state != state) known = {state, system_of(read_summary(*path)).spec()};
  const std::string body = control_view(*path, known.spec).dump();
  return answer_with(request, kJson, body, quoted_sum(body));
}

HttpAnswer Site::file(const std::string& name) const {
  const auto path = inside(name);
  if (!path || !std::filesystem::is_regular_file(*path))
    return refuse(404, "there is no such file");
  return {.type = type_of(*path), .body = read_text(*path)};
}

}  // namespace rhc
