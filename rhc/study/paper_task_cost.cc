#include "rhc/study/paper_task_cost.h"

#include <cstddef>

#include "rhc/core/embed.h"

RHC_EMBED(rhc_paper_task_cost, RHC_PAPER_TASK_COST);

namespace rhc {

std::string_view paper_task_cost() {
  return {rhc_paper_task_cost_begin,
          static_cast<std::size_t>(rhc_paper_task_cost_end - rhc_paper_task_cost_begin)};
}

}  // namespace rhc
