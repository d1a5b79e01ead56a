#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/rhc/commands.h"
#include "apps/rhc/parts.h"
#include "rhc/core/text.h"
#include "rhc/core/version.h"
#include "rhc/format/json.h"

namespace rhc::app {

namespace {

const char* word_for(Part::State state) {
  return state == Part::State::there ? "ok" : state == Part::State::missing ? "missing" : "broken";
}

void print_json(const std::vector<Part>& all) {
  Json json = {{"rhc", version()}, {"commit", commit()}, {"parts", Json::array()}};
  for (const Part& part : all)
    json["parts"].push_back({{"name", part.name},
                             {"state", word_for(part.state)},
                             {"what", part.what},
                             {"needs", part.needs},
                             {"how", part.how}});
  fmt::print("{}\n", dump_any(json, 2));
}

void print_lines(const std::vector<Part>& all) {
  fmt::print("{}\n\n", version_text());
  for (const Part& part : all) {
    fmt::print("{:<8} {:<10} {}\n", word_for(part.state), part.name, visible(part.what));
    if (part.state == Part::State::there) continue;
    fmt::print("{:19} needed for {}\n", "", part.needs);
    fmt::print("{:19} to get it: {}\n", "", part.how);
  }
}

}  // namespace

void add_doctor(CLI::App& program, int& exit_code) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand(
      "doctor",
      "Print what is installed, what is missing and how to get it; exit code 1 where something is\n"
      "broken\n"
      "Example: rhc doctor");
  command->add_flag("--json", *json, "Print one JSON object");
  command->callback([json, &exit_code] {
    const std::vector<Part> all = parts();
    if (*json)
      print_json(all);
    else
      print_lines(all);
    if (std::ranges::any_of(all, [](const Part& p) { return p.state == Part::State::broken; }))
      exit_code = kFailed;
  });
}

}  // namespace rhc::app
