// The model, from all that was seen so far.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "rhc/core/named_values.h"
#include "rhc/explore/belief_record.h"
#include "rhc/model/forecast.h"

namespace rhc {

class Learner {
 public:
  Learner(const Config& config, const System& system, int threads);

  // The system by another description, of which the same data tell.
  void describe(const System& system);

  // Fits the hyperparameters again, or updates the posterior as it stands: as the config says.
  // Where it throws, also because somebody wishes to stop, all is as it was.
  void learn(const Transitions& data, const StopSignal& stop = {});

  // Fits the hyperparameters to what was learned so far and to more of an episode that is under
  // way; what an earlier call was told of it is part of that.
  void learn_under_way(const Transitions& episode_so_far, const StopSignal& stop = {});

  // What was announced of an episode, and what came: the next announcements are wider or narrower.
  void compare(const Forecast& announced, const Trajectory& seen);

  // Null before the first data.
  const DynamicsModel* model() const { return model_ ? &*model_ : nullptr; }

  // The model for tasks, which may lead far from all data: sines alone come back to no motion at
  // all there. Where the sensors' noise leaves it open how the motion bends, and no angle turns it
  // round, it goes on as a plane does. Exploring needs the other model, which is in doubt there.
  // Only where there is one.
  DynamicsModel task_model(const StopSignal& stop = {}) const;
  Index transitions() const { return transitions_; }
  std::optional<double> log_evidence() const;  // where the last data brought a fit

  // What noise does not explain of the data that were learned from last, and what is therefore set
  // aside; the farthest first.
  struct Outlier {
    Index transition, output;
    double off;  // deviations, from what all others tell
  };
  std::vector<Outlier> outliers() const;

  // What the run keeps of the model; nothing where there is none.
  std::optional<BeliefRecord> record(int episode) const;

  // All that is needed to go on, but for the data that were learned from.
  void save(NamedValues& values) const;
  void restore(const NamedValues& values, std::vector<Transitions> learned_from);

 private:
  Transitions all() const;
  Vector suspected(const DynamicsModel* before) const;
  std::vector<Transitions> without_outliers() const;
  std::vector<Transitions> recent() const;
  void update(const Transitions& data);
  void refit(const DynamicsModel* before);  // the model before these data, where there is one
  bool fit_network(const Transitions& given);
  std::vector<std::shared_ptr<const Regression>> wider_fits();
  void save_network(NamedValues& values) const;
  std::optional<Regression> restored_network(const NamedValues& values);
  bool goes_on_as_a_plane() const;
  bool looks_at_trajectories(const Regression& regression) const;
  void fit_to_trajectories(FittedRegression& fitted, const LastFits& before);
  void refine();
  void doubt();
  void save_separate(NamedValues& values) const;
  std::optional<Regression> restored_shared(const NamedValues& values) const;
  std::optional<Regression> restored_separate(const NamedValues& values) const;

  const Config config_;
  const int threads_;
  SystemSpec spec_;
  DynamicsShape shape_;
  EvidenceSettings evidence_;
  FeatureDraws draw_, wide_draw_{};
  std::uint64_t draws_ = 0;
  std::vector<Transitions> batches_;
  Index transitions_ = 0;
  int since_fit_ = 0;
  bool under_way_ = false;  // the last batch is of an episode that is not over
  std::optional<DynamicsModel> model_;
  std::optional<double> log_evidence_;  // of the last fit
  std::optional<NoiseSplit> noise_;     // of the last fit
  Vector counts_;      // as how many each transition of the last fit counts; empty: one
  Matrix off_;         // and how far its outputs are off, in deviations
  Vector band_scale_;  // of what is announced; empty: nothing was compared yet
  LastFits last_;

  // Features that are a network's; nothing before there were enough transitions.
  std::optional<FourierFeatures> network_;
  std::uint64_t trainings_ = 0;
  Index trained_on_ = 0;  // transitions
  bool trained_ = false;  // in the last fit
};

}  // namespace rhc
