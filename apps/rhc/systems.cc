#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "apps/rhc/commands.h"
#include "rhc/describe/bundled_systems.h"

namespace rhc::app {

namespace {

std::string list(const std::vector<Quantity>& quantities) {
  std::string text;
  for (const Quantity& quantity : quantities)
    text += (text.empty() ? "" : ", ") + with_unit(quantity);
  return text;
}

std::string limits(const SystemSpec& spec) {
  std::string text;
  for (Index i = 0; i < spec.limits.size(); ++i)
    if (std::isfinite(spec.limits.lower[i]) || std::isfinite(spec.limits.upper[i]))
      text += fmt::format("{}{} in [{}, {}]", text.empty() ? "" : ", ",
                          spec.observation[static_cast<std::size_t>(i)].name, spec.limits.lower[i],
                          spec.limits.upper[i]);
  return text.empty() ? "no limits" : text;
}

}  // namespace

void add_systems(CLI::App& program, int&) {
  program.add_subcommand("systems", "List the systems that can be explored\nExample: rhc systems")
      ->callback([] {
        for (const std::string& name : bundled_names()) {
          const System system = bundled_system(name);
          const SystemSpec& spec = system.spec();
          fmt::print("{}: {}\n", spec.name, spec.title);
          fmt::print("  state         {}\n", list(spec.state));
          fmt::print("  observations  {}\n", list(spec.observation));
          for (Index i = 0; i < spec.action_bounds.size(); ++i)
            fmt::print("  action        {} in [{}, {}]\n",
                       with_unit(spec.action[static_cast<std::size_t>(i)]),
                       spec.action_bounds.lower[i], spec.action_bounds.upper[i]);
          fmt::print("  episode       {} steps of {} s, ends outside: {}\n\n", spec.horizon,
                     spec.time_step, limits(spec));
        }
      });
}

}  // namespace rhc::app
