// A system that a TOML file describes: what is measured, what can be done, and within which bounds.
// With a table [mujoco] it is simulated (mujoco_reader.h), otherwise it is a real one.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/system/system.h"

namespace rhc {

// A quantity as it is measured. An angle is turned into its cosine and sine.
struct Measure {
  Quantity quantity;
  bool angle = false;
  double radians = 1;  // in one unit of an angle
};

// Nothing but a description: internal states are what is measured, and only the real one moves.
struct DescribedSystem {
  SystemSpec description;
  std::vector<Measure> measures;

  const SystemSpec& spec() const { return description; }
  Vector observe(const Vector& measured) const;
  [[noreturn]] Vector step(const Vector& state, const Vector& action) const;
};

struct SystemFile {
  std::string text;  // of the file, with which a run is kept; a model that it names is in it
  std::vector<Measure> measures;  // one for each internal state of a described system
  System system;
};

// InputError with file, line and column for whatever is missing, unknown or contradicts itself.
SystemFile read_system_file(const std::filesystem::path& file);

// `name` is what errors call it, `folder` where the files lie that it refers to.
SystemFile parse_system(std::string_view toml, const std::string& name,
                        const std::filesystem::path& folder);

// Whether these words name a file rather than a bundled system.
bool names_a_file(std::string_view name);

// A bundled system by its name, or one by its TOML file.
System open_system(const std::string& name_or_file);

}  // namespace rhc
