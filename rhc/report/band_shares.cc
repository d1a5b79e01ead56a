#include "rhc/report/band_shares.h"

#include <algorithm>
#include <cmath>

#include "rhc/core/error.h"
#include "rhc/core/random.h"
#include "rhc/format/files.h"
#include "rhc/report/compact.h"
#include "rhc/store/trajectory_csv.h"
#include "rhc/store/validation_file.h"

namespace rhc {

namespace {

constexpr Index kBandBins = 10;
constexpr int kMostEpisodesRead = 500;
constexpr Index kMostDistances = 200;

}  // namespace

Json announced_shares(const RunRecord& run) {
  // An episode that is planned anew on the way is announced only until the next look.
  const Index horizon = run.spec.horizon, replan = run.config.plan.replan;
  const Index farthest = replan > 0 ? std::min(replan, horizon) : horizon;
  const Index D = run.spec.outputs(), bins = std::min(kBandBins, farthest);
  const double reach = normal_quantile(0.975);
  Matrix inside = Matrix::Zero(D, bins);
  Vector points = Vector::Zero(bins), last(bins);
  for (Index b = 0; b < bins; ++b) last[b] = static_cast<double>((b + 1) * farthest / bins);
  for (const int episode : spread(static_cast<int>(run.episodes.size()), kMostEpisodesRead)) {
    const auto& seen = run.episodes[static_cast<std::size_t>(episode) - 1];
    const std::string name = episode_name("predictions", episode);
    if (!seen || !run.holds(name)) continue;
    Forecast announced;
    try {
      announced = read_forecast(run.path / name, run.spec);
    } catch (const InputError&) {
      continue;  // whoever shows the episode names it
    }
    const Index steps = std::min(seen->steps(), announced.mean.cols() - 1);
    for (Index t = 1; t <= steps; ++t) {
      const auto ahead = static_cast<double>((t - 1) % farthest + 1);
      Index b = 0;
      while (b + 1 < bins && ahead > last[b]) ++b;
      ++points[b];
      for (Index i = 0; i < D; ++i)
        inside(i, b) += std::abs(seen->observations(i, t) - announced.mean(i, t)) <=
                        reach * announced.deviation(i, t);
    }
  }
  if (points.sum() == 0) return {};
  // A bin that nothing came in has no share: 0 / 0 is null on the page.
  return {{"steps", vector_json(last)},
          {"points", vector_json(points)},
          {"inside", rounded_rows(inside * points.cwiseInverse().asDiagonal(), 1)}};
}

Json kept_validation(const RunRecord& run, std::vector<std::string>& problems) {
  const std::filesystem::path file = run.path / kValidationFile;
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) return {};
  try {
    const ValidationRecord record = parse_validation(read_text(file), file.string());
    const Validation& all = record.validation;
    const Index stride = (all.steps() + kMostDistances - 1) / kMostDistances;
    Json steps = Json::array();
    for (Index s = 0; s < all.steps(); s += stride) steps.push_back(s + 1);
    return {{"points", all.points},
            {"transitions", record.transitions},
            {"logs", record.logs.size()},
            {"observations", record.observations},
            {"steps", steps},
            {"rmse", rounded_rows(all.rmse, stride)},
            {"nothing_moves", rounded_rows(all.nothing_moves, stride)},
            {"coverage", rounded_rows(all.coverage, stride)}};
  } catch (const InputError& error) {
    problems.emplace_back(error.what());
    return {};
  }
}

}  // namespace rhc
