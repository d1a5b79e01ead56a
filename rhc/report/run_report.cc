#include "rhc/report/run_report.h"

#include <fmt/format.h>

#include <cmath>

#include "rhc/core/version.h"
#include "rhc/describe/settings.h"
#include "rhc/explore/trouble.h"
#include "rhc/format/files.h"
#include "rhc/report/band_shares.h"
#include "rhc/report/compact.h"
#include "rhc/report/control_view.h"
#include "rhc/report/page.h"
#include "rhc/run/noise_words.h"
#include "rhc/store/control_log.h"

namespace rhc {

namespace {

constexpr int kMostRows = 1000;

Json bounds_json(const Box& box) {
  const auto side = [](const Vector& values) {
    Json list = Json::array();
    for (const double v : values) list.push_back(std::isfinite(v) ? Json(v) : Json());
    return list;
  };
  return {{"lower", side(box.lower)}, {"upper", side(box.upper)}};
}

Json quantities_json(const std::vector<Quantity>& quantities) {
  Json list = Json::array();
  for (const Quantity& q : quantities) list.push_back({{"name", q.name}, {"unit", q.unit}});
  return list;
}

// As one word of a shell's command.
std::string in_shell_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// How it is drawn; the ends of what moves are with the episodes.
Json shapes_json(const std::vector<Shape>& shapes) {
  Json list = Json::array();
  for (const Shape& shape : shapes)
    list.push_back({{"radius", shape.radius},
                    {"round", shape.round},
                    {"place", shape.place ? Json(*shape.place) : Json()}});
  return list;
}

// What a run has that names nothing but its system.
Config default_config(const SystemSpec& spec) {
  Config config = preset("default", spec);
  config.model.features = features_for(config, spec);
  return config;
}

Json settings_json(const Config& config, const SystemSpec& spec) {
  const Config usual = default_config(spec);
  Json list = Json::array();
  for (const Setting& setting : settings())
    list.push_back({{"key", setting.key},
                    {"value", setting.show(config)},
                    {"default", setting.show(usual)},
                    {"unit", setting.unit},
                    {"range", setting.range},
                    {"help", setting.help}});
  return list;
}

Json metrics_of(const RunRecord& run) {
  Json list = Json::array();
  if (run.rows.empty()) return list;
  const auto put = [&](MetricsRow row) {
    row.information_planned = promised(row);
    list.push_back(metrics_cells(row));
  };
  put(run.rows[0]);
  for (const int episode : spread(run.episodes_done(), kMostRows))
    put(run.rows[static_cast<std::size_t>(episode)]);
  return list;
}

Json manifest_of(const RunRecord& run) {
  Json json = Json::parse(manifest_json(run.manifest));
  json["status"] = run.status();
  json["episodes_done"] = run.episodes_done();
  return json;
}

}  // namespace

std::string run_name(const std::filesystem::path& path) {
  std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  return whole.filename().string();
}

std::string reproducing_command(const Config& config, const SystemSpec& spec) {
  const Config usual = default_config(spec);
  std::string command = "rhc explore " + spec.name;
  if (!config.plant.command.empty())
    command = fmt::format("rhc explore --command {}", in_shell_quotes(config.plant.command));
  for (const Setting& setting : settings()) {
    const std::string value = plain(setting, config);
    if (setting.key == "system" || setting.key == "command" || value == plain(setting, usual))
      continue;
    const bool option =
        setting.key == "method" || setting.key == "episodes" || setting.key == "seed";
    // A list has brackets, which a shell would take for its own.
    const bool quoted = value.find('[') != std::string::npos;
    command += option   ? fmt::format(" --{} {}", setting.key, value)
               : quoted ? fmt::format(" '{}={}'", setting.key, value)
                        : fmt::format(" {}={}", setting.key, value);
  }
  return command;
}

std::string reproducing_command(const RunRecord& run) {
  if (!std::filesystem::is_regular_file(run.path / kSystemFile))
    return reproducing_command(run.config, run.spec);
  const auto file = [&](const char* name) { return in_shell_quotes((run.path / name).string()); };
  if (!run.lab) return "rhc explore --config " + file("config.toml");
  const std::string again = in_shell_quotes(run.path.string() + "-again");
  return fmt::format(
      "rhc new {} --config {} --out {} &&\nfor log in {}/*.csv; do rhc tell {} \"$log\" --import; "
      "done",
      file("system.toml"), file("config.toml"), again, file("measured"), again);
}

namespace {

// While somebody writes it, the files are ahead of each other.
Json problems(const RunRecord& run) {
  Json all = Json(run.damaged);
  if (!run.owner)
    for (const std::string& remark : run.recovered) all.push_back(remark);
  return all;
}

}  // namespace

Json run_report_data(const RunRecord& run, const System& system, const ReportSettings& settings) {
  const SystemSpec& spec = run.spec;
  Json data = {{"kind", "run"},
               {"name", run_name(run.path)},
               {"version", version()},
               {"live", Json()},
               {"manifest", manifest_of(run)},
               {"metrics", metrics_of(run)},
               {"best_achievable", Json()},
               {"settings", settings_json(run.config, spec)},
               {"reproduce", reproducing_command(run)},
               {"problems", problems(run)},
               {"noise", Json()}};
  if (const auto noise = noise_of(run)) data["noise"] = noise_in_words(*noise, spec);
  if (run.best_achievable) {
    data["best_achievable"] = {{"transitions", run.config.judge.best_achievable_transitions}};
    data["best_achievable"].update(scores_json(*run.best_achievable));
  }
  const Index stride = put_details(run, system, settings, data);
  data["bands"] = announced_shares(run);
  data["control"] = control_view(run.path, spec);
  for (const std::string& problem : damaged_control_files(run.path))
    data["problems"].push_back(problem);
  std::vector<std::string> unreadable;
  data["validation"] = kept_validation(run, unreadable);
  for (const std::string& problem : unreadable) data["problems"].push_back(problem);
  data["system"] = {{"name", spec.name},
                    {"title", spec.title},
                    {"time_step", spec.time_step * static_cast<double>(stride)},
                    {"horizon", spec.horizon / stride},
                    {"observation", quantities_json(spec.observation)},
                    {"action", quantities_json(spec.action)},
                    {"limits", bounds_json(spec.limits)},
                    {"action_bounds", bounds_json(spec.action_bounds)},
                    {"shapes", shapes_json(system.shapes())}};
  return data;
}

std::filesystem::path write_report(const RunRecord& run, const Json& data,
                                   const std::optional<std::filesystem::path>& out) {
  const std::string text = page(run_name(run.path), data);
  if (out) {
    write_output(*out, text);
    return *out;
  }
  const std::filesystem::path path = run.path / "report.html";
  write_atomically(path, text);
  return path;
}

}  // namespace rhc
