#include "rhc/study/paper_curves.h"

#include <string_view>
#include <utility>

#include "rhc/core/text.h"
#include "rhc/study/paper_task_cost.h"

namespace rhc {

std::vector<PaperCurve> paper_curves() {
  std::vector<PaperCurve> curves;
  bool header = true;
  for (const std::string_view line : split(trim(paper_task_cost()), '\n')) {
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
