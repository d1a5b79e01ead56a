#include "rhc/run/noise_words.h"

#include <fmt/format.h>

#include <cmath>

namespace rhc {

namespace {

// Named as system_file.cc names them; nothing where the description has no angle of its own.
std::string angle_that_begins_at(Index output, const SystemSpec& spec) {
  const std::string& name = spec.observation[static_cast<std::size_t>(output)].name;
  for (const AnglePair& angle : spec.angles)
    if (angle.cosine == output && angle.sine == output + 1 && name.starts_with("cos_"))
      return name.substr(4);
  return "";
}

}  // namespace

std::optional<NoiseSplit> noise_of(const RunRecord& run) {
  if (!run.checkpoint || !run.checkpoint->has("learner/sensor_noise")) return std::nullopt;
  return NoiseSplit{run.checkpoint->vector("learner/sensor_noise", run.spec.outputs()),
                    run.checkpoint->vector("learner/process_noise", run.spec.outputs())};
}

std::string noise_in_words(const NoiseSplit& noise, const SystemSpec& spec) {
  std::string text;
  for (Index i = 0; i < spec.outputs(); ++i) {
    const Quantity& quantity = spec.observation[static_cast<std::size_t>(i)];
    std::string name = quantity.name, unit = quantity.unit;
    double sensor = noise.sensor[i], process = noise.process[i];
    // What an angle is off moves its point on the circle by as much.
    if (const std::string angle = angle_that_begins_at(i, spec); !angle.empty()) {
      name = angle;
      unit = "rad";
      ++i;
      sensor = std::hypot(sensor, noise.sensor[i]);
      process = std::hypot(process, noise.process[i]);
    }
    if (!unit.empty()) unit = " " + unit;
    text += fmt::format("{}{} {:.2g}{} measured, {:.2g}{} a step in motion",
                        text.empty() ? "" : "; ", name, sensor, unit, process, unit);
  }
  return text;
}

}  // namespace rhc
