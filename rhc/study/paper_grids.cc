#include "rhc/study/paper_grids.h"

#include "rhc/core/embed.h"

RHC_EMBED(rhc_paper_grid, RHC_PAPER_GRID);
RHC_EMBED(rhc_quick_grid, RHC_QUICK_GRID);

namespace rhc {

std::string paper_grid() { return {rhc_paper_grid_begin, rhc_paper_grid_end}; }

std::string quick_grid() { return {rhc_quick_grid_begin, rhc_quick_grid_end}; }

}  // namespace rhc
