// Whether the record of a run tells that the system changes, that its actions act late, or that its
// speeds are not measured, and whether it keeps silent of systems that do none of that: the bundled
// systems without and with about 1 % of noise, and machines (machines.h).
//   drift [SYSTEM | MACHINE | KIND ...] [seeds=5] [first=101] [episodes=20] [each] [key=value ...]
// Kinds: honest; wears (what the actions do falls by 30 % over the run) and breaks (by 25 %, at its
// middle); late-1 and late-3 (steps); blind (positions alone, and a history of 1). Runs of the last
// three have 4 episodes. `each` prints every remark.
#include "rhc/explore/drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/machines.h"
#include "bench/usual_noise.h"
#include "rhc/core/stopwatch.h"
#include "rhc/describe/settings.h"
#include "rhc/explore/algorithm.h"
#include "rhc/explore/carry_out.h"
#include "rhc/explore/needed_history.h"
#include "rhc/system/registry.h"

namespace {

using namespace rhc;

// Of another system, these observations alone.
struct Blind {
  System system;
  std::vector<Index> seen;

  SystemSpec spec() const {
    SystemSpec spec = system.spec();
    std::vector<Quantity> left;
    for (const Index i : seen) left.push_back(spec.observation[static_cast<std::size_t>(i)]);
    spec.observation = left;
    spec.limits = {Vector(spec.limits.lower(seen)), Vector(spec.limits.upper(seen))};
    spec.task.target = Vector(spec.task.target(seen));
    spec.task.weight = Vector(spec.task.weight(seen));
    spec.task.final_weight.resize(0);
    spec.history = 1;
    return spec;
  }
  Vector step(const Vector& state, const Vector& action) const {
    return system.step(state, action);
  }
  Vector observe(const Vector& state) const { return system.observe(state)(seen); }
};

// Whose actions do as much as `gain` says, so many steps late.
class AlteredPlant final : public Plant {
 public:
  AlteredPlant(const bench::Machine& machine, RandomStream randomness, double gain, int late)
      : plant_(machine, randomness),
        gain_(gain),
        queue_(static_cast<std::size_t>(late), action_at_rest(machine.system.spec())) {}

  Vector reset(const Vector& state) override { return plant_.reset(state); }
  Vector step(const Vector& action) override {
    queue_.push_back(action);
    const Vector now = gain_ * queue_.front();
    queue_.pop_front();
    return plant_.step(now);
  }

 private:
  bench::MachinePlant plant_;
  double gain_;
  std::deque<Vector> queue_;
};

struct Kind {
  const char* name;
  int episodes;
  int late = 0;
  double worn = 0, broken = 0;  // what is lost at the end, and from the middle on
};

double gain_of(const Kind& kind, int episode) {
  const double share = static_cast<double>(episode - 1) / std::max(1, kind.episodes - 1);
  return (1 - kind.worn * share) * (share > 0.5 ? 1 - kind.broken : 1);
}

struct Outcome {
  std::optional<NeededHistory> history;
  int history_after = 0, drift_after = 0;  // episodes; 0: never
  double most_grown = -kInfinity, most_certain = -kInfinity;
  double seconds = 0, least_gain = 0;
};

Outcome run_once(const bench::Machine& machine, const Kind& kind, std::uint64_t seed,
                 const std::vector<std::string>& settings) {
  const SystemSpec& spec = machine.system.spec();
  Config config = preset("default", spec);
  for (const std::string& setting : settings) assign(config, setting);
  config.seed = seed;
  Campaign campaign(config, machine.system, 1);
  Outcome outcome;
  std::vector<Trajectory> episodes;
  std::vector<Transitions> data;
  for (int episode = 1; episode <= kind.episodes; ++episode) {
    const Proposal proposal = campaign.propose(episode, {});
    AlteredPlant plant(machine, RandomStream(seed, "plant", static_cast<std::uint64_t>(episode)),
                       gain_of(kind, episode), kind.late);
    const Trajectory seen =
        carry_out([&](const Vector&, int t) -> Vector { return proposal.actions.col(t); }, plant,
                  spec, episode, {});
    campaign.learn(proposal, seen);
    episodes.push_back(seen);
    data.push_back(transitions_of(seen, spec.limits, spec.history));
    const Stopwatch watch;
    if (!outcome.history) {
      outcome.history = needed_history(episodes, spec);
      if (outcome.history) outcome.history_after = episode;
    }
    if (campaign.model()) {
      for (const DriftScore& score : drift_scores(data, campaign.model()->regression)) {
        if (score.certain > 3) outcome.most_grown = std::max(outcome.most_grown, score.grown);
        if (score.grown > 0.2) outcome.most_certain = std::max(outcome.most_certain, score.certain);
      }
      if (outcome.drift_after == 0 && drift_in(data, campaign.model()->regression))
        outcome.drift_after = episode;
    }
    outcome.seconds += watch.seconds() / kind.episodes;
  }
  return outcome;
}

struct Subject {
  std::string name;
  bench::Machine machine;
  bool blind = false;
};

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  const auto none = [](const System& system) {
    return Vector(Vector::Zero(system.spec().outputs()));
  };
  for (const std::string& name : paper_system_names()) {
    const System system = make_system(name);
    const std::vector<double> usual = bench::usual_noise(name);
    const Vector noise = Eigen::Map<const Vector>(usual.data(), static_cast<Index>(usual.size()));
    all.push_back({name, {system, none(system), none(system)}});
    all.push_back({name + "+noise", {system, noise, none(system)}});
  }
  for (const bench::Machine& machine : bench::machines())
    all.push_back({machine.system.spec().name, machine});
  const auto blinded = [&](const std::string& name, std::vector<Index> seen) {
    const auto of = std::find_if(all.begin(), all.end(),
                                 [&](const Subject& subject) { return subject.name == name; });
    const bench::Machine& machine = of->machine;
    all.push_back({name + " blind",
                   {Blind{machine.system, seen}, machine.noise(seen), machine.quantum(seen)},
                   true});
  };
  blinded("pendulum", {0, 1});
  blinded("pendulum+noise", {0, 1});
  blinded("stage", {0});
  blinded("belt", {0});
  return all;
}

