#include "rhc/study/aggregate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "rhc/describe/settings.h"

namespace rhc {

namespace {

// What systems are called: by their names, and numbered where files describe different ones by the
// same name. A bundled one keeps its name.
class SystemNames {
 public:
  explicit SystemNames(const std::vector<RunSummary>& runs) {
    for (const RunSummary& run : runs) {
      Described& named = by_name_[run.config.system];
      if (run.description.empty())
        named.bundled = true;
      else if (find(named, run) == named.first.end())
        named.first.push_back(&run);
    }
  }

  std::string of(const RunSummary& run) const {
    const Described& named = by_name_.at(run.config.system);
    if (run.description.empty() || !ambiguous(named)) return run.config.system;
    return numbered(run.config.system, find(named, run) - named.first.begin());
  }

  void warn(std::vector<std::string>& warnings) const {
    for (const auto& [name, named] : by_name_) {
      if (!ambiguous(named)) continue;
      std::vector<std::string> words;
      if (named.bundled) words.push_back(fmt::format("{} is the bundled one", name));
      for (std::size_t i = 0; i < named.first.size(); ++i)
        words.push_back(fmt::format("{} is that of {}", numbered(name, static_cast<long>(i)),
                                    (named.first[i]->path / kSystemFile).string()));
      warnings.push_back(
          fmt::format("different systems are called '{}' and are kept apart: {}; give them names "
                      "of their own in the files that describe them",
                      name, fmt::join(words, ", ")));
    }
  }

 private:
  struct Described {
    bool bundled = false;
    std::vector<const RunSummary*> first;  // run of each description
  };

  static bool ambiguous(const Described& named) { return named.first.size() + named.bundled > 1; }

  static std::string numbered(const std::string& name, long index) {
    return fmt::format("{}#{}", name, index + 1);
  }

  static std::vector<const RunSummary*>::const_iterator find(const Described& named,
                                                             const RunSummary& run) {
    return std::find_if(named.first.begin(), named.first.end(),
                        [&](auto* other) { return other->description == run.description; });
  }

  std::map<std::string, Described> by_name_;
};

// All that runs of one group share, as text: version, system, and every setting but two.
std::map<std::string, std::string> identity(const RunSummary& run, const std::string& system) {
  std::map<std::string, std::string> values = {{"version", run.manifest.rhc}};
  for (const Setting& setting : settings())
    if (setting.key != "seed" && setting.key != "episodes")
      values[setting.key] = plain(setting, run.config);
  values["system"] = system;
  return values;
}

using Identity = std::map<std::string, std::string>;

// "rhc-evr", or "rhc-evr features=90" where other groups of the method have other settings.
void label_groups(std::vector<Group>& groups, const std::vector<Identity>& identities) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::set<std::string> differing;
    for (std::size_t j = 0; j < groups.size(); ++j) {
      if (groups[j].system != groups[i].system || groups[j].method != groups[i].method) continue;
      for (const auto& [key, value] : identities[i])
        if (identities[j].at(key) != value) differing.insert(key);
    }
    groups[i].label = groups[i].method;
    for (const std::string& key : differing)
      groups[i].label += fmt::format(" {}={}", key, identities[i].at(key));
  }
}

}  // namespace

double quantile(std::vector<double> values, double probability) {
  if (values.empty() || std::any_of(values.begin(), values.end(), [](double v) { return v != v; }))
    return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double at = probability * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double share = at - static_cast<double>(below);
  // Written so that equal neighbours, infinite ones too, give themselves.
  return share == 0 || values[below] == values[above]
             ? values[below]
             : values[below] + share * (values[above] - values[below]);
}

Spread spread_of(const std::vector<double>& values) {
  return {quantile(values, 0.5), quantile(values, 0.1), quantile(values, 0.9)};
}

const std::vector<std::pair<std::string, Metric>>& learning_metrics() {
  const auto score = [](double Scores::*member) -> Metric {
    return [member](const MetricsRow& row) {
      return row.scores ? std::optional((*row.scores).*member) : std::nullopt;
    };
  };
  static const std::vector<std::pair<std::string, Metric>> all = {
      {"task_cost", [](const MetricsRow& row) { return row.task_cost; }},
      {"log_likelihood", score(&Scores::log_likelihood)},
      {"log_likelihood_paper", score(&Scores::log_likelihood_paper)},
      {"rmse", [](const MetricsRow& row) { return row.rmse; }},
      {"coverage95", score(&Scores::coverage95)},
  };
  return all;
}

