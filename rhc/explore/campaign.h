// What is known of a system, and what to try next: everything of the paper's Algorithm 1 but the
// system itself.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rhc/explore/explorer.h"
#include "rhc/explore/learned_limits.h"
#include "rhc/explore/learner.h"
#include "rhc/explore/metrics_row.h"
#include "rhc/explore/replanning.h"
#include "rhc/model/forecast.h"

namespace rhc {

struct Proposal {
  int episode;                          // its number, from 1
  Vector start{};                       // observation that it begins with
  Trajectory before{};                  // what was seen and done until then; not on record
  double sigmas = 0;                    // by which its forecast is to stay inside; not on record
  Matrix actions{};                     // k x T; none: decided step by step, by `act`
  std::optional<Forecast> forecast{};   // what will be seen; nothing while nothing is known
  std::optional<double> information{};  // nats that it is expected to tell
  std::string status{};                 // of the plan; empty where none was made

  bool planned() const { return !status.empty(); }
};

// How a proposal is wanted.
struct ProposalSettings {
  // What was seen and done until now, which ends with the observation that the episode begins with;
  // nothing: it begins where the description says, at rest.
  std::optional<Trajectory> before{};
  std::optional<double> sigmas{};          // nothing: as the description says
  std::function<bool()> stop_requested{};  // asked while planning; Interrupted is then thrown
  bool announced = false;                  // with a forecast also where nothing was planned
};

// An episode of which a part was carried out, and the rest is planned anew.
struct ReplannedEpisode {
  Proposal proposal;  // all of it: its actions as far as they were done, then those of the rest
  Forecast rest;      // from the last observation on
};

class Campaign {
 public:
  enum class Role { explores, replays };

  // One that only replays decides nothing: it learns from what others tried. InputError where one
  // that explores would take too much memory.
  Campaign(const Config& config, const System& system, int threads, Role role = Role::explores);

  const System& system() const { return system_; }
  const Config& config() const { return config_; }

  // The next episode. Asked twice, it is the same until something was told, or it is wanted
  // otherwise. InputError by a method that must see each observation before it acts.
  const Proposal& ask(const ProposalSettings& settings = {});

  // The episode of this number, while others are under way: what they are expected to tell is not
  // asked for again. Proposing changes nothing of what is known, but for methods that decide step
  // by step: they get ready for the episode.
  Proposal propose(int episode, const ProposalSettings& settings,
                   const std::vector<Proposal>& under_way = {});

  // The action of this step of a proposal, by what is observed before it: as planned, as planned
  // anew on the way (setting replan), or decided step by step. Each step once, in order.
  Vector act(const Proposal& proposal, const Vector& observation, int step);

  // A proposal of which this much was seen, its rest planned anew from where the system is now. The
  // model learns from what was seen for this plan alone. Nothing where that is too little to plan
  // with; InputError by a method that does not plan.
  std::optional<ReplannedEpisode> plan_rest(const Proposal& proposal, const Trajectory& seen,
                                            const ProposalSettings& settings);

  // What was announced of the steps of an episode that is planned anew on the way; nothing of
  // others, and where not all of it was planned.
  std::optional<Forecast> announced_on_the_way() const;

  // What was seen of a proposal, of any length; the row holds what it came to. `stop_requested` is
  // asked on the way; Interrupted is then thrown, and nothing was told.
  MetricsRow learn(const Proposal& proposal, const Trajectory& seen,
                   const std::function<bool()>& stop_requested = {});

  // The same of what was asked for last, or of what nobody asked for.
  MetricsRow tell(const Trajectory& seen, const std::function<bool()>& stop_requested = {});

  // Null before any data.
  const DynamicsModel* model() const { return learner_.model(); }
  const Learner& learner() const { return learner_; }
  int told() const { return told_; }

  // What episodes that the plant ended early have taught of limits.
  const LearnedLimits& limits() const { return limits_; }

  // What a person should know of the episode that was learned from last: what its end taught, and
  // where it told less than was planned.
  const std::vector<std::string>& remarks() const { return remarks_; }

  // From here on the system is described otherwise, and what was told means the same.
  void describe(const System& system);

  // Between two episodes, but for the data.
  NamedValues save() const;
  void restore(const NamedValues& values, std::vector<Transitions> learned_from, EndsSeen ends);

 private:
  Explorer& explorer();
  Trajectory before_of(const ProposalSettings& settings) const;
  void learn_of_end(const Trajectory& seen);
  std::string told_of_outliers(const Transitions& data) const;

  const Config config_;
  const int threads_;
  System system_;
  std::unique_ptr<Explorer> explorer_;  // null where it only replays
  Learner learner_;
  EndsSeen ends_;
  LearnedLimits limits_;
  std::vector<std::string> remarks_;
  int told_ = 0;
  std::optional<Proposal> asked_;
  std::unique_ptr<Replanning> under_way_;  // null: nothing is, or it is not planned anew
  std::function<bool()> stop_requested_;   // of what was proposed last
};

}  // namespace rhc
