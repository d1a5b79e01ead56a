#include "rhc/report/details.h"

#include <algorithm>
#include <cmath>

#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/core/text.h"
#include "rhc/evaluate/calibration.h"
#include "rhc/evaluate/test_set.h"
#include "rhc/report/belief_maps.h"
#include "rhc/report/compact.h"
#include "rhc/store/trajectory_csv.h"

namespace rhc {

namespace {

// Sizes that keep a page under 3 MB, of which the charts are 1.1.
constexpr std::size_t kMostPlanes = 6;
constexpr Index kMostSteps = 500;
constexpr double kTrajectoryBytes = 7e5, kMapBytes = 5e5;
constexpr int kCalibrationSteps = 2000;

std::vector<std::pair<std::size_t, std::size_t>> chosen_planes(
    const std::vector<Coordinate>& coordinates, const ReportSettings& settings) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (settings.plane) {
    const auto index = [&](const std::string& name) {
      std::vector<std::string> names;
      for (const Coordinate& c : coordinates) names.push_back(c.name);
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) throw InputError(unknown_name("variable", name, names));
      return static_cast<std::size_t>(found - names.begin());
    };
    pairs = {{index(settings.plane->first), index(settings.plane->second)}};
    if (pairs[0].first == pairs[0].second)
      throw InputError("a plane has two different variables; both are " + settings.plane->first);
    return pairs;
  }
  for (std::size_t x = 0; x < coordinates.size(); ++x)
    for (std::size_t y = x + 1; y < coordinates.size(); ++y) pairs.emplace_back(x, y);
  // A position and its speed say most; they are named alike: x and xdot, angle and thetadot.
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) {
    const auto is_speed_of = [&](const auto& pair) {
      const Coordinate &x = coordinates[pair.first], &y = coordinates[pair.second];
      return y.name == x.name + "dot" || (x.sine >= 0 && y.name.ends_with("dot"));
    };
    return is_speed_of(a) > is_speed_of(b);
  });
  if (pairs.size() > kMostPlanes) pairs.resize(kMostPlanes);
  return pairs;
}

// What is known about one episode in detail.
struct Detail {
  Json episode, prediction, task, calibration;
  std::vector<Json> maps;  // one a plane
  std::vector<std::string> problems;
};

// Does something about damaged files, which must not keep the others from being shown.
template <class F>
void try_to(std::vector<std::string>& problems, F&& something) {
  try {
    something();
  } catch (const InputError& error) {
    problems.emplace_back(error.what());
  }
}

class Details {
 public:
  Details(const RunRecord& run, const System& system, const ReportSettings& settings)
      : run_(run), system_(system), coordinates_(coordinates_of(run.spec)) {
    for (const auto& episode : run.episodes)
      if (episode) trajectories_.push_back(&*episode);
    for (const auto& [x, y] : chosen_planes(coordinates_, settings))
      planes_.push_back({x, y, range_of(coordinates_[x], trajectories_),
                         range_of(coordinates_[y], trajectories_)});
    try_to(problems_, [&] {
      if (run.config.judge.test_trajectories == 0) return;
      test_ = one_step(draw_test_set(system, noise_levels(run.config, run.spec),
                                     std::max(1, kCalibrationSteps / run.config.judge.test_steps),
                                     run.config.judge.test_steps, 1));
    });
    const SystemSpec& spec = run.spec;
    stride_ = (spec.horizon + kMostSteps - 1) / kMostSteps;
    for (const Shape& shape : system.shapes())
      if (!shape.place) drawn_ += 4;
    const double numbers =
        static_cast<double>(spec.horizon / stride_ + 1) *
        static_cast<double>(4 * spec.outputs() + 3 * spec.action_bounds.size() + 2 * drawn_);
    const double maps = 4.0 / 3 * kMapCells * kMapCells * static_cast<double>(planes_.size());
    const int most = static_cast<int>(std::clamp(
        std::min(kTrajectoryBytes / (9 * numbers), kMapBytes / std::max(maps, 1.0)), 4.0, 60.0));
    shown_ = spread(static_cast<int>(run.episodes.size()), most);
    details_.resize(shown_.size());
    parallel_for(static_cast<int>(shown_.size()), settings.threads, [&](int i) {
      const auto at = static_cast<std::size_t>(i);
      details_[at] = detail(shown_[at]);
    });
  }

