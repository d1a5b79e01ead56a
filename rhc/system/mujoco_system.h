// A MuJoCo model as a system: what of it is measured, and which of its actuators are moved.
#pragma once

#include <memory>
#include <vector>

#include "rhc/system/mujoco_model.h"
#include "rhc/system/spec.h"

namespace rhc {

struct MujocoReading {
  bool of_sensor;  // or an internal state
  Index at;        // among the sensors' readings, or the states
  bool angle;      // observed as its cosine and sine
};

struct MujocoSystem {
  std::shared_ptr<const MujocoModel> model;
  SystemSpec description;
  std::vector<MujocoReading> readings;
  std::vector<Index> controls;  // the place of each action among the model's controls
  Vector resting;               // all controls; those of no action stay so
  int substeps = 1;             // of the model, in a time step

  const SystemSpec& spec() const { return description; }
  Vector step(const Vector& state, const Vector& action) const;
  Vector observe(const Vector& state) const;

  // What the observations are made of, angles as they are.
  Vector measure(const Vector& state) const;

  // None where a joint is not observed: nobody knows where it is then.
  std::vector<Shape> shapes() const;
  Vector pose(const Vector& observation) const;

 private:
  // The place of a joint's position among the observations; -1: nowhere.
  Index observed(Index joint) const;
};

}  // namespace rhc
