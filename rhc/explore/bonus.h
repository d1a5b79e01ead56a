// What a transition is worth to one who is curious about the model.
#pragma once

#include "rhc/model/regression.h"

namespace rhc {

enum class Bonus { prediction_error, information_gain };

// Of the transitions of one episode, in their order.
class BonusMeter {
 public:
  BonusMeter(Bonus kind, const Regression& before_the_episode)
      : kind_(kind), belief_(before_the_episode) {}

  // The squared error of the model as it was before the episode; or by how many nats the entropy
  // of the parameters falls below what the episode's earlier transitions left of it.
  double worth(const Vector& observation, const Vector& action, const Vector& next);

 private:
  Bonus kind_;
  Regression belief_;
};

}  // namespace rhc
