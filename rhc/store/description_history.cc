#include "rhc/store/description_history.h"

#include "rhc/format/json.h"

namespace rhc {

std::string history_text(const DescriptionHistory& history) {
  std::string text;
  for (const ChangedDescription& change : history) {
    Json json;
    if (!change.time.empty()) json["time"] = change.time;
    json["experiments"] = change.experiments;
    json["differences"] = change.differences;
    json["before"] = change.before;
    text += dump_any(json) + "\n";
  }
  return text;
}

DescriptionHistory parse_history(std::string_view text, const std::string& where) {
  DescriptionHistory history;
  for (const JsonReader& line : read_json_lines(text, where).rows) {
    ChangedDescription change{.time = line.has("time") ? line.text("time") : "",
                              .experiments = static_cast<int>(line.count("experiments", 0)),
                              .differences = {},
                              .before = line.text("before")};
    for (const Json& difference : line.at("differences")) {
      if (!difference.is_string()) line.fail("\"differences\" must be a list of texts");
      change.differences.push_back(difference.get<std::string>());
    }
    history.push_back(std::move(change));
  }
  return history;
}

DescriptionHistory without_times(DescriptionHistory history) {
  for (ChangedDescription& change : history) change.time = "";
  return history;
}

}  // namespace rhc
