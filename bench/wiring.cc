// Whether a mistake in a log is named, and an honest log is not suspected: machines (machines.h)
// are explored, and each log of experiments 2 to 5 is told as it is and with one mistake made in
// it.
//   wiring [MACHINE ...] [seeds=5] [first=101] [each]  `each` prints every log
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/machines.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/describe/settings.h"
#include "rhc/explore/algorithm.h"
#include "rhc/explore/carry_out.h"
#include "rhc/run/told_remarks.h"

namespace {

using namespace rhc;

constexpr int kEpisodes = 5;
constexpr const char* kHonest = "none";

struct Mistake {
  std::string kind, named;  // what the suspicion must say; empty: nothing
  Trajectory told;
};

std::vector<Mistake> mistakes(const Trajectory& seen, const SystemSpec& spec) {
  std::vector<Mistake> all = {{kHonest, "", seen}};
  const auto add = [&](const char* kind, std::string named, auto change) {
    all.push_back({kind, std::move(named), seen});
    change(all.back().told);
  };
  for (Index i = 0; i < spec.outputs(); ++i) {
    const std::string& name = spec.observation[static_cast<std::size_t>(i)].name;
    add("sign", fmt::format("'{}' has the wrong sign", name),
        [&](Trajectory& told) { told.observations.row(i) *= -1; });
    add("x 57.3", fmt::format("'{}' is too large by a factor of 57.3", name),
        [&](Trajectory& told) { told.observations.row(i) *= 57.29578; });
    add("/ 10", fmt::format("'{}' is too small by a factor of 10", name),
        [&](Trajectory& told) { told.observations.row(i) *= 0.1; });
    add("frozen", fmt::format("'{}' does not change", name),
        [&](Trajectory& told) { told.observations.row(i).setConstant(seen.observations(i, 0)); });
    for (Index j = 0; j < i; ++j) {
      const Quantity& other = spec.observation[static_cast<std::size_t>(j)];
      if (other.unit == spec.observation[static_cast<std::size_t>(i)].unit)
        add("exchanged", fmt::format("'{}' and '{}' are exchanged", other.name, name),
            [&](Trajectory& told) { told.observations.row(i).swap(told.observations.row(j)); });
    }
  }
  if (spec.action_bounds.lower[0] < 0)
    add("action", fmt::format("'{}' has the wrong sign", spec.action[0].name),
        [&](Trajectory& told) { told.actions *= -1; });
  add("late", "the actions acted a step later", [&](Trajectory& told) {
    const Index T = seen.steps();
    told.actions.leftCols(T - 1) = seen.actions.rightCols(T - 1);
  });
  return all;
}

struct Verdict {
  std::string kind;
  int episode;
  bool right, suspected;
  double better;  // nats a step of the likeliest other reading, above the log as it is
  std::string text;
};

std::vector<Verdict> run_once(const bench::Machine& machine, std::uint64_t seed) {
  const SystemSpec& spec = machine.system.spec();
  SystemFile file{"", {}, machine.system};
  for (const Quantity& quantity : spec.observation) file.measures.push_back({quantity});
  Config config = preset("default", spec);
  config.seed = seed;
  Campaign campaign(config, machine.system, 1);
  std::vector<Verdict> verdicts;
  for (int episode = 1; episode <= kEpisodes; ++episode) {
    const Proposal proposal = campaign.propose(episode, {.announced = true});
    bench::MachinePlant plant(machine,
                              RandomStream(seed, "plant", static_cast<std::uint64_t>(episode)));
    const Trajectory seen =
        carry_out([&](const Vector&, int t) -> Vector { return proposal.actions.col(t); }, plant,
                  spec, episode, {});
    for (const Mistake& mistake : mistakes(seen, spec)) {
      if (!campaign.model()) break;
      const auto readings = other_readings(mistake.told, file);
      std::string text;
      for (const std::string& remark :
           remarks_on_surprise(mistake.told, std::nullopt, readings, campaign.model(), file, "..."))
        text += remark + "; ";
      const bool right =
          mistake.named.empty() ? text.empty() : text.find(mistake.named) != std::string::npos;
      const LogFit as_is = fit_of(*campaign.model(), mistake.told);
      double better = -kInfinity;
      for (const LogReading& reading : readings)
        better = std::max(
            better, fit_of(*campaign.model(), reading.told).nats - reading.units - as_is.nats);
      verdicts.push_back({mistake.kind, episode, right, !text.empty(), better,
                          fmt::format("{:.0f} % inside; {}", 100 * as_is.inside, text)});
    }
    campaign.learn(proposal, seen);
  }
  return verdicts;
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 5, first = 101;
  std::vector<std::string> names =
      bench::read_arguments(argc, argv, {{"seeds", &seeds}, {"first", &first}}).names;
  const bool each = std::erase(names, "each") > 0;
  struct Tally {
    int logs = 0, suspected = 0, right = 0;
  };
  std::map<std::string, std::map<int, Tally>> tallies;
  double nearest = -kInfinity;
  for (const bench::Machine& machine : bench::machines()) {
    const std::string& name = machine.system.spec().name;
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    for (int s = 0; s < seeds; ++s)
      for (const Verdict& verdict : run_once(machine, static_cast<std::uint64_t>(first + s))) {
        Tally& tally = tallies[verdict.kind][verdict.episode];
        ++tally.logs;
        tally.suspected += verdict.suspected;
        tally.right += verdict.right;
        if (verdict.kind == kHonest) nearest = std::max(nearest, verdict.better);
        if (each) {
          fmt::print("{} {} {} {} {}: {}\n", name, first + s, verdict.episode, verdict.kind,
                     verdict.right ? "right" : "wrong", verdict.text);
          std::fflush(stdout);
        }
      }
  }
  fmt::print("suspected and rightly judged logs, by experiment\n{:<10}", "mistake");
  for (int episode = 2; episode <= kEpisodes; ++episode) fmt::print(" {:>16}", episode);
  for (const auto& [kind, by_episode] : tallies) {
    fmt::print("\n{:<10}", kind);
    for (const auto& [episode, tally] : by_episode)
      fmt::print(" {:>16}", fmt::format("{} {} of {}", tally.suspected, tally.right, tally.logs));
  }
  fmt::print("\nof honest logs the likeliest other reading gains {:.2f} nats a step\n", nearest);
}
