// A planning problem on its own: model, bounds, start and horizon in one JSON file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rhc/plan/planning_model.h"

namespace rhc {

struct ProblemFile {
  std::string name;
  PlanningModel model;
  Vector start;
  Box action_bounds, state_bounds;
  Index horizon;
  double beta = 1;  // noise precision: the file's variances times beta are relative to the noise
  std::optional<TaskCost> task;
};

// Refuses wrong shapes, numbers that are not finite, an indefinite precision, empty bounds and a
// start outside of them with an InputError that says what is wrong where.
ProblemFile read_problem(const std::filesystem::path& path);

// The problem that a model poses. The numbers are the model's own: bandwidths, precision relative
// to the noise, weights in the units of the observations.
std::string problem_json(const SystemSpec& spec, const DynamicsModel& model, const Vector& start,
                         const Box& state_bounds);

}  // namespace rhc
