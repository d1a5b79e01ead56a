// What a controller goes by: a model with all that its fit knows, and the system it is of.
#pragma once

#include <optional>

#include "rhc/explore/learned_limits.h"
#include "rhc/model/dynamics_model.h"
#include "rhc/system/system.h"

namespace rhc::python {

struct Belief {
  DynamicsModel model;
  System system;
  bool stay_inside = true;
  std::optional<LearnedLimits> learned{};  // where the plant ended episodes
};

}  // namespace rhc::python
