// A mechanism that MuJoCo simulates: what an MJCF file describes, compiled.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rhc/core/types.h"
#include "rhc/system/shape.h"

namespace rhc {

using JointRange = std::pair<double, double>;

struct MujocoJoint {
  std::string name;
  bool hinge;  // or it slides
  std::optional<JointRange> range;
};

struct MujocoActuator {
  std::string name;
  std::optional<JointRange> range;  // of its control
  Index control;                    // its place among the controls
  Index activation;                 // and among the activations; -1: it has none
};

struct MujocoSensor {
  std::string name;
  Index first, size;  // its place among all readings
  bool of_state;      // or it depends on forces, too
};

struct MujocoKeyframe {
  std::string name;
  Vector state, controls;
};

// Internal states are the joints' positions, then their velocities, then the actuators'
// activations. Everything is a function of its arguments alone, and may be called from several
// threads.
class MujocoModel {
 public:
  virtual ~MujocoModel() = default;

  std::string mjcf;  // its whole text, with nothing included from other files
  double time_step;
  std::vector<MujocoJoint> joints;
  std::vector<MujocoActuator> actuators;
  std::vector<MujocoSensor> sensors;
  std::vector<MujocoKeyframe> keyframes;
  Index activations, controls;
  Vector rest;                // the state that the file describes
  std::vector<Shape> shapes;  // in the plane in which most of it moves

  Index states() const { return rest.size(); }

  // After so many of its own time steps; not a number where the simulation breaks down.
  virtual Vector step(const Vector& state, const Vector& control, int substeps) const = 0;
  virtual Vector readings(const Vector& state) const = 0;  // of all sensors

  // x, y and x, y of the ends of each shape that moves.
  virtual Vector pose(const Vector& positions) const = 0;
};

// Whether this rhc was built with MuJoCo.
bool has_mujoco();

// The version of MuJoCo that it was built with; empty where it was built without.
std::string mujoco_version();

// InputError that says what to do where MuJoCo cannot be opened.
void check_mujoco();

// InputError in MuJoCo's words where the model is wrong, or where rhc was built without MuJoCo.
std::shared_ptr<const MujocoModel> read_mjcf(const std::filesystem::path& file);
std::shared_ptr<const MujocoModel> parse_mjcf(const std::string& text, const std::string& name);

}  // namespace rhc
