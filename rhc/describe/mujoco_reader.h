// The part of a system's file that names what is in a MuJoCo model.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rhc/describe/named_file.h"
#include "rhc/format/toml.h"
#include "rhc/system/mujoco_system.h"

namespace rhc {

class MujocoReader {
 public:
  // The table [mujoco]. `folder`: where the model lies that it names.
  MujocoReader(const toml::table& table, const std::string& file,
               const std::filesystem::path& folder);

  double time_step() const { return system_.substeps * model_->time_step; }

  // What an [[observation]] is of, where that starts, and among which values it is of interest.
  void read_observation(TomlReader& entry, const std::string& name, bool angle);

  // All of them at the start, angles as they are.
  Vector measured_start() const { return system_.measure(start_); }

  // The actuator of an [[action]]. Returns the range of its control.
  std::optional<JointRange> read_action(TomlReader& entry);

  // After all were read: fills in states, start and region.
  MujocoSystem finish(SystemSpec spec) const;

  // The model, where the table names it.
  std::vector<NamedFile> named_files() const;

 private:
  Index joint(TomlReader& entry, const std::string& key, const std::string& name) const;
  void read_sensor(TomlReader& entry, const std::string& name, bool angle);

  const toml::table& table_;
  std::string file_;
  std::shared_ptr<const MujocoModel> model_;
  Vector start_;
  Box region_;
  MujocoSystem system_;
};

}  // namespace rhc
