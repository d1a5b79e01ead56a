#include "apps/rhc/task_options.h"

#include <fmt/format.h>

#include <cstdio>

#include "rhc/describe/reference_file.h"

namespace rhc::app {

namespace {

std::vector<Assignment> assignments(const std::vector<std::string>& texts, const char* option) {
  std::vector<Assignment> all;
  for (const std::string& text : texts)
    for (Assignment& one : parse_assignments(text, option)) all.push_back(std::move(one));
  return all;
}

}  // namespace

void add_task_options(CLI::App& command, TaskOptions& options) {
  const auto add = [&](const char* name, std::vector<std::string>& values, const char* help) {
    command.add_option(name, values, help)->type_name("NAME=VALUE")->allow_extra_args(false);
  };
  add("--target", options.target,
      "Another target, such as angle=90deg,speed=0: names as in the system's file, an angle as\n"
      "such; may be repeated");
  add("--weight", options.weight, "Other weights, such as speed=0.1");
  add("--final-weight", options.final_weight, "Other weights at the end of the plan");
  add("--action-weight", options.action_weight, "Other weights of the actions");
  command
      .add_option("--reference", options.reference,
                  "CSV file with a target for every step: columns with the same names, and a\n"
                  "column 'time', or a row a step")
      ->type_name("FILE");
}

TaskChange task_change(const TaskOptions& options, const SystemSpec& spec) {
  TaskChange change{.target = assignments(options.target, "--target"),
                    .weight = assignments(options.weight, "--weight"),
                    .final_weight = assignments(options.final_weight, "--final-weight"),
                    .action_weight = assignments(options.action_weight, "--action-weight")};
  if (!options.reference.empty()) change.reference = read_reference(options.reference, spec);
  return change;
}

void apply_task_options(const TaskOptions& options, SystemSpec& spec) {
  const ChangedTask changed = changed_task(spec, task_change(options, spec));
  for (const std::string& remark : changed.remarks) fmt::print(stderr, "rhc: {}\n", remark);
  spec.task = changed.task;
}

}  // namespace rhc::app