bool wanted(const std::vector<std::string>& names, const std::vector<std::string>& known,
            const std::string& name) {
  const auto named = [&](const std::string& n) {
    return std::find(known.begin(), known.end(), n) != known.end();
  };
  return std::none_of(names.begin(), names.end(), named) ||
         std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 5, first = 101, length = 20;
  auto [names, settings] = bench::read_arguments(
      argc, argv, {{"seeds", &seeds}, {"first", &first}, {"episodes", &length}});
  const bool each = std::erase(names, "each") > 0;
  const std::vector<Kind> kinds = {
      {"honest", length}, {"wears", length, 0, 0.3}, {"breaks", length, 0, 0, 0.25},
      {"late-1", 4, 1},   {"late-3", 4, 3},          {"blind", 4}};
  const std::vector<Subject> all = subjects();
  std::vector<std::string> kind_names, subject_names;
  for (const Kind& kind : kinds) kind_names.emplace_back(kind.name);
  for (const Subject& subject : all) subject_names.push_back(subject.name);

  fmt::print("runs in which a remark was made, and the episode after which it was (median)\n");
  fmt::print("{:<8} {:<20} {:>5} {:>16} {:>16} {:>7} {:>7} {:>7} {:>9}\n", "kind", "system", "runs",
             "drift, after", "history, after", "right", "grown", "certain", "s/episode");
  for (const Kind& kind : kinds) {
    if (!wanted(names, kind_names, kind.name)) continue;
    int runs = 0, drifts = 0, histories = 0;
    for (const Subject& subject : all) {
      const bool blind = std::string(kind.name) == "blind";
      if (subject.blind != blind || !wanted(names, subject_names, subject.name)) continue;
      std::vector<int> drift_after, history_after;
      int right = 0;
      double seconds = 0, grown = -kInfinity, certain = -kInfinity;
      for (int s = 0; s < seeds; ++s) {
        const Outcome outcome =
            run_once(subject.machine, kind, static_cast<std::uint64_t>(first + s), settings);
        seconds += outcome.seconds / seeds;
        grown = std::max(grown, outcome.most_grown);
        certain = std::max(certain, outcome.most_certain);
        if (outcome.drift_after > 0) drift_after.push_back(outcome.drift_after);
        if (outcome.history) {
          history_after.push_back(outcome.history_after);
          right += outcome.history->late[0] == kind.late &&
                   (outcome.history->moments > subject.machine.system.spec().history) == blind;
        }
        if (each && (outcome.history || outcome.drift_after > 0))
          fmt::print(
              "  {} {} {}: drift after {}; history {} after {}\n", kind.name, subject.name,
              first + s, outcome.drift_after,
              outcome.history
                  ? fmt::format("{} (late {}, moments {}, '{}' {:.3g} to {:.3g})",
                                outcome.history->history, outcome.history->late[0],
                                outcome.history->moments,
                                subject.machine.system.spec()
                                    .observation[static_cast<std::size_t>(outcome.history->output)]
                                    .name,
                                outcome.history->error_now, outcome.history->error)
                  : "-",
              outcome.history_after);
      }
      const auto count_and_median = [](std::vector<int> after) {
        if (after.empty()) return std::string("0");
        std::sort(after.begin(), after.end());
        return fmt::format("{}, {}", after.size(), after[after.size() / 2]);
      };
      fmt::print("{:<8} {:<20} {:>5} {:>16} {:>16} {:>7} {:>7.2f} {:>7.1f} {:>9.2f}\n", kind.name,
                 subject.name, seeds, count_and_median(drift_after),
                 count_and_median(history_after), right, grown, certain, seconds);
      std::fflush(stdout);
      runs += seeds;
      drifts += static_cast<int>(drift_after.size());
      histories += static_cast<int>(history_after.size());
    }
    fmt::print("{:<8} {:<20} {:>5} {:>16} {:>16}\n", kind.name, "all", runs, drifts, histories);
  }
}
