// Experiments that somebody else carries out: which is the next, and what was learned from it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rhc/evaluate/forecast.h"
#include "rhc/explore/explorer.h"
#include "rhc/explore/learner.h"
#include "rhc/io/config.h"
#include "rhc/io/metrics.h"

namespace rhc {

struct Proposal {
  int experiment;                       // its number, from 1
  Vector start;                         // observation that it begins with
  Matrix actions;                       // k x T
  std::optional<Forecast> forecast{};   // what will be seen; nothing while nothing is known
  std::optional<double> information{};  // nats that it is expected to tell
  std::string status{};                 // of the plan; empty where none was made
};

class Campaign {
 public:
  Campaign(const Config& config, const System& system, int threads);

  const System& system() const { return system_; }
  const Config& config() const { return config_; }

  // The next experiment, from where the description says or from this observation. Asked twice, it
  // is the same until something was told, or another start was given.
  const Proposal& ask(const std::optional<Vector>& start = std::nullopt);

  // What was observed and done, of any length. The same as an episode of `run_experiment`: asked
  // and told in turn, the plans are the same, bit for bit.
  void tell(const Trajectory& trajectory);
  void tell(const Trajectory& trajectory, MetricsRow& row);

  // The experiment of this number, while others are under way: what they are expected to tell is
  // not asked for again.
  Proposal propose(int experiment, const Vector& start, const std::vector<Proposal>& under_way);

  // As if these had been the actions that were proposed last: the next search begins there.
  void recall(const Matrix& actions);

  // Null before any data.
  const BayesianLinearModel* belief() const { return learner_.belief(); }
  const Learner& learner() const { return learner_; }
  int told() const { return told_; }

  // Between two experiments, but for the data.
  Archive archive() const;
  void restore(const Archive& archive, const std::vector<Trajectory>& told);

  // Of its explorer, when it proposes.
  std::optional<double> sigmas;
  std::function<bool()> stop_requested;  // asked while planning; Interrupted is then thrown

 private:
  const Config config_;
  const System system_;
  std::unique_ptr<Explorer> explorer_;
  Learner learner_;
  int told_ = 0;
  std::optional<Proposal> asked_;
};

}  // namespace rhc
