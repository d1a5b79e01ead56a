#include "rhc/report/control_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/core/text.h"
#include "rhc/report/compact.h"
#include "rhc/store/control_log.h"

namespace rhc {

namespace {

constexpr std::size_t kTroublesShown = 8;

struct LogRows {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  // Where a column is; as many as there are where it is none.
  std::size_t at(std::string_view name) const {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) -
                                    columns.begin());
  }
};

std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(line, ',')) parts.emplace_back(part);
  return parts;
}

// The header, and the whole rows at the end of the file.
LogRows last_rows(const std::filesystem::path& path) {
  LogRows log;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!std::getline(file, line)) return log;
  log.columns = cells(line);
  const std::streamoff begin = file.tellg();
  file.seekg(0, std::ios::end);
  const std::streamoff end = file.tellg();
  const std::streamoff from = std::max(begin, end - static_cast<std::streamoff>(kControlTail));
  file.seekg(from);
  if (from > begin) std::getline(file, line);  // the rest of a row
  while (std::getline(file, line)) {
    // Without its end, somebody is still writing it.
    if (file.eof()) break;
    std::vector<std::string> row = cells(line);
    if (row.size() == log.columns.size()) log.rows.push_back(std::move(row));
  }
  return log;
}

double number_at(const std::vector<std::string>& row, std::size_t column) {
  if (column >= row.size()) return std::numeric_limits<double>::quiet_NaN();
  return parse_number(row[column]).value_or(std::numeric_limits<double>::quiet_NaN());
}

Json column_json(const LogRows& log, const std::vector<std::size_t>& shown,
                 const std::string& name) {
  Json values = Json::array();
  const std::size_t column = log.at(name);
  for (const std::size_t row : shown) values.push_back(rounded(number_at(log.rows[row], column)));
  return values;
}

Json summary_row(const ControlRunFile& run) {
  const auto of = [&](const char* key) {
    return run.summary.is_object() && run.summary.contains(key) ? run.summary[key] : Json();
  };
  std::string status = run.damage.empty() ? "goes on, or was killed" : run.damage;
  if (of("ending").is_string()) {
    status = of("ending");
    const Json why = of("why");
    if (why.is_string() && why != "") status += ": " + why.get<std::string>();
  }
  return {{"number", run.number},
          {"status", status},
          {"steps", of("steps")},
          {"missed", of("missed_deadlines")},
          {"cost", of("cost")}};
}

}  // namespace

Json control_view(const std::filesystem::path& run, const SystemSpec& spec) {
  const std::vector<ControlRunFile> all = control_runs(run);
  if (all.empty()) return {};
  Json view = {{"runs", Json::array()}};
  for (const ControlRunFile& file : all) view["runs"].push_back(summary_row(file));

  const LogRows log = last_rows(run / "control" / fmt::format("{:04}.csv", all.back().number));
  const std::size_t most = static_cast<std::size_t>(kControlPoints),
                    stride = std::max<std::size_t>(1, (log.rows.size() + most - 1) / most);
  std::vector<std::size_t> shown;
  if (!log.rows.empty())  // the last one always
    for (std::size_t i = (log.rows.size() - 1) % stride; i < log.rows.size(); i += stride)
      shown.push_back(i);

  view["time"] = column_json(log, shown, "time");
  view["observations"] = Json::array();
  for (const std::string& name : names_of(spec.observation))
    view["observations"].push_back({{"measured", column_json(log, shown, name)},
                                    {"estimated", column_json(log, shown, name + "_estimated")},
                                    {"planned", column_json(log, shown, name + "_planned")}});
  view["actions"] = Json::array();
  for (const std::string& name : names_of(spec.action))
    view["actions"].push_back(column_json(log, shown, name));

  const std::size_t time = log.at("time"), trouble = log.at("trouble");
  view["trouble"] = Json::array();
  Json troubles = Json::array();
  for (const std::vector<std::string>& row : log.rows) {
    if (trouble >= row.size() || row[trouble].empty()) continue;
    view["trouble"].push_back(rounded(number_at(row, time)));
    troubles.push_back({rounded(number_at(row, time)), row[trouble]});
  }
  // What repeats at every step is said once.
  view["troubles"] = Json::array();
  for (const Json& entry : troubles)
    if (view["troubles"].empty() || view["troubles"].back()[1] != entry[1])
      view["troubles"].push_back(entry);
  if (view["troubles"].size() > kTroublesShown)
    view["troubles"].erase(view["troubles"].begin(), view["troubles"].end() - kTroublesShown);
  return view;
}

}  // namespace rhc
