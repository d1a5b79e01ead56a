// Observation noise of about 1 % of what each bundled system's observations range over.
#pragma once

#include <string>
#include <vector>

namespace rhc::bench {

// By observation; none for other systems.
inline std::vector<double> usual_noise(const std::string& system) {
  if (system == "pendulum") return {0.01, 0.01, 0.05};
  if (system == "cartpole") return {0.005, 0.01, 0.01, 0.02, 0.05};
  if (system == "mountain-car") return {0.01, 0.001};
  return {};
}

}  // namespace rhc::bench
