// An episode that is looked at while it is carried out: the model learns from every transition, and
// the rest is planned anew from where the system is.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rhc/explore/explorer.h"
#include "rhc/explore/learned_limits.h"
#include "rhc/explore/learner.h"
#include "rhc/model/online_regression.h"

namespace rhc {

class Replanning {
 public:
  // Every `every` steps. `learned` is what is known before the episode, which stays as it is: at
  // the end of the episode it learns from all of it at once. Both are referred to, `explorer`, too.
  // `actions` and `announced` are those of the first plan, which began after `past`; `repeated`:
  // it repeats the first experiment.
  Replanning(int every, int episode, const SystemSpec& spec, const Learner& learned,
             Explorer& explorer, double sigmas, LearnedLimits limits,
             std::function<bool()> stop_requested, Trajectory past, Matrix actions,
             std::optional<Forecast> announced, std::optional<double> promised, bool repeated);

  int episode() const { return episode_; }

  // The action of this step; each step in order. One that was interrupted may be asked for again.
  Vector act(const Vector& observation, int step);

  // The step that was asked for last.
  Index step() const { return steps_; }

  // After the last look: the model as it was then, and what was seen and done until then, the last
  // observations as they are estimated. Null where too little was seen to plan with.
  const DynamicsModel* model() const { return looked_ ? &*model_ : nullptr; }
  const Trajectory& before() const { return before_; }
  const std::string& status() const { return status_; }  // of the plan that was made then
  // Of the first look that found nothing inside the limits; empty where each found something.
  const std::string& trouble() const { return trouble_; }

  double seconds() const { return seconds_; }  // that planning anew took, learning included

  // What was carried out, and would have been.
  const Matrix& actions() const { return actions_; }

  // What was announced of every step by the plan that it belonged to, and the nats that these plans
  // expected of what was carried out of them. Nothing where a part was not planned, as in the first
  // episode.
  std::optional<Forecast> announced() const;
  std::optional<double> information() const;

 private:
  void look(const Vector& observation);
  const DynamicsModel* believe();
  void replan();
  void announce();

  const Index every_;
  const int episode_;
  const SystemSpec& spec_;
  const Learner& learned_;
  Explorer& explorer_;
  const double sigmas_;
  const LearnedLimits limits_;
  const std::function<bool()> stop_requested_;

  const Trajectory past_;  // ends where the episode begins
  Matrix observed_;        // D x (T + 1), up to column steps_
  Index steps_ = -1;
  Matrix actions_;
  std::optional<DynamicsModel> model_;      // as it is now; none before the first data
  std::optional<OnlineRegression> online_;  // of that
  std::optional<Learner> refitting_;        // in the first episode
  Trajectory before_;
  bool looked_ = false;
  bool repeated_;
  std::string status_, trouble_;
  Forecast announced_;
  bool all_announced_;
  double information_ = 0, seconds_ = 0;
};

}  // namespace rhc
