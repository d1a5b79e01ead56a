#include "rhc/run/evaluate_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/describe/settings.h"
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
  if (before.is_array() && after.is_array() && before.size() == after.size()) {
    for (std::size_t i = 0; i < before.size(); ++i)
      compare(column, before[i], after[i], episode, result);
    return;
  }
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

// Collects what Algorithm 1 makes of the recorded episodes.
class Replay final : public Follower {
 public:
  Replay(const RunRecord& run, const Judge& judge, NewEvaluation& result, const RunEvents& events)
      : run_(run), judge_(judge), result_(result), events_(events) {}

  // Nothing is planned and nobody acts.
  void enter(int episode, Phase phase) override {
    if (events_.on_phase && (phase == Phase::learning || phase == Phase::judging))
      events_.on_phase(episode, phase);
  }

  void learned(MetricsRow& row) override {
    const auto i = static_cast<std::size_t>(row.episode);
    row.plan_seconds = i < run_.rows.size() ? run_.rows[i].plan_seconds : 0;
    if (row.task_cost) result_.tasks[i - 1] = judge_.task_solution();
    keep(row);
  }

  void keep(const MetricsRow& row) {
    result_.rows.push_back(row);
    if (events_.on_row) events_.on_row(row);
  }

 private:
  const RunRecord& run_;
  const Judge& judge_;
  NewEvaluation& result_;
  const RunEvents& events_;
};

}  // namespace

std::vector<std::string> evaluation_settings() {
  return {"task",        "task_starts",
          "task_hops",   "task_draws",
          "task_closed", "task_replan",
          "limit_hops",  "test_trajectories",
          "test_steps",  "best_achievable_transitions"};
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
                           int threads, const RunEvents& events) {
  // Rows that the checkpoint does not know yet are made by whoever goes on with the run.
  const std::vector<MetricsRow> stored = run.checkpoint ? rows_of(*run.checkpoint) : run.rows;
  const std::size_t done = stored.empty() ? 0 : stored.size() - 1;
  check_usable(run, done);
  check_possible(config, system.spec());

  if (events.on_phase) events.on_phase(0, Phase::preparing);
  Campaign campaign(config, system, threads, Campaign::Role::replays);
  Yardsticks yardsticks;
  Judge judge = yardsticks.judge(config, system, {}, threads);
  NewEvaluation result{.config = config,
                       .rows = {},
                       .best_achievable = yardsticks.best_achievable(config, system, threads),
                       .tasks = std::vector<std::optional<Trajectory>>(done),
                       .checkpoint = run.checkpoint.value_or(NamedValues{})};
  if (result.best_achievable && events.on_best_achievable)
    events.on_best_achievable(*result.best_achievable);

  Replay replay(run, judge, result, events);
  MetricsRow before;
  judge.judge(nullptr, before);
  replay.keep(before);

  // What is known of a plan only the run itself could know.
  const auto proposed = [&](int episode) {
    // Each under the description that it was made under.
    if (const System* described = run.description_of(static_cast<std::size_t>(episode) - 1))
      campaign.describe(*described);
    const MetricsRow& row = stored[static_cast<std::size_t>(episode)];
    return Proposal{.episode = episode,
                    .information = row.information_planned,
                    .status = row.plan_status.value_or("")};
  };
  const auto recorded = [&](const Proposal& proposal) {
    return *run.episodes[static_cast<std::size_t>(proposal.episode) - 1];
  };
  const auto judged = [&](const DynamicsModel* model, MetricsRow& row) { judge.judge(model, row); };
  algorithm_1(campaign, {proposed, recorded, judged}, replay, static_cast<int>(done));
  judge.save(result.checkpoint);
  return result;
}

std::vector<Difference> differences(const RunRecord& stored, const NewEvaluation& now) {
  std::vector<Difference> result;
  for (std::size_t i = 0; i < std::min(stored.rows.size(), now.rows.size()); ++i) {
    const Json before = metrics_json(stored.rows[i].without_seconds());
    const Json after = metrics_json(now.rows[i].without_seconds());
    // What an older version did not write cannot differ.
    for (const auto& [column, value] : before.items())
      compare(column, value, after.value(column, Json()), now.rows[i].episode, result);
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
