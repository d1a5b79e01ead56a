#include "rhc/plan/planner.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/plan/signals.h"

namespace rhc {

namespace {

struct Candidate {
  Matrix actions{};
  Matrix states{};    // none yet: those that follow from the actions
  bool open = false;  // the states are guesses of their own, with gaps
  double cost = kInfinity;
  double violation = kInfinity;  // in the units of a state's range
  int iterations = 0;
  ShootingStatus status = ShootingStatus::running;
  // The best that was met inside the bounds, which a search may leave and not find again.
  Matrix inside_actions{};
  double inside_cost = kInfinity;
};

// Less is better. Cost counts relative to the best. On the way a plan may be a little outside its
// bounds; in the end it may not.
double rank_of(const Candidate& candidate, double best_cost, bool at_end, double tolerance) {
  if (candidate.status == ShootingStatus::not_finite) return kInfinity;
  const double size = std::max(std::abs(best_cost), 1e-300);
  const double outside = std::max(0.0, candidate.violation - tolerance);
  return (candidate.cost - best_cost) / size + (at_end ? 1e9 : 3) * outside;
}

// What one thread searches with: made once, used for many candidates.
struct Workspace {
  explicit Workspace(const PlanProblem& problem)
      : dynamics(problem.dynamics()),
        objective(problem.objective()),
        shooting(*dynamics, *objective, problem.action_bounds, problem.state_bounds,
                 problem.horizon, problem.margin) {}

  std::unique_ptr<Dynamics> dynamics;
  std::unique_ptr<Objective> objective;
  Shooting shooting;
};

// Workspaces that no thread uses at the moment.
class WorkspacePool {
 public:
  explicit WorkspacePool(const PlanProblem& problem) : problem_(problem) {}

  std::unique_ptr<Workspace> take() {
    {
      const std::lock_guard guard(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Workspace> workspace = std::move(idle_.back());
        idle_.pop_back();
        return workspace;
      }
    }
    return std::make_unique<Workspace>(problem_);
  }

  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard guard(mutex_);
    idle_.push_back(std::move(workspace));
  }

 private:
  const PlanProblem& problem_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

class Tournament {
 public:
  int iterations = 0;  // of the candidates that were dropped
  Candidate inside;    // the best that was met inside the bounds

  Tournament(const PlanProblem& problem, const PlannerSettings& settings)
      : problem_(problem), settings_(settings), workspaces_(problem) {}

  // Follows every candidate for some steps and sorts the best to the front.
  void round(std::vector<Candidate>& candidates, int steps) {
    const bool at_end = steps >= settings_.most_iterations;
    parallel_for(static_cast<int>(candidates.size()), settings_.threads, [&](int i) {
      Candidate& candidate = candidates[static_cast<std::size_t>(i)];
      if (candidate.status != ShootingStatus::running) return;
      std::unique_ptr<Workspace> workspace = workspaces_.take();
      Shooting& shooting = workspace->shooting;
      if (candidate.open)
        shooting.begin_open(candidate.states, candidate.actions);
      else
        shooting.begin(problem_.first_state, candidate.actions);
      note_inside(shooting, candidate);
      search(shooting, steps);
      // A plan at the end of its patience, but outside the bounds, may need a few steps more.
      for (int more = 0;
           more < 3 && at_end && shooting.violation() > settings_.shooting.bound_tolerance; ++more)
        search(shooting, steps);
      // What is still open at the end is judged as what follows from the actions.
      if (at_end && shooting.rollout().defect() > settings_.shooting.defect_tolerance)
        shooting.begin(problem_.first_state, Matrix(shooting.rollout().actions));
      note_inside(shooting, candidate);
      candidate.actions = shooting.rollout().actions;
      candidate.states = shooting.rollout().states;
      candidate.open = shooting.rollout().defect() > settings_.shooting.defect_tolerance;
      candidate.cost = shooting.cost();
      candidate.violation = shooting.violation();
      candidate.iterations += shooting.iterations();
      candidate.status = shooting.status();
      workspaces_.give_back(std::move(workspace));
    });
    sort(candidates, at_end);
  }

  void sort(std::vector<Candidate>& candidates, bool at_end) const {
    double best = kInfinity;
    for (const Candidate& c : candidates)
      if (c.status != ShootingStatus::not_finite) best = std::min(best, c.cost);
    const auto rank = [&](const Candidate& c) {
      return rank_of(c, best, at_end, settings_.shooting.bound_tolerance);
    };
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const Candidate& a, const Candidate& b) { return rank(a) < rank(b); });
  }