  void put_into(Json& data) const {
    for (const char* key : {"episodes", "predictions", "tasks", "calibration", "planes"})
      data[key] = Json::array();
    data["coordinates"] = coordinates_json(coordinates_);
    const auto put = [&](const char* key, const Json& json) {
      if (!json.is_null()) data[key].push_back(json);
    };
    for (const std::string& problem : problems_) put("problems", problem);
    for (const Detail& detail : details_) {
      put("episodes", detail.episode);
      put("predictions", detail.prediction);
      put("tasks", detail.task);
      put("calibration", detail.calibration);
      for (const std::string& problem : detail.problems) put("problems", problem);
    }
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      const Plane& plane = planes_[p];
      Json maps = Json::array();
      for (const Detail& detail : details_)
        if (p < detail.maps.size() && !detail.maps[p].is_null()) maps.push_back(detail.maps[p]);
      data["planes"].push_back(plane_json(plane, maps));
    }
  }

  Index stride() const { return stride_; }

 private:
  static Transitions one_step(const TestSet& set) {
    std::vector<Transitions> steps;
    for (std::size_t t = 0; t < set.actions.size(); ++t) {
      Matrix inputs(set.observations[t].rows() + set.actions[t].rows(), set.count());
      inputs << set.observations[t], set.actions[t];
      steps.push_back({std::move(inputs), set.observations[t + 1] - set.observations[t]});
    }
    return concatenate(steps);
  }

  Detail detail(int episode) const {
    Detail result;
    const auto& trajectory = run_.episodes[static_cast<std::size_t>(episode) - 1];
    if (trajectory) {
      result.episode = {{"episode", episode},
                        {"observations", rounded_rows(trajectory->observations, stride_)},
                        {"actions", rounded_rows(trajectory->actions, stride_)}};
      put_poses(*trajectory, result.episode);
    }
    try_to(result.problems, [&] { result.prediction = prediction(episode); });
    try_to(result.problems, [&] { result.task = task(episode); });
    std::optional<DynamicsModel> belief;
    try_to(result.problems, [&] { belief = belief_after(run_, episode); });
    if (!belief) return result;
    result.calibration = calibration(episode, belief->regression);
    const Vector around = system_.observe(run_.spec.start);
    for (const Plane& plane : planes_)
      result.maps.push_back(map_json(episode, entropy_map(belief->regression, run_.spec,
                                                          coordinates_, plane, around, kMapCells)));
    return result;
  }

  Json prediction(int episode) const {
    const std::string name = episode_name("predictions", episode);
    if (!run_.holds(name)) return {};
    const Forecast forecast = read_forecast(run_.path / name, run_.spec);
    const auto row = static_cast<std::size_t>(episode);
    const bool planned = row < run_.rows.size() && run_.rows[row].plan_status;
    return {{"episode", episode},
            {"planned", planned},
            {"mean", rounded_rows(forecast.mean, stride_)},
            {"sd", rounded_rows(forecast.deviation, stride_)},
            {"actions", rounded_rows(forecast.actions, stride_)}};
  }

  Json task(int episode) const {
    const std::string name = episode_name("tasks", episode);
    if (!run_.holds(name)) return {};
    const Trajectory trajectory = read_trajectory(run_.path / name, run_.spec);
    Json json = {{"episode", episode},
                 {"cost", rounded(run_.spec.task.total(trajectory))},
                 {"observations", rounded_rows(trajectory.observations, stride_)},
                 {"actions", rounded_rows(trajectory.actions, stride_)}};
    put_poses(trajectory, json);
    return json;
  }

  // Where the parts of a system that is drawn were, four numbers a part and step.
  void put_poses(const Trajectory& trajectory, Json& json) const {
    if (drawn_ == 0) return;
    Matrix poses(drawn_, trajectory.observations.cols());
    for (Index t = 0; t < poses.cols(); ++t)
      poses.col(t) = system_.pose(trajectory.observations.col(t));
    json["poses"] = rounded_rows(poses, stride_);
  }

  Json calibration(int episode, const Regression& belief) const {
    Vector levels(20);
    for (Index i = 0; i < 19; ++i) levels[i] = 0.05 * static_cast<double>(i + 1);
    levels[19] = 0.99;
    const auto shares = [&](const Transitions& truth) {
      return rounded(coverage(belief, truth, levels));
    };
    Json json = {{"episode", episode},
                 {"level", rounded(levels)},
                 {"test", test_ ? shares(*test_) : Json()},
                 {"next_episode", Json()}};
    const auto next = static_cast<std::size_t>(episode);
    if (next < run_.episodes.size() && run_.episodes[next]) {
      const Transitions truth =
          transitions_of(*run_.episodes[next], run_.limits_of(next), run_.spec.history);
      if (truth.count() > 0) json["next_episode"] = shares(truth);
    }
    return json;
  }

  const RunRecord& run_;
  const System& system_;
  std::vector<Coordinate> coordinates_;
  std::vector<const Trajectory*> trajectories_;
  std::vector<Plane> planes_;
  std::optional<Transitions> test_;
  Index stride_ = 1;
  Index drawn_ = 0;  // numbers that tell where the moving shapes are
  std::vector<int> shown_;
  std::vector<Detail> details_;
  std::vector<std::string> problems_;
};

}  // namespace

Index put_details(const RunRecord& run, const System& system, const ReportSettings& settings,
                  Json& data) {
  const Details details(run, system, settings);
  details.put_into(data);
  return details.stride();
}

}  // namespace rhc
