#include "rhc/report/compare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rhc/core/version.h"
#include "rhc/explore/explorer.h"
#include "rhc/report/compact.h"
#include "rhc/report/run_report.h"
#include "rhc/study/paper_curves.h"

namespace rhc {

namespace {

Json list_json(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(rounded(value));
  return list;
}

Json curve_json(const Curve& curve) {
  return {{"episode", Json(curve.episode)},
          {"median", list_json(curve.median)},
          {"decile1", list_json(curve.decile1)},
          {"decile9", list_json(curve.decile9)},
          {"count", Json(curve.count)}};
}

std::optional<Spread> spread_at(const Group& group, const Metric& metric, int episode) {
  std::vector<double> values;
  for (const RunSummary* run : group.runs)
    if (const auto value = metric(run->rows[static_cast<std::size_t>(episode)]);
        value && std::isfinite(*value))
      values.push_back(*value);
  if (values.empty()) return std::nullopt;
  return spread_of(values);
}

double median_seconds(const Group& group) {
  std::vector<double> seconds;
  for (const RunSummary* run : group.runs) seconds.push_back(run->manifest.seconds);
  return quantile(seconds, 0.5);
}

bool has_rows(const Group& group) {
  return std::none_of(group.runs.begin(), group.runs.end(),
                      [](auto* run) { return run->rows.empty(); });
}

Json group_json(const Group& group) {
  const int last = last_common_episode(group);
  const auto needed = episodes_to_limit(group);
  Json runs = Json::array(), curves = Json::object(),
       final = {{"episode", last},
                {"episodes_to_1_percent", needed ? Json(*needed) : Json()},
                {"seconds", rounded(median_seconds(group))}};
  for (const RunSummary* run : group.runs)
    runs.push_back({{"name", run_name(run->path)}, {"seed", run->config.seed}});
  for (const auto& [name, metric] : learning_metrics()) {
    curves[name] = curve_json(curve_of(group, metric));
    final[name] = Json();
    const auto spread = has_rows(group) ? spread_at(group, metric, last) : std::nullopt;
    if (spread)
      final[name] = {{"median", rounded(spread->median, 9)},
                     {"decile1", rounded(spread->decile1, 9)},
                     {"decile9", rounded(spread->decile9, 9)}};
  }
  return {{"label", group.label},
          {"method", group.method},
          {"runs", runs},
          {"curves", curves},
          {"final", final}};
}

// "rhc-us" -> "paper, RHC US"
std::string paper_label(std::string method) {
  for (char& c : method)
    c = c == '-' ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return "paper, " + method;
}

Json system_json(const std::string& name, const std::vector<Group>& groups) {
  Json json = {{"name", name},
               {"limit", Json()},
               {"best_achievable", Json()},
               {"groups", Json::array()},
               {"paper", Json::array()}};
  for (const Group& group : groups) {
    if (group.system != name) continue;
    json["groups"].push_back(group_json(group));
    for (const RunSummary* run : group.runs) {
      if (json["limit"].is_null() && !run->rows.empty() && run->rows[0].task_cost_limit)
        json["limit"] = rounded(*run->rows[0].task_cost_limit);
      if (json["best_achievable"].is_null() && run->best_achievable)
        json["best_achievable"] = scores_json(*run->best_achievable);
    }
  }
  for (const PaperCurve& curve : paper_curves()) {
    if (curve.system != name) continue;
    Json published = {{"label", paper_label(curve.method)}, {"method", method_name(curve.method)}};
    published.update(curve_json(curve.task_cost));
    json["paper"].push_back(published);
  }
  return json;
}

}  // namespace

std::vector<Group> groups_to_show(const std::vector<RunSummary>& runs,
                                  std::vector<std::string>& warnings) {
  for (const RunSummary& run : runs) {
    if (!run.remark.empty()) warnings.push_back(run.remark);
    if (run.manifest.status == kOpen)
      for (const std::string& remark : run.recovered) warnings.push_back(remark);
    for (const std::string& damage : run.damaged) warnings.push_back("damaged: " + damage);
  }
  return group_runs(runs, warnings);
}

Json systems_json(const std::vector<Group>& groups) {
  Json systems = Json::array();
  std::vector<std::string> seen;
  for (const Group& group : groups) {
    if (std::find(seen.begin(), seen.end(), group.system) != seen.end()) continue;
    seen.push_back(group.system);
    systems.push_back(system_json(group.system, groups));
  }
  return systems;
}

Json compare_report_data(const std::vector<RunSummary>& runs) {
  std::vector<std::string> warnings;
  const Json systems = systems_json(groups_to_show(runs, warnings));
  return {
      {"kind", "compare"}, {"version", version()}, {"warnings", warnings}, {"systems", systems}};
}

std::string compare_table(const Json& data) {
  std::string text = fmt::format(
      "{:<14} {:<24} {:>5} {:>7} {:>12} {:>12} {:>10} {:>10} {:>8} {:>8}\n", "system", "method",
      "seeds", "episode", "task cost", "9th decile", "log-lik", "rmse", "cover95", "to 1 %");
  const auto number = [](const Json& json, const char* key, const char* format) {
    return json.is_null() || json[key].is_null()
               ? std::string("-")
               : fmt::format(fmt::runtime(format), json[key].get<double>());
  };
  for (const Json& system : data["systems"])
    for (const Json& group : system["groups"]) {
      const Json& final = group["final"];
      const Json& needed = final["episodes_to_1_percent"];
      text += fmt::format("{:<14} {:<24} {:>5} {:>7} {:>12} {:>12} {:>10} {:>10} {:>8} {:>8}\n",
                          system["name"].get<std::string>(), group["label"].get<std::string>(),
                          group["runs"].size(), final["episode"].get<int>(),
                          number(final["task_cost"], "median", "{:.2f}"),
                          number(final["task_cost"], "decile9", "{:.2f}"),
                          number(final["log_likelihood"], "median", "{:.5g}"),
                          number(final["rmse"], "median", "{:.4g}"),
                          number(final["coverage95"], "median", "{:.3f}"),
                          needed.is_null() ? "never" : fmt::format("{:g}", needed.get<double>()));
    }
  return text;
}

}  // namespace rhc
