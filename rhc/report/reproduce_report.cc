#include "rhc/report/reproduce_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/core/version.h"
#include "rhc/report/belief_maps.h"
#include "rhc/report/compact.h"
#include "rhc/report/compare_report.h"
#include "rhc/report/run_report.h"
#include "rhc/study/paper_run_times.h"
#include "rhc/system/registry.h"

namespace rhc {

namespace {

constexpr std::array kFigure2Episodes = {2, 3, 6};

// As the paper lists them; what it does not list comes last.
void put_in_order(std::vector<Group>& groups) {
  const std::vector<std::string> systems = paper_system_names(),
                                 methods = {"rhc-evr", "rhc-info", "rhc-us", "max",
                                            "sac-ig",  "sac-pe",   "random"};
  const auto place = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) - names.begin();
  };
  std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
    return std::pair(place(systems, a.system), place(methods, a.method)) <
           std::pair(place(systems, b.system), place(methods, b.method));
  });
}

// What has come nowhere yet is null.
Json to_limit_json(const Group& group) {
  const auto arrival = arrival_at_limit(group);
  if (!arrival) return {};
  return {{"system", group.system},
          {"label", group.label},
          {"median", rounded(arrival->episodes.median)},
          {"decile1", rounded(arrival->episodes.decile1)},
          {"decile9", rounded(arrival->episodes.decile9)},
          {"arrived", arrival->arrived},
          {"runs", group.runs.size()},
          {"episodes", last_common_episode(group)}};
}

// "paper" is null where the paper does not have the method, its "hours" where it could not run it.
Json run_time_json(const Group& group, const std::vector<PaperRunTime>& published) {
  const auto ours = run_time(group);
  if (!ours) return {};
  Json json = {{"system", group.system},
               {"label", group.label},
               {"runs", ours->runs},
               {"episodes", ours->episodes ? Json(*ours->episodes) : Json()},
               {"mean", rounded(ours->mean)},
               {"median", rounded(ours->median)},
               {"paper", Json()},
               {"ratio", Json()}};
  for (const PaperRunTime& theirs : published) {
    if (theirs.system != group.system || theirs.method != group.method) continue;
    json["paper"] = {{"hours", theirs.hours ? Json(*theirs.hours) : Json()}};
    // Only runs of the same length that were judged as the paper's were have a ratio.
    if (theirs.hours && ours->episodes == kPaperEpisodes && ours->evaluated && ours->mean > 0)
      json["ratio"] = rounded(3600 * *theirs.hours / ours->mean, 3);
  }
  return json;
}

// Which programs and machines made the runs.
Json made_json(const std::vector<Group>& groups) {
  std::set<std::string> versions, compilers, cpus;
  int runs = 0, finished = 0;
  double seconds = 0;
  for (const Group& group : groups)
    for (const RunSummary* run : group.runs) {
      const std::string& commit = run->manifest.commit;
      versions.insert(run->manifest.rhc + (commit.empty() ? "" : " (" + commit + ")"));
      compilers.insert(run->manifest.compiler);
      cpus.insert(run->manifest.cpu);
      ++runs;
      finished += run->status() == "finished" ? 1 : 0;
      seconds += run->manifest.cpu_seconds > 0 ? run->manifest.cpu_seconds : run->manifest.seconds;
    }
  return {{"runs", runs},
          {"finished", finished},
          {"seconds", rounded(seconds)},
          {"versions", versions},
          {"compilers", compilers},
          {"cpus", cpus},
          {"paper_cpu", kPaperCpu},
          {"paper_episodes", kPaperEpisodes}};
}

std::string why_no_figure2(const std::optional<RunRecord>& run) {
  if (!run) return "There is no run of the pendulum to draw it from.";
  const std::string name = run_name(run->path);
  if (run->config.system != "pendulum")
    return fmt::format("It is of the pendulum, and {} is a run of {}.", name, run->config.system);
  if (run->episodes_done() < kFigure2Episodes.back())
    return fmt::format("It needs {} episodes, and the run {} has {}.", kFigure2Episodes.back(),
                       name, run->episodes_done());
  for (std::size_t e = 0; e < static_cast<std::size_t>(kFigure2Episodes.back()); ++e)
    if (e >= run->episodes.size() || !run->episodes[e])
      return fmt::format("Episode {} of the run {} is missing or damaged.", e + 1, name);
  return "";
}

// The paper does not say whether its maps are of the model that an episode was planned with or of
// the one that had learned from it: here are both, each under the episode it was learned from.
Json figure2_json(const RunRecord& run, int threads) {
  const std::vector<Coordinate> coordinates = coordinates_of(run.spec);
  std::vector<const Trajectory*> trajectories;
  Json episodes = Json::array();
  for (int episode = 1; episode <= kFigure2Episodes.back(); ++episode) {
    trajectories.push_back(&*run.episodes[static_cast<std::size_t>(episode) - 1]);
    episodes.push_back({{"episode", episode},
                        {"observations", rounded_rows(trajectories.back()->observations, 1)}});
  }
  std::set<int> wanted;
  for (const int episode : kFigure2Episodes) wanted.insert({episode - 1, episode});
  const std::vector<int> beliefs(wanted.begin(), wanted.end());
  const Plane plane{0, 1, range_of(coordinates[0], trajectories),
                    range_of(coordinates[1], trajectories)};
  const Vector around = system_of(run).observe(run.spec.start);
  std::vector<Json> maps(beliefs.size());
  parallel_for(static_cast<int>(beliefs.size()), threads, [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    const auto belief = belief_after(run, beliefs[at]);
    if (belief)
      maps[at] = map_json(beliefs[at], entropy_map(belief->regression, run.spec, coordinates, plane,
                                                   around, kMapCells));
  });
  for (std::size_t i = 0; i < maps.size(); ++i)
    if (maps[i].is_null())
      throw InputError(fmt::format("The belief after episode {} of the run {} is missing.",
                                   beliefs[i], run_name(run.path)));
  return {{"missing", Json()},
          {"run", run_name(run.path)},
          {"method", run.config.method},
          {"seed", run.config.seed},
          {"shown", kFigure2Episodes},
          {"coordinates", coordinates_json(coordinates)},
          {"plane", plane_json(plane, maps)},
          {"episodes", episodes}};
}

Json figure2_or_why_not(const std::optional<RunRecord>& run, int threads) {
  const auto missing = [](const std::string& why) { return Json{{"missing", why}}; };
  if (const std::string why = why_no_figure2(run); !why.empty()) return missing(why);
  try {
    return figure2_json(*run, threads);
  } catch (const InputError& error) {
    return missing(error.what());
  }
}

}  // namespace

Json reproduce_report_data(const std::vector<RunSummary>& runs,
                           const std::optional<RunRecord>& figure2, int threads) {
  std::vector<std::string> warnings;
  std::vector<Group> groups = groups_to_show(runs, warnings);
  put_in_order(groups);
  const std::vector<PaperRunTime> published = paper_run_times();
  Json to_limit = Json::array(), run_times = Json::array();
  for (const Group& group : groups) {
    if (Json json = to_limit_json(group); !json.is_null()) to_limit.push_back(std::move(json));
    if (Json json = run_time_json(group, published); !json.is_null())
      run_times.push_back(std::move(json));
  }
  return {{"kind", "reproduce"},
          {"version", version()},
          {"warnings", warnings},
          {"systems", systems_json(groups)},
          {"figure2", figure2_or_why_not(figure2, threads)},
          {"to_limit", to_limit},
          {"run_times", run_times},
          {"made", made_json(groups)}};
}

}  // namespace rhc
