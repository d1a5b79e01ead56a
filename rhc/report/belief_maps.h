// What a run believed after an episode, and how a page gets maps of it.
#pragma once

#include <optional>
#include <vector>

#include "rhc/report/plane.h"
#include "rhc/store/run_record.h"

namespace rhc {

// Cells along each side of a map.
inline constexpr Index kMapCells = 40;

// Nothing where some of what it was learned from is missing; InputError where it does not fit.
std::optional<DynamicsModel> belief_after(const RunRecord& run, int episode);

// A byte a cell. Null where a damaged model knows no entropy.
Json map_json(int episode, const Matrix& map);

Json plane_json(const Plane& plane, const Json& maps);
Json coordinates_json(const std::vector<Coordinate>& coordinates);

}  // namespace rhc
