#include "rhc/study/paper_curves.h"

#include <string_view>
#include <utility>

#include "rhc/core/embed.h"
#include "rhc/core/text.h"

RHC_EMBED(rhc_paper_task_cost, RHC_PAPER_TASK_COST);

namespace rhc {

std::vector<PaperCurve> paper_curves() {
  const std::string_view file(
      rhc_paper_task_cost_begin,
      static_cast<std::size_t>(rhc_paper_task_cost_end - rhc_paper_task_cost_begin));
  std::vector<PaperCurve> curves;
  bool header = true;
  for (const std::string_view line : split(trim(file), '\n')) {
    if (std::exchange(header, false)) continue;
    const auto cells = split(line, ',');
    if (curves.empty() || curves.back().system != cells[0] || curves.back().method != cells[1])
      curves.push_back({std::string(cells[0]), std::string(cells[1]), {}});
    Curve& curve = curves.back().task_cost;
    curve.episode.push_back(static_cast<int>(parse_integer(cells[2]).value()));
    curve.median.push_back(parse_number(cells[3]).value());
    curve.decile1.push_back(parse_number(cells[4]).value());
    curve.decile9.push_back(parse_number(cells[5]).value());
    curve.count.push_back(20);
  }
  return curves;
}

}  // namespace rhc