  // Drops all but the first `kept`, and remembers the best of what was inside the bounds.
  void keep(std::vector<Candidate>& candidates, std::size_t kept) {
    for (const Candidate& candidate : candidates)
      if (candidate.inside_cost < inside.inside_cost) inside = candidate;
    for (std::size_t i = kept; i < candidates.size(); ++i) iterations += candidates[i].iterations;
    if (candidates.size() > kept) candidates.resize(kept);
  }

 private:
  void search(Shooting& shooting, int steps) {
    for (int i = 0; i < steps && shooting.iterate(1, settings_.shooting); ++i) stop_if_asked();
  }

  // What is asked may belong to the thread that plans; the others hear of the answer.
  void stop_if_asked() {
    if (!stopped_ && settings_.stop_requested && std::this_thread::get_id() == caller_)
      stopped_ = settings_.stop_requested();
    if (stopped_) throw Interrupted{};
  }

  void note_inside(const Shooting& shooting, Candidate& candidate) const {
    if (shooting.status() == ShootingStatus::not_finite) return;
    if (shooting.rollout().defect() > settings_.shooting.defect_tolerance) return;
    if (shooting.violation() > settings_.shooting.bound_tolerance) return;
    if (!(shooting.cost() < candidate.inside_cost)) return;
    candidate.inside_cost = shooting.cost();
    candidate.inside_actions = shooting.rollout().actions;
  }

  const PlanProblem& problem_;
  const PlannerSettings& settings_;
  WorkspacePool workspaces_;
  const std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> stopped_{false};
};

// The actions nearest to none.
Vector quiet(const Box& bounds) { return bounds.clip(Vector::Zero(bounds.size())); }

// A plan with a piece exchanged, or moved in time together with the states it went through: a way
// out of its basin.
Candidate disturbed(const Candidate& from, const PlanProblem& problem, RandomStream randomness) {
  const Index T = problem.horizon;
  const auto below = [&](Index count) {
    return static_cast<Index>(
        randomness.below(static_cast<std::uint64_t>(std::max<Index>(1, count))));
  };
  Candidate result{.actions = from.actions};
  if (randomness.uniform() < 0.2) {  // another piece
    const Index length = 1 + below(T / 2), begin = below(T);
    const double hold = static_cast<double>(T) * randomness.uniform(0.03, 0.25);
    const Matrix piece = held_signal(problem.action_bounds, T, hold, randomness);
    for (Index t = begin; t < std::min(T, begin + length); ++t)
      result.actions.col(t) = piece.col(t);
  } else {
    // A piece, or all from some step on, earlier or later; gaps open at its ends.
    result.states = from.states;
    result.open = true;
    const Index begin = below(T * 3 / 4);
    const Index end = randomness.uniform() < 0.5 ? T : std::min(T, begin + 2 + below(T / 2));
    Index by = 1;
    while (by < T / 8 && randomness.uniform() < 0.5) ++by;
    const bool earlier = randomness.uniform() < 0.6;
    for (Index t = begin; t < end; ++t) {
      const Index source = earlier ? std::min(T - 1, t + by) : std::max<Index>(begin, t - by);
      result.actions.col(t) = from.actions.col(source);
      result.states.col(t + 1) = from.states.col(std::min(T, source + 1));
    }
  }
  return result;
}

}  // namespace

std::string_view name(PlanStatus status) {
  switch (status) {
    case PlanStatus::converged:
      return "converged";
    case PlanStatus::stopped:
      return "stopped";
    case PlanStatus::shrunk:
      return "shrunk";
    case PlanStatus::repeated:
      return "repeated";
    case PlanStatus::infeasible:
      return "infeasible";
    default:
      return "failed";
  }
}

Plan followed(const PlanProblem& problem, const Matrix& actions, const ShootingSettings& settings) {
  const std::unique_ptr<Dynamics> dynamics = problem.dynamics();
  const std::unique_ptr<Objective> objective = problem.objective();
  Rollout rollout(dynamics->states(), dynamics->actions(), dynamics->features(), problem.horizon);
  rollout.states.col(0) = problem.first_state;
  rollout.actions = actions;
  follow(*dynamics, rollout);
  Plan result{.actions = rollout.actions,
              .states = rollout.states,
              .objective = objective->sign() * objective->evaluate(rollout),
              .defect = rollout.defect(),
              .bound_violation = 0,
              .iterations = 0,
              .status = PlanStatus::stopped,
              .sign = objective->sign()};
  for (Index t = 1; t <= problem.horizon; ++t) {
    const Vector outside = (rollout.states.col(t) - problem.state_bounds.upper)
                               .cwiseMax(problem.state_bounds.lower - rollout.states.col(t));
    result.bound_violation = std::max(result.bound_violation, outside.maxCoeff());
  }
  const double violation =
      StateBounds(problem.state_bounds, problem.margin, problem.horizon).violation(rollout);
  if (!rollout.states.allFinite() || !std::isfinite(result.objective))
    result.status = PlanStatus::failed;
  else if (violation > settings.bound_tolerance)
    result.status = PlanStatus::infeasible;
  return result;
}

