#include "rhc/study/paper_run_times.h"

#include <string_view>

#include "rhc/core/embed.h"
#include "rhc/core/text.h"

RHC_EMBED(rhc_paper_run_time, RHC_PAPER_RUN_TIME);

namespace rhc {

std::vector<PaperRunTime> paper_run_times() {
  const std::string_view file(
      rhc_paper_run_time_begin,
      static_cast<std::size_t>(rhc_paper_run_time_end - rhc_paper_run_time_begin));
  const auto lines = split(trim(file), '\n');
  const auto systems = split(lines[0], ',');
  std::vector<PaperRunTime> times;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = split(lines[i], ',');
    for (std::size_t s = 1; s < systems.size(); ++s)
      times.push_back({std::string(systems[s]), std::string(cells[0]), parse_number(cells[s])});
  }
  return times;
}

}  // namespace rhc
