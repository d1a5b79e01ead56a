// Every setting of a run: one struct, and one table that explains, reads and writes it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/model/maximize_evidence.h"
#include "rhc/system/plant.h"

namespace rhc {

struct Config {
  std::string system = "pendulum";
  std::string method = "random";
  int episodes = 20;
  std::uint64_t seed = 1;

  std::vector<double> observation_noise, process_noise;  // one entry serves all

  int features = 200;
  BandwidthRule bandwidth = BandwidthRule::evidence;
  double caution = 6;
  double noise_floor = 1e-4;
  int evidence_starts = 32;

  int test_trajectories = 10000;
  int test_steps = 10;
  int best_achievable_transitions = 10000;
};

struct Setting {
  std::string key;
  std::string unit;   // empty: none
  std::string range;  // what may be given
  std::string help;
  std::function<std::string(const Config&)> show;         // as TOML writes it
  std::function<bool(Config&, std::string_view)> assign;  // false where the text is not in range
};

// All settings, in the order in which they are shown.
const std::vector<Setting>& settings();

// Sets one from text such as a command line's "features=90". InputError for an unknown key (with
// the nearest one) or a value out of range (with the range).
void assign(Config& config, std::string_view key, std::string_view value);
void assign(Config& config, std::string_view key_and_value);

// Every value with its explanation; reading it back gives the same config.
std::string config_toml(const Config& config);
void read_config(Config& config, const std::filesystem::path& path);

// The config's values in the form the parts take them. `noise_levels` throws InputError where the
// lists do not fit the system.
EvidenceSettings evidence_settings(const Config& config, const System& system, int threads);
NoiseLevels noise_levels(const Config& config, const SystemSpec& spec);

}  // namespace rhc
