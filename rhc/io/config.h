// Every setting of a run: one struct, and one table that explains, reads and writes it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/model/maximize_evidence.h"
#include "rhc/plan/objectives.h"
#include "rhc/plan/planner.h"
#include "rhc/system/plant.h"

namespace rhc {

struct Config {
  std::string system = "pendulum";
  std::string method = "rhc-evr";
  int episodes = 20;
  std::uint64_t seed = 1;

  std::string command;  // that starts the plant; empty: the system is simulated
  int plant_restarts = 3;
  double plant_timeout = 5;
  double plant_start_timeout = 60;

  std::vector<double> observation_noise, process_noise;  // one entry serves all

  int features = 0;  // 0: as many as the number of inputs suggests
  BandwidthRule bandwidth = BandwidthRule::evidence;
  double caution = 6;
  double noise_floor = 1e-4;
  int evidence_starts = 32;
  int refit = 1;  // every so many episodes; 0: only once
  bool redraw_features = false;

  int plan_starts = 16;
  int plan_hops = 0;
  StartSignals plan_signals = StartSignals::mixed;
  TimeWeights weights = TimeWeights::uniform;
  double discount = 0.97;
  bool stay_inside = true;
  double limit_margin = 0.05;
  double first_hold = 0.1;

  std::string device = "cpu";
  std::vector<Index> sac_hidden = {64, 64};
  double sac_discount = 0.99;
  double sac_target_rate = 0.005;
  double sac_learning_rate = 3e-4;
  int sac_buffer = 50000;
  int sac_batch = 64;
  int sac_updates = 1;

  int max_members = 32;
  std::vector<Index> max_hidden = {64, 64, 64};
  double max_learning_rate = 1e-3;
  int max_batch = 64;
  int max_updates = 1000;
  double max_variance_share = 0.1;
  int max_actors = 32;
  int max_steps = 2500;
  int max_warm_up = 3;
  std::vector<Index> max_policy_hidden = {64, 64};
  double max_policy_learning_rate = 1e-3;
  int max_policy_batch = 256;
  double max_temperature = 0.02;

  bool task = true;
  int task_starts = 24;
  int task_hops = 64;
  int limit_hops = 320;
  int test_trajectories = 10000;
  int test_steps = 10;
  int best_achievable_transitions = 10000;
};

// "default": the best we know. "paper": the settings of the paper and its code, for comparison.
// InputError for another name. Of a system that cannot be simulated neither asks for what needs a
// simulation.
std::vector<std::string> preset_names();
Config preset(std::string_view name, const SystemSpec& spec);

// InputError where the config asks for something that this system cannot give.
void check_possible(const Config& config, const SystemSpec& spec);

// The number of features in force.
int features_for(const Config& config, const SystemSpec& spec);

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

// The value as a command line takes it: without quotes and blanks.
std::string plain(const Setting& setting, const Config& config);

// Sets one from text such as a command line's "features=90". InputError for an unknown key (with
// the nearest one) or a value out of range (with the range).
void assign(Config& config, std::string_view key, std::string_view value);
void assign(Config& config, std::string_view key_and_value);

// Every value with its explanation; reading it back gives the same config.
std::string config_toml(const Config& config);
void read_config(Config& config, const std::filesystem::path& path);
void read_config(Config& config, std::string_view toml, const std::string& name);

// The config's values in the form the parts take them. `noise_levels` throws InputError where the
// lists do not fit the system.
EvidenceSettings evidence_settings(const Config& config, const System& system, int threads);
PlannerSettings task_planner_settings(const Config& config, int threads);
NoiseLevels noise_levels(const Config& config, const SystemSpec& spec);

}  // namespace rhc
