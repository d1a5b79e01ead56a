#include "rhc/run/explore_run.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/explore/carry_out.h"
#include "rhc/explore/judge.h"
#include "rhc/run/record_remarks.h"

namespace rhc {

namespace {

TaskLimits known_limits(const RunRecord& past) {
  if (past.rows.empty()) return {};
  return {past.rows[0].task_cost_limit, past.rows[0].task_cost_closed_limit};
}

// Keeps every step of Algorithm 1 in the run's directory, and tells of it.
class KeptRun final : public Follower {
 public:
  KeptRun(RunDirectory& run, const Campaign& campaign, const Judge& judge, const RunEvents& events)
      : rows(run.past().rows), run_(run), campaign_(campaign), judge_(judge), events_(events) {
    for (std::size_t e = 0; e + 1 < rows.size(); ++e)
      if (e < run.past().episodes.size() && run.past().episodes[e])
        episodes_.push_back(*run.past().episodes[e]);
  }

  std::vector<MetricsRow> rows;

  void enter(int episode, Phase phase) override {
    stop_if_asked();
    if (events_.on_phase) events_.on_phase(episode, phase);
  }

  void proposed(const Proposal& proposal) override {
    if (proposal.planned() && proposal.forecast)
      run_.write_prediction(proposal.episode, spec(), *proposal.forecast);
  }

  void seen(const Proposal& proposal, const Trajectory& seen) override {
    if (!recorded(proposal.episode)) run_.write_episode(proposal.episode, spec(), seen);
    if (const auto announced = campaign_.announced_on_the_way())
      run_.write_prediction(proposal.episode, spec(), *announced);
    // What was not planned is forecast along what was done.
    if (campaign_.model() && !proposal.planned())
      run_.write_prediction(
          proposal.episode, spec(),
          forecast_from(*campaign_.model(), seen.observations.col(0), seen.actions));
    episodes_.push_back(seen);
  }

  void learned(MetricsRow& row) override {
    if (row.task_cost) run_.write_task(row.episode, spec(), *judge_.task_solution());
    if (const DynamicsModel* model = campaign_.model()) {
      run_.write_model(model->regression);
      if (events_.on_model) events_.on_model(row.episode, *model);
    }
    keep(row);
    remark_on_record();
    if (events_.on_remark)
      for (const std::string& remark : campaign_.remarks())
        events_.on_remark(fmt::format("episode {}: {}", row.episode, remark));
  }

  // It follows from the checkpoint.
  void put_model_back() {
    if (const DynamicsModel* model = campaign_.model()) run_.put_model_back(model->regression);
  }

  void keep(const MetricsRow& row) {
    NamedValues state = campaign_.save();
    judge_.save(state);
    run_.commit(row, campaign_.learner().record(row.episode), std::move(state));
    rows.push_back(row);
    if (events_.on_row) events_.on_row(row);
  }

  // What an earlier process saw in this episode, without having learned from it.
  const Trajectory* recorded(int episode) const {
    const auto& episodes = run_.past().episodes;
    const auto index = static_cast<std::size_t>(episode) - 1;
    return index < episodes.size() && episodes[index] ? &*episodes[index] : nullptr;
  }

  void stop_if_asked() const {
    if (events_.stop_requested && events_.stop_requested()) throw Interrupted();
  }

 private:
  const SystemSpec& spec() const { return campaign_.system().spec(); }

  // Each is said once, and nothing is looked for where nobody listens.
  void remark_on_record() {
    if (!events_.on_remark) return;
    const auto say = [&](bool& said, const std::optional<std::string>& remark) {
      if (!remark) return;
      said = true;
      events_.on_remark(*remark);
    };
    if (!said_history_) say(said_history_, remark_on_history(episodes_, spec()));
    if (!said_drift_ && campaign_.model() && campaign_.config().model.forgetting == 0)
      say(said_drift_, remark_on_drift(episodes_, *campaign_.model(), spec()));
  }

