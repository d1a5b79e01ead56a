// Sweeps that are done in the test itself.
#pragma once

#include "rhc/study/work.h"
#include "tests/tiny_sweep.h"

namespace rhc {

inline std::string two_runs() {
  return tiny_sweep("system = \"mountain-car\"\nmethod = \"random\"\nseed = \"1-2\"\n");
}

inline Sweep begun(const std::filesystem::path& path, const std::string& toml = two_runs()) {
  return begin_sweep(path, toml, "s.toml");
}

inline WorkResult work(const Sweep& sweep, std::size_t run, const WorkSettings& settings = {}) {
  Yardsticks yardsticks(sweep.yardsticks());
  return work_on(sweep, sweep.plan.runs[run], yardsticks, settings);
}

// Does a run until so many episodes are done, and stops there.
inline WorkResult work_until(const Sweep& sweep, std::size_t run, int episodes) {
  int done = -1;
  WorkSettings settings;
  settings.on_episode = [&](int episode) { done = episode; };
  settings.stop_requested = [&] { return done >= episodes; };
  return work(sweep, run, settings);
}

// Changes one value in a JSON file.
inline void edit_json(const std::filesystem::path& file, const std::string& key,
                      const Json& value) {
  Json json = Json::parse(slurp(file));
  json[key] = value;
  json.erase("checksum");  // as 0.1 wrote it
  std::ofstream(file) << json.dump(2) << "\n";
}

}  // namespace rhc
