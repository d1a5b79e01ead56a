#include "rhc/describe/mujoco_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "rhc/core/error.h"
#include "rhc/core/text.h"

namespace rhc {

namespace {

// The place of the part of that name, or an error that suggests the nearest.
template <class Part>
std::size_t find(const std::vector<Part>& parts, const std::string& name, const char* kind,
                 const TomlReader& entry, const std::string& key) {
  std::vector<std::string> names;
  for (const Part& part : parts) names.push_back(part.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) entry.fail(key, unknown_name(kind, name, names));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

MujocoReader::MujocoReader(const toml::table& table, const std::string& file,
                           const std::filesystem::path& folder)
    : table_(table), file_(file) {
  TomlReader entry(table, file, "[mujoco]");
  entry.only({"model", "xml", "substeps", "keyframe"});
  const auto model = entry.text("model"), xml = entry.text("xml");
  if (model && xml) entry.fail("xml", "'model' names a file and 'xml' holds one: give one of them");
  if (!model && !xml) entry.missing("model");
  try {
    model_ = model ? read_mjcf(folder / *model) : parse_mjcf(*xml, "the model in 'xml'");
  } catch (const InputError& error) {
    entry.fail(model ? "model" : "xml", error.what());
  }
  system_.model = model_;
  system_.substeps = static_cast<int>(entry.integer("substeps", 1, 100000).value_or(1));
  start_ = model_->rest;
  system_.resting = Vector::Zero(model_->controls);
  if (const auto name = entry.text("keyframe")) {
    const MujocoKeyframe& key =
        model_->keyframes[find(model_->keyframes, *name, "keyframe", entry, "keyframe")];
    start_ = key.state;
    system_.resting = key.controls;
  }
  region_ = {start_, start_};
  entry.finish();
}

Index MujocoReader::joint(TomlReader& entry, const std::string& key,
                          const std::string& name) const {
  return static_cast<Index>(find(model_->joints, name, "joint", entry, key));
}

void MujocoReader::read_observation(TomlReader& entry, const std::string& name, bool angle) {
  const auto position = entry.text("joint"), velocity = entry.text("velocity_of"),
             activation = entry.text("activation_of"), sensor = entry.text("sensor");
  if (position.has_value() + velocity.has_value() + activation.has_value() + sensor.has_value() !=
      1)
    entry.fail("name",
               fmt::format("'{}' needs one of joint = \"...\", velocity_of = \"...\" (a joint), "
                           "activation_of = \"...\" (an actuator) and sensor = \"...\"",
                           name));
  if (sensor) return read_sensor(entry, *sensor, angle);

  Index at = 0;
  std::optional<JointRange> own;
  if (position) {
    at = joint(entry, "joint", *position);
    const MujocoJoint& found = model_->joints[static_cast<std::size_t>(at)];
    if (angle && !found.hinge) entry.fail("angle", fmt::format("joint '{}' slides", found.name));
    own = angle ? JointRange(-std::numbers::pi, std::numbers::pi) : found.range;
  } else if (angle) {
    entry.fail("angle", "only a joint's position or a sensor can be an angle");
  } else if (velocity) {
    at = static_cast<Index>(model_->joints.size()) + joint(entry, "velocity_of", *velocity);
  } else {
    const auto found = find(model_->actuators, *activation, "actuator", entry, "activation_of");
    const Index first = model_->actuators[found].activation;
    if (first < 0)
      entry.fail("activation_of", fmt::format("actuator '{}' has no activation", *activation));
    at = 2 * static_cast<Index>(model_->joints.size()) + first;
  }
  if (const auto value = entry.number("start")) {
    if (!std::isfinite(*value)) entry.fail("start", "'start' must be finite");
    start_[at] = *value;
  }
  auto interest = entry.interval("range");
  const bool given = interest.has_value();
  if (!interest) interest = entry.interval("limits");
  if (!interest) interest = own;
  if (!interest || !std::isfinite(interest->first) || !std::isfinite(interest->second))
    entry.fail(given ? "range" : "limits",
               fmt::format("'{}' needs a finite 'range', [lower, upper]: the values among which "
                           "its motion is to be learned",
                           name));
  region_.lower[at] = interest->first;
  region_.upper[at] = interest->second;
  system_.readings.push_back({false, at, angle});
}

void MujocoReader::read_sensor(TomlReader& entry, const std::string& name, bool angle) {
  const MujocoSensor& sensor =
      model_->sensors[find(model_->sensors, name, "sensor", entry, "sensor")];
  if (!sensor.of_state)
    entry.fail("sensor",
               fmt::format("sensor '{}' measures forces or accelerations, which depend on the "
                           "action, too: only what depends on the state can be observed",
                           name));
  for (const char* key : {"start", "range"})
    if (entry.has(key))
      entry.fail(key, fmt::format("'{}' belongs to joints, velocities and activations: a sensor's "
                                  "value follows from them",
                                  key));
  const auto component = entry.integer("component", 0, sensor.size - 1);
  if (!component && sensor.size > 1)
    entry.fail("sensor",
               fmt::format("sensor '{}' has {} values: say which by 'component = 0' to {}", name,
                           sensor.size, sensor.size - 1));
  system_.readings.push_back(
      {true, sensor.first + static_cast<Index>(component.value_or(0)), angle});
}

std::optional<JointRange> MujocoReader::read_action(TomlReader& entry) {
  const std::string name = entry.required("actuator", entry.text("actuator"));
  const MujocoActuator& actuator =
      model_->actuators[find(model_->actuators, name, "actuator", entry, "actuator")];
  for (const Index other : system_.controls)
    if (other == actuator.control)
      entry.fail("actuator", fmt::format("actuator '{}' is moved by two actions", name));
  system_.controls.push_back(actuator.control);
  return actuator.range;
}

MujocoSystem MujocoReader::finish(SystemSpec spec) const {
  MujocoSystem system = system_;
  spec.simulated = true;
  spec.state.clear();
  for (const MujocoJoint& j : model_->joints) spec.state.push_back({j.name, j.hinge ? "rad" : "m"});
  for (const MujocoJoint& j : model_->joints)
    spec.state.push_back({j.name + "dot", j.hinge ? "rad/s" : "m/s"});
  for (Index i = 0; i < model_->activations; ++i)
    spec.state.push_back({fmt::format("activation{}", i), ""});
  spec.start = start_;
  spec.region = region_;
  system.description = std::move(spec);
  return system;
}

std::vector<NamedFile> MujocoReader::named_files() const {
  if (!table_.contains("model")) return {};
  return {{table_, "model", "xml", model_->mjcf}};
}

}  // namespace rhc