  RunDirectory& run_;
  const Campaign& campaign_;
  const Judge& judge_;
  const RunEvents& events_;
  std::vector<Trajectory> episodes_;
  bool said_history_ = false, said_drift_ = false;
};

// A disk that is full must not hide why the plant ended.
void keep_unfinished(RunDirectory& run, int episode, const SystemSpec& spec, const Trajectory& seen,
                     const RunEvents& events) {
  try {
    run.write_unfinished(episode, spec, seen);
  } catch (const IoError& error) {
    if (events.on_remark)
      events.on_remark(
          fmt::format("what was measured in episode {} is lost: {}", episode, error.what()));
  }
}

// Goes back to where an earlier process stopped.
void restore(const RunRecord& past, Campaign& campaign, Judge& judge) {
  if (!past.checkpoint) return;
  campaign.restore(*past.checkpoint, learned_transitions(past), ends_seen(past));
  judge.restore(*past.checkpoint);
}

// What is measured before the first episode, or was by an earlier process.
void begin(KeptRun& kept, RunDirectory& run, const System& system, Judge& judge,
           Yardsticks& yardsticks, int threads, const RunEvents& events) {
  std::optional<Scores> line = run.past().best_achievable;
  if (!line) {
    kept.stop_if_asked();
    line = yardsticks.best_achievable(run.config(), system, threads);
    if (line) run.write_best_achievable(*line);
  }
  if (line && events.on_best_achievable) events.on_best_achievable(*line);
  kept.put_model_back();
  if (kept.rows.empty()) {
    MetricsRow before;
    judge.judge(nullptr, before);
    kept.keep(before);
  } else if (events.on_row) {
    for (const MetricsRow& row : kept.rows) events.on_row(row);
  }
}

RunResult explore(const System& system, RunDirectory& run, Yardsticks& yardsticks, int threads,
                  const RunEvents& events, Plant* plant) {
  const Config& config = run.config();
  const SystemSpec& spec = system.spec();
  const NoiseLevels noise = noise_levels(config, spec);

  if (events.on_phase) events.on_phase(0, Phase::preparing);
  Campaign campaign(config, system, threads);
  Judge judge = yardsticks.judge(config, system, known_limits(run.past()), threads);
  KeptRun kept(run, campaign, judge, events);
  restore(run.past(), campaign, judge);

  const auto propose = [&](int episode) {
    return campaign.propose(episode, {.stop_requested = events.stop_requested});
  };
  const auto try_it = [&](const Proposal& proposal) {
    const Policy policy = [&](const Vector& observation, int t) {
      return campaign.act(proposal, observation, t);
    };
    // What an earlier process carried out is not carried out again.
    if (const Trajectory* recorded = kept.recorded(proposal.episode)) {
      for (Index t = 0; t < recorded->steps(); ++t)
        policy(recorded->observations.col(t), static_cast<int>(t));
      return *recorded;
    }
    SimulatedPlant simulated(
        system, noise,
        RandomStream(config.seed, "plant", static_cast<std::uint64_t>(proposal.episode)));
    return carry_out(policy, plant ? *plant : simulated, spec, proposal.episode,
                     {.remark = events.on_remark, .unfinished = [&](const Trajectory& seen) {
                        keep_unfinished(run, proposal.episode, spec, seen, events);
                      }});
  };
  const auto judge_it = [&](const DynamicsModel* model, MetricsRow& row) {
    judge.judge(model, row);
  };
  try {
    begin(kept, run, system, judge, yardsticks, threads, events);
    algorithm_1(campaign, {propose, try_it, judge_it, events.stop_requested}, kept,
                config.episodes);
  } catch (const Interrupted&) {
    return {.rows = std::move(kept.rows), .interrupted = true};
  } catch (const PlantStop& stop) {
    return {.rows = std::move(kept.rows), .stopped = stop.what()};
  }
  return {.rows = std::move(kept.rows)};
}

}  // namespace

RunResult explore_run(const System& system, RunDirectory& run, int threads, const RunEvents& events,
                      Plant* plant) {
  Yardsticks yardsticks;
  return explore_run(system, run, yardsticks, threads, events, plant);
}

RunResult explore_run(const System& system, RunDirectory& run, Yardsticks& yardsticks, int threads,
                      const RunEvents& events, Plant* plant) {
  try {
    RunResult result = explore(system, run, yardsticks, threads, events, plant);
    run.close(result.stopped       ? "stopped: " + *result.stopped
              : result.interrupted ? "interrupted"
                                   : "finished");
    return result;
  } catch (const std::exception& error) {
    try {
      run.close(std::string("failed: ") + error.what());
    } catch (const IoError&) {
      // A full disk may refuse this too; the first reason is the one to tell.
    }
    throw;
  }
}

}  // namespace rhc