Matrix start_signal(const Box& bounds, Index horizon, const PlannerSettings& settings, int i) {
  RandomStream randomness(settings.seed, "plan start", static_cast<std::uint64_t>(i));
  if (settings.signals == StartSignals::white) return white_signal(bounds, horizon, randomness);
  const double T = static_cast<double>(horizon);
  if (i % 2 == 1) return coloured_signal(bounds, horizon, randomness);
  const double hold = T * randomness.uniform(0.05, 0.4);
  return held_signal(bounds, horizon, hold, randomness);
}

Plan plan(const PlanProblem& problem, const PlannerSettings& settings,
          const std::vector<Matrix>& suggestions) {
  std::vector<Candidate> candidates;
  for (const Matrix& actions : suggestions) candidates.push_back({actions});
  const int starts = std::max(settings.starts, suggestions.empty() ? 1 : 0);
  for (int i = 0; i < starts; ++i)
    candidates.push_back({problem.start_actions
                              ? problem.start_actions(i)
                              : start_signal(problem.action_bounds, problem.horizon, settings, i)});

  // Many starts for a few steps, a few for more, and the best to the end.
  Tournament tournament(problem, settings);
  tournament.round(candidates, 4);
  tournament.keep(candidates, std::max<std::size_t>(3, candidates.size() / 4));
  tournament.round(candidates, 10);
  // The next best is finished only where the best cannot be brought inside its bounds.
  std::vector<Candidate> finished;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::vector<Candidate> one{candidates[i]};
    tournament.round(one, settings.most_iterations);
    candidates[i].iterations = 0;  // counted with the finished one
    finished.push_back(one[0]);
    if (one[0].violation <= settings.shooting.bound_tolerance) break;
  }
  // To do nothing is a plan too, and may be a good one where the model knows little of it. It is
  // found at once: among the starts it would look better than those that need more steps.
  if (settings.signals == StartSignals::mixed) {
    std::vector<Candidate> nothing{{quiet(problem.action_bounds).replicate(1, problem.horizon)}};
    tournament.round(nothing, settings.most_iterations);
    finished.push_back(nothing[0]);
  }
  tournament.keep(candidates, 0);
  tournament.sort(finished, true);
  tournament.keep(finished, 1);
  candidates = std::move(finished);

  // From the best plan to its neighbours, as long as there is patience.
  constexpr int kAtOnce = 4;  // the same on any number of threads
  int in_vain = 0;
  for (int hop = 0; hop < settings.hops && in_vain < settings.patience; hop += kAtOnce) {
    const double before = candidates[0].cost, outside = candidates[0].violation;
    std::vector<Candidate> neighbours;
    for (int i = hop; i < std::min(settings.hops, hop + kAtOnce); ++i)
      neighbours.push_back(
          disturbed(candidates[0], problem,
                    RandomStream(settings.seed, "plan hop", static_cast<std::uint64_t>(i))));
    tournament.round(neighbours, 15);
    tournament.keep(neighbours, 2);
    tournament.round(neighbours, settings.most_iterations);
    candidates.insert(candidates.end(), neighbours.begin(), neighbours.end());
    tournament.sort(candidates, true);
    tournament.keep(candidates, 1);
    const bool better =
        before - candidates[0].cost > 1e-6 * std::abs(before) || candidates[0].violation < outside;
    in_vain = better ? 0 : in_vain + kAtOnce;
  }

  // Where nothing is finite, the quietest actions there are.
  Candidate best = candidates[0];
  if (best.status == ShootingStatus::not_finite)
    best.actions.colwise() = quiet(problem.action_bounds);
  tournament.keep(candidates, 0);
  if (best.violation > settings.shooting.bound_tolerance &&
      tournament.inside.inside_cost < kInfinity)
    best.actions = tournament.inside.inside_actions;
  // As it would be carried out: whatever the search thinks of it.
  Plan result = followed(problem, best.actions, settings.shooting);
  result.iterations = tournament.iterations;
  if (result.status == PlanStatus::stopped && best.status == ShootingStatus::converged)
    result.status = PlanStatus::converged;
  return result;
}

}  // namespace rhc
