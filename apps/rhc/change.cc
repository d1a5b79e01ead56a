#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "apps/rhc/commands.h"
#include "apps/rhc/lab.h"
#include "apps/rhc/threads_option.h"
#include "rhc/core/error.h"
#include "rhc/describe/description_change.h"
#include "rhc/describe/description_remarks.h"

namespace rhc::app {

namespace {

struct ChangeOptions {
  std::string run, system;
  int threads = 1;
};

// What differs, where nothing that was measured would mean anything else.
std::vector<std::string> allowed_changes(const ChangeOptions& options, const SystemFile& before,
                                         const SystemFile& after) {
  const DescriptionChange change = description_change(before, after);
  if (!change.refused.empty())
    throw InputError(fmt::format(
        "{}: under this description the data of '{}' would mean something else:\n     {}\n"
        "Nothing was changed; `rhc new {}` begins another run, and `rhc tell --import` tells it "
        "what was measured",
        options.system, options.run, fmt::join(change.refused, "\n     "), options.system));
  if (change.differences.empty()) return {"words only"};
  return change.differences;
}

int change(const ChangeOptions& options) {
  const RunSummary run = read_summary(options.run);
  if (!is_laboratory(run))
    throw InputError(fmt::format(
        "'{}' is a run that rhc carries out by itself: its settings and its system make it what it "
        "is, so another system is another run (`rhc explore {}`)",
        options.run, options.system));
  const SystemFile before = system_file_of(run), after = read_system_file(options.system);
  if (before.text == after.text) {
    // One that was cut off after it held is brought to its end.
    const Laboratory lab(options.run, options.threads, Laboratory::Damage::redescribed);
    print_remarks(lab, options.run);
    fmt::print("nothing differs: '{}' goes by this description already\n", options.run);
    return kDone;
  }
  const std::vector<std::string> changes = allowed_changes(options, before, after);
  Laboratory lab(options.run, options.threads, Laboratory::Damage::redescribed);
  print_remarks(lab, options.run);
  lab.change(after, changes);
  for (const std::string& difference : changes) fmt::print("{}\n", difference);
  for (const std::string& remark : remarks_on_description(after))
    fmt::print(stderr, "rhc: {}: {}\n", options.system, remark);
  fmt::print("`rhc ask {}` plans by the new description; history.jsonl keeps the old one\n",
             options.run);
  return kDone;
}

}  // namespace

void add_change(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<ChangeOptions>();
  CLI::App* command = program.add_subcommand(
      "change",
      "Go on by another description of the system: other bounds, rates, limits, another target\n"
      "or weights. What was measured before keeps its meaning\n"
      "Example: rhc change runs/lab gentler.toml");
  command->add_option("run", options->run, "Run directory")->type_name("RUN")->required();
  command->add_option("system", options->system, "TOML file that describes the system")
      ->type_name("FILE")
      ->required();
  add_threads_option(*command, options->threads);
  command->callback([options, &exit_code] { exit_code = change(*options); });
}

}  // namespace rhc::app
