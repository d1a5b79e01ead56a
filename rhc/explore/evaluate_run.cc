#include "rhc/explore/evaluate_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "rhc/core/error.h"
#include "rhc/core/stopwatch.h"
#include "rhc/core/text.h"
#include "rhc/explore/judge.h"

namespace rhc {

namespace {

// Damage is refused where numbers would come out wrong by it: in episodes. Rows of metrics.jsonl
// and beliefs.jsonl do not matter, for they are made anew; settings were put back in reading.
void check_usable(const RunRecord& run, std::size_t done) {
  const std::string path = run.path.string();
  if (run.rows.empty() && run.damaged.empty())
    throw InputError(
        fmt::format("'{}' has nothing to evaluate yet; `rhc resume {}` goes on", path, path));
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < done; ++i)
    if (i >= run.episodes.size() || !run.episodes[i])
      missing.push_back(
          fmt::format("episodes/{} cannot be used", episode_file(static_cast<int>(i) + 1)));
  if (missing.empty() && !run.rows.empty()) return;
  const auto& reasons = run.damaged.empty() ? missing : run.damaged;
  throw InputError(
      fmt::format("'{}' is damaged, so there is nothing to rely on; `rhc resume {} --repair` does "
                  "again what is lost\n     {}",
                  path, path, fmt::join(reasons, "\n     ")));
}

// The largest difference of a column is kept.
void compare(const std::string& column, const Json& before, const Json& after,
             std::optional<int> episode, std::vector<Difference>& result) {
  if (before.dump() == after.dump()) return;  // what is not finite is null in both
  double relative = kInfinity;
  if (before.is_number() && after.is_number()) {
    const double a = before.get<double>(), b = after.get<double>();
    if (std::isfinite(a) && std::isfinite(b))
      relative = std::abs(a - b) / std::max(std::abs(a), std::abs(b));
  }
  const auto known = std::find_if(result.begin(), result.end(),
                                  [&](const Difference& d) { return d.column == column; });
  if (known == result.end())
    result.push_back({column, relative, episode});
  else if (relative > known->relative)
    *known = {column, relative, episode};
}

}  // namespace

std::vector<std::string> evaluation_settings() {
  return {"task",
          "task_starts",
          "task_hops",
          "limit_hops",
          "test_trajectories",
          "test_steps",
          "best_achievable_transitions"};
}

void assign_evaluation(Config& config, std::string_view key_and_value) {
  Config changed = config;
  assign(changed, key_and_value);  // unknown keys and values out of range end here
  const std::string_view key = trim(key_and_value.substr(0, key_and_value.find('=')));
  const std::vector<std::string> allowed = evaluation_settings();
  if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
    throw InputError(
        fmt::format("setting '{}' decides what the run did, so another value would be another run "
                    "(`rhc explore --config`); an evaluation can change: {}",
                    key, fmt::join(allowed, ", ")));
  config = std::move(changed);
}

NewEvaluation evaluate_run(const System& system, const RunRecord& run, const Config& config,
                           int threads, const ExperimentEvents& events) {
  const auto enter = [&](int episode, const char* phase) {
    if (events.on_phase) events.on_phase(episode, phase);
  };
  // Rows that the checkpoint does not know yet are made by whoever goes on with the run.
  const std::vector<MetricsRow> stored = run.checkpoint ? rows_of(*run.checkpoint) : run.rows;
  const std::size_t done = stored.empty() ? 0 : stored.size() - 1;
  check_usable(run, done);
  check_possible(config, system.spec());

  enter(0, "preparing");
  const SystemSpec& spec = system.spec();
  Learner learner(config, system, threads);
  Yardsticks yardsticks;
  Judge judge(config, system, std::nullopt, yardsticks, threads);
  NewEvaluation result{.config = config,
                       .rows = {},
                       .best_achievable = yardsticks.best_achievable(config, system, threads),
                       .tasks = std::vector<std::optional<Trajectory>>(done),
                       .checkpoint = run.checkpoint.value_or(Archive{})};
  if (result.best_achievable && events.on_best_achievable)
    events.on_best_achievable(*result.best_achievable);

  const auto keep = [&](const MetricsRow& row) {
    result.rows.push_back(row);
    if (events.on_row) events.on_row(row);
  };
  MetricsRow before;
  judge.judge(nullptr, before);
  keep(before);

  for (std::size_t i = 1; i <= done; ++i) {
    // What is known of the plan only the run itself could know.
    MetricsRow row{.episode = static_cast<int>(i)};
    row.information_planned = stored[i].information_planned;
    row.plan_status = stored[i].plan_status;
    if (i < run.rows.size()) row.plan_seconds = run.rows[i].plan_seconds;

    enter(row.episode, "learning");
    const Stopwatch fitting;
    learn_from(*run.episodes[i - 1], spec, learner, row);
    row.fit_seconds = fitting.seconds();

    enter(row.episode, "judging");
    const Stopwatch evaluating;
    judge.judge(learner.belief(), row);
    row.evaluate_seconds = evaluating.seconds();
    if (row.task_cost) result.tasks[i - 1] = judge.task_solution();
    keep(row);
  }
  judge.save(result.checkpoint);
  return result;
}

std::vector<Difference> differences(const RunRecord& stored, const NewEvaluation& now) {
  std::vector<Difference> result;
  for (std::size_t i = 0; i < std::min(stored.rows.size(), now.rows.size()); ++i) {
    const Json before = metrics_json(stored.rows[i].without_seconds());
    const Json after = metrics_json(now.rows[i].without_seconds());
    for (const auto& [column, value] : after.items())
      compare(column, before.at(column), value, now.rows[i].episode, result);
  }
  const Json none = Json::object();
  const Json before = stored.best_achievable ? scores_json(*stored.best_achievable) : none;
  const Json after = now.best_achievable ? scores_json(*now.best_achievable) : none;
  for (const auto& [column, value] : (before.empty() ? after : before).items())
    compare("best_achievable." + column, before.value(column, Json()), after.value(column, Json()),
            std::nullopt, result);
  return result;
}

}  // namespace rhc