std::vector<Group> group_runs(const std::vector<RunSummary>& runs,
                              std::vector<std::string>& warnings) {
  std::vector<Group> groups;
  std::vector<Identity> identities;
  std::set<std::string> versions, commits;
  const SystemNames names(runs);
  names.warn(warnings);
  for (const RunSummary& run : runs) {
    const Identity id = identity(run, names.of(run));
    const auto known = std::find(identities.begin(), identities.end(), id);
    const auto at = static_cast<std::size_t>(known - identities.begin());
    if (known == identities.end()) {
      identities.push_back(id);
      groups.push_back({id.at("system"), run.config.method, "", {}});
    }
    Group& group = groups[at];
    const bool twice = std::any_of(group.runs.begin(), group.runs.end(), [&](auto* other) {
      return other->config.seed == run.config.seed;
    });
    if (twice) {
      warnings.push_back(fmt::format("{}: seed {} of {} {} is there already; it counts once",
                                     run.path.string(), run.config.seed, group.system,
                                     run.config.method));
      continue;
    }
    group.runs.push_back(&run);
    versions.insert(run.manifest.rhc);
    commits.insert(run.manifest.commit.empty() ? "unknown" : run.manifest.commit);
    if (run.status() != "finished")
      warnings.push_back(fmt::format("{}: {} after episode {} of {}", run.path.string(),
                                     run.status(), run.episodes_done(), run.config.episodes));
  }
  if (versions.size() > 1)
    warnings.push_back(fmt::format("runs of different versions of rhc ({}) are kept apart",
                                   fmt::join(versions, ", ")));
  else if (commits.size() > 1)
    warnings.push_back(fmt::format(
        "runs of rhc {} were made by different builds of it, from the commits {}; they are mixed",
        *versions.begin(), fmt::join(commits, ", ")));
  label_groups(groups, identities);
  return groups;
}

Curve curve_of(const Group& group, const Metric& metric) {
  std::map<int, std::vector<double>> values;
  for (const RunSummary* run : group.runs)
    for (const MetricsRow& row : run->rows)
      if (const auto value = metric(row); value && std::isfinite(*value))
        values[row.episode].push_back(*value);
  Curve curve;
  for (const auto& [episode, found] : values) {
    const Spread spread = spread_of(found);
    curve.episode.push_back(episode);
    curve.count.push_back(static_cast<int>(found.size()));
    curve.median.push_back(spread.median);
    curve.decile1.push_back(spread.decile1);
    curve.decile9.push_back(spread.decile9);
  }
  return curve;
}

int last_common_episode(const Group& group) {
  int last = std::numeric_limits<int>::max();
  for (const RunSummary* run : group.runs) last = std::min(last, run->episodes_done());
  return group.runs.empty() ? 0 : last;
}

std::optional<Arrival> arrival_at_limit(const Group& group) {
  std::vector<double> needed;
  int arrived = 0;
  bool any_task = false;
  for (const RunSummary* run : group.runs) {
    double first = kInfinity;
    for (const MetricsRow& row : run->rows) {
      if (!row.task_cost || !row.task_cost_limit) continue;
      any_task = true;
      if (!(*row.task_cost <= 1.01 * *row.task_cost_limit)) continue;
      first = row.episode;
      ++arrived;
      break;
    }
    needed.push_back(first);
  }
  if (!any_task) return std::nullopt;
  return Arrival{spread_of(needed), arrived};
}

std::optional<double> episodes_to_limit(const Group& group) {
  const auto arrival = arrival_at_limit(group);
  return arrival && std::isfinite(arrival->episodes.median)
             ? std::optional(arrival->episodes.median)
             : std::nullopt;
}

std::optional<RunTime> run_time(const Group& group) {
  std::vector<double> seconds;
  std::set<int> lengths;
  bool evaluated = true;
  for (const RunSummary* run : group.runs) {
    if (run->status() != "finished") continue;
    // Older runs know only what the clock on the wall said.
    seconds.push_back(run->manifest.cpu_seconds > 0 ? run->manifest.cpu_seconds
                                                    : run->manifest.seconds);
    lengths.insert(run->episodes_done());
    evaluated = evaluated && run->config.judge.task && run->config.judge.test_trajectories > 0;
  }
  if (seconds.empty()) return std::nullopt;
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return RunTime{sum / static_cast<double>(seconds.size()), quantile(seconds, 0.5),
                 static_cast<int>(seconds.size()),
                 lengths.size() == 1 ? std::optional(*lengths.begin()) : std::nullopt, evaluated};
}

}  // namespace rhc
