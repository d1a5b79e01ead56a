#include "apps/rhc/start_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "rhc/core/error.h"
#include "rhc/core/text.h"

namespace rhc::app {

Vector parse_start(const std::string& text, const SystemSpec& spec, const std::string& whose) {
  const auto parts = split(text, ',');
  if (parts.size() != spec.state.size())
    throw InputError(fmt::format("--start has {} values; {} {} ({})", parts.size(), whose,
                                 spec.state.size(), fmt::join(names_of(spec.state), ",")));
  Vector start(static_cast<Index>(parts.size()));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto value = parse_number(trim(parts[i]));
    if (!value || !std::isfinite(*value))
      throw InputError(fmt::format("--start: value {} ({}): '{}' is not a finite number", i + 1,
                                   spec.state[i].name, parts[i]));
    start[static_cast<Index>(i)] = *value;
  }
  return start;
}

}  // namespace rhc::app
