#include "rhc/report/belief_maps.h"

#include <algorithm>
#include <cmath>

#include "rhc/report/compact.h"

namespace rhc {

std::optional<DynamicsModel> belief_after(const RunRecord& run, int episode) {
  const auto record = std::find_if(run.beliefs.begin(), run.beliefs.end(),
                                   [&](auto& b) { return b.episode == episode; });
  if (record == run.beliefs.end()) return std::nullopt;
  std::vector<Transitions> batches;
  for (std::size_t e = 0; e < static_cast<std::size_t>(episode); ++e) {
    if (e >= run.episodes.size() || !run.episodes[e]) return std::nullopt;
    batches.push_back(transitions_of(*run.episodes[e], run.limits_of(e), run.spec.history));
  }
  return rebuild(*record, run.config, run.spec, batches);
}

Json map_json(int episode, const Matrix& map) {
  if (!map.allFinite()) return {};
  const double low = map.minCoeff(), high = map.maxCoeff();
  const double scale = high > low ? 255 / (high - low) : 0;
  std::vector<unsigned char> cells;
  for (Index row = 0; row < map.rows(); ++row)
    for (Index column = 0; column < map.cols(); ++column)
      cells.push_back(static_cast<unsigned char>(std::lround((map(row, column) - low) * scale)));
  return {{"episode", episode},
          {"low", rounded(low)},
          {"high", rounded(high)},
          {"cells", base64(cells)}};
}

Json plane_json(const Plane& plane, const Json& maps) {
  return {{"x", plane.x},
          {"y", plane.y},
          {"columns", kMapCells},
          {"rows", kMapCells},
          {"x_range", {rounded(plane.x_range.low), rounded(plane.x_range.high)}},
          {"y_range", {rounded(plane.y_range.low), rounded(plane.y_range.high)}},
          {"maps", maps}};
}

Json coordinates_json(const std::vector<Coordinate>& coordinates) {
  Json list = Json::array();
  for (const Coordinate& c : coordinates) {
    Json json = {{"name", c.name}, {"unit", c.unit}};
    json[c.sine < 0 ? "index" : "cosine"] = c.index;
    if (c.sine >= 0) json["sine"] = c.sine;
    list.push_back(json);
  }
  return list;
}

}  // namespace rhc
