#include "rhc/report/reproduce_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace rhc {

namespace {

using Row = std::vector<std::string>;

// Names on the left, numbers on the right; `names` is how many columns are names. All is ASCII but
// for what a user has called something, so bytes are columns.
std::string table(const Row& header, const std::vector<Row>& rows, std::size_t names) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < header.size(); ++c) {
    widths.push_back(header[c].size());
    for (const Row& row : rows) widths[c] = std::max(widths[c], row[c].size());
  }
  const auto line = [&](const Row& row) {
    std::string text = "|";
    for (std::size_t c = 0; c < row.size(); ++c)
      text += c < names ? fmt::format(" {:<{}} |", row[c], widths[c])
                        : fmt::format(" {:>{}} |", row[c], widths[c]);
    return text + "\n";
  };
  std::string text = line(header) + "|";
  for (std::size_t c = 0; c < header.size(); ++c)
    text += (c < names ? ":" : "-") + std::string(widths[c], '-') + (c < names ? "-|" : ":|");
  text += "\n";
  for (const Row& row : rows) text += line(row);
  return text;
}

// A cell must not end where its text has a bar.
std::string cell(const Json& text) {
  std::string result;
  for (const char c : text.get<std::string>()) result += c == '|' ? "\\|" : std::string(1, c);
  return result;
}

std::string digits_of(const Json& value, int digits = 5) {
  if (value.is_null()) return "-";
  const double v = value.get<double>();
  const bool long_number = std::abs(v) >= 1000 && std::abs(v) < 1e7;
  return long_number ? fmt::format("{:.0f}", v) : fmt::format("{:.{}g}", v, digits);
}

// "19344 [19343, 19350]"
std::string with_deciles(const Json& json, int digits) {
  if (json.is_null()) return "-";
  return fmt::format("{} [{}, {}]", digits_of(json["median"], digits),
                     digits_of(json["decile1"], digits), digits_of(json["decile9"], digits));
}

std::string median(const Json& json, int digits) {
  return json.is_null() ? "-" : digits_of(json["median"], digits);
}

std::string duration(const Json& seconds) {
  if (seconds.is_null()) return "-";
  const double s = seconds.get<double>();
  if (s >= 3600) return fmt::format("{:.2f} h", s / 3600);
  if (s >= 120) return fmt::format("{:.1f} min", s / 60);
  return fmt::format("{:.3g} s", s);
}

std::string final_numbers(const Json& data) {
  std::vector<Row> rows;
  for (const Json& system : data["systems"]) {
    const Json& best = system["best_achievable"];
    const auto best_of = [&](const char* key, int digits) {
      return best.is_null() ? "-" : digits_of(best[key], digits);
    };
    rows.push_back({cell(system["name"]), "reference", "", "", digits_of(system["limit"]),
                    best_of("log_likelihood", 4), best_of("rmse", 3), best_of("coverage95", 3)});
    for (const Json& group : system["groups"]) {
      const Json& final = group["final"];
      rows.push_back({cell(system["name"]), cell(group["label"]),
                      std::to_string(group["runs"].size()), digits_of(final["episode"]),
                      with_deciles(final["task_cost"], 5), with_deciles(final["log_likelihood"], 4),
                      median(final["rmse"], 3), median(final["coverage95"], 3)});
    }
  }
  return "## Final numbers\n\n"
         "After the last episode that all runs of a group have: medians, [first and ninth "
         "decile].\n"
         "Reference: the task's limit, planned with the true dynamics, and the scores of a model "
         "given uniform data.\n\n" +
         table({"system", "method", "runs", "episode", "task cost", "log-likelihood", "rmse",
                "cover95"},
               rows, 2);
}

std::string to_limit(const Json& data) {
  std::vector<Row> rows;
  for (const Json& group : data["to_limit"]) {
    // How long the others will take nobody knows.
    const auto episode = [&](const char* key) {
      return group[key].is_null() ? "> " + digits_of(group["episodes"]) : digits_of(group[key]);
    };
    rows.push_back(
        {cell(group["system"]), cell(group["label"]), episode("median"),
         fmt::format("[{}, {}]", episode("decile1"), episode("decile9")),
         fmt::format("{} of {}", digits_of(group["arrived"]), digits_of(group["runs"]))});
  }
  if (rows.empty()) return "";
  return "## Episodes until the task cost is within 1 % of the limit\n\n" +
         table({"system", "method", "median", "deciles", "runs that came there"}, rows, 2);
}

std::string run_times(const Json& data) {
  std::vector<Row> rows;
  for (const Json& time : data["run_times"]) {
    const Json& paper = time["paper"];
    const std::string hours = paper.is_null()            ? "not in it"
                              : paper["hours"].is_null() ? "could not run"
                                                         : digits_of(paper["hours"]) + " h";
    rows.push_back({cell(time["system"]), cell(time["label"]), digits_of(time["runs"]),
                    time["episodes"].is_null() ? "differ" : digits_of(time["episodes"]),
                    duration(time["mean"]), duration(time["median"]), hours,
                    digits_of(time["ratio"], 3)});
  }
  if (rows.empty()) return "";
  return fmt::format(
             "## Time of a run\n\n"
             "Of finished runs, processor time. The paper's: means of runs of {} episodes with "
             "their "
             "evaluation,\non an {}; the ratio is theirs to our mean, where our runs are as long "
             "and evaluated, too.\n\n",
             digits_of(data["made"]["paper_episodes"]),
             data["made"]["paper_cpu"].get<std::string>()) +
         table({"system", "method", "runs", "episodes", "mean", "median", "paper", "ratio"}, rows,
               2);
}

std::string how_made(const Json& data) {
  const Json& made = data["made"];
  const auto list = [&](const char* key) {
    return fmt::format("{}", fmt::join(made[key].get<std::vector<std::string>>(), ", "));
  };
  std::string text = fmt::format(
      "## How it was made\n\n"
      "{} runs, {} of them finished, {} of work in all.\nrhc {}; compiler {}; CPU {}.\n",
      digits_of(made["runs"]), digits_of(made["finished"]), duration(made["seconds"]),
      list("versions"), list("compilers"), list("cpus"));
  if (!data["figure2"]["missing"].is_null())
    text +=
        fmt::format("\nFigure 2 is missing. {}\n", data["figure2"]["missing"].get<std::string>());
  for (std::size_t i = 0; i < data["warnings"].size(); ++i)
    text += fmt::format("{}- {}\n", i == 0 ? "\nMind:\n\n" : "",
                        data["warnings"][i].get<std::string>());
  return text;
}

}  // namespace

std::string reproduce_tables(const Json& data) {
  std::string text = "# Receding Horizon Curiosity, reproduced\n";
  for (const std::string& part :
       {final_numbers(data), to_limit(data), run_times(data), how_made(data)})
    if (!part.empty()) text += "\n" + part;
  return text;
}

}  // namespace rhc
