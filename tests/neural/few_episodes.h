// Episodes with an explorer and the model it is curious about, without files.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "rhc/explore/explorer.h"
#include "rhc/explore/learner.h"
#include "rhc/system/plant.h"

namespace rhc {

class FewEpisodes {
 public:
  FewEpisodes(std::unique_ptr<Explorer> explorer, const Config& config, const System& system)
      : system_(system), explorer_(std::move(explorer)), learner_(config, system, 1) {}

  Explorer& explorer() { return *explorer_; }
  Learner& learner() { return learner_; }

  Trajectory episode(int number, const std::function<bool()>& stop_requested = {}) {
    const SystemSpec& spec = system_.spec();
    explorer_->decide(
        {.episode = number,
         .model = learner_.model(),
         .before = standing_at(system_.observe(spec.start), spec.action_bounds.size()),
         .sigmas = 0,
         .stop_requested = stop_requested});
    SimulatedPlant plant(
        system_,
        {Vector::Zero(spec.outputs()), Vector::Zero(static_cast<Index>(spec.state.size()))},
        RandomStream(1, "plant"));
    Trajectory trajectory{Matrix(spec.outputs(), spec.horizon + 1),
                          Matrix(spec.action_bounds.size(), spec.horizon)};
    Vector observation = plant.reset(spec.start);
    trajectory.observations.col(0) = observation;
    for (int t = 0; t < spec.horizon; ++t) {
      trajectory.actions.col(t) = explorer_->act(observation, t);
      observation = plant.step(trajectory.actions.col(t));
      trajectory.observations.col(t + 1) = observation;
    }
    explorer_->learn({}, trajectory);
    learner_.learn(transitions_of(trajectory, spec.limits));
    return trajectory;
  }

 private:
  System system_;
  std::unique_ptr<Explorer> explorer_;
  Learner learner_;
};

// Within the bounds, and in no two episodes the same.
inline void expect_actions_within_bounds_and_new(FewEpisodes& run, const Box& bounds) {
  Matrix before;
  for (int episode = 1; episode <= 3; ++episode) {
    const Matrix actions = run.episode(episode).actions;
    EXPECT_GE(actions.minCoeff(), bounds.lower.minCoeff());
    EXPECT_LE(actions.maxCoeff(), bounds.upper.maxCoeff());
    EXPECT_TRUE(episode == 1 || actions != before) << "episode " << episode;
    before = actions;
  }
}

}  // namespace rhc
