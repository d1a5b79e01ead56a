// Every setting of a run, as plain values by parts. How they are written is told in
// describe/settings.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/model/fit_regression.h"
#include "rhc/plan/objectives.h"
#include "rhc/plan/planner.h"
#include "rhc/system/plant.h"

namespace rhc {

struct ControllerSettings;

// What follows where a plant fails: rest until a person goes on, or another start of it.
enum class OnFailure { stop, retry };

struct Config {
  std::string system = "pendulum";
  std::string method = "rhc-evr";
  int episodes = 20;
  std::uint64_t seed = 1;

  // A program as the plant.
  struct Plant {
    std::string command{};  // that starts it; empty: the system is simulated
    OnFailure on_failure = OnFailure::stop;
    int restarts = 3;
    double timeout = 5;
    double start_timeout = 60;
  } plant{};

  // Of a simulated plant; one entry serves all.
  struct Noise {
    std::vector<double> observation{}, process{};
  } noise{};

  struct Model {
    Sharing posterior = Sharing::evidence;
    int features = 0;         // shared by all outputs; 0: as many as the number of inputs suggests
    int output_features = 0;  // of one output; 0: half as many
    BandwidthRule bandwidth = BandwidthRule::evidence;
    int forecast_features = 0;  // 0: three times as many
    double caution = 6;
    double noise_floor = 1e-5, model_error = 1e-4;  // in standard deviations of an output
    int evidence_starts = 32;
    int refit = 1;  // every so many episodes; 0: only once
    bool redraw_features = false;
    double forgetting = 0;         // time constant, in episodes; 0: never
    bool fit_trajectories = true;  // where sensors are noisy
    bool outliers = true;          // count for less
  } model{};

  struct Plan {
    int starts = 16;
    int hops = 0;
    StartSignals signals = StartSignals::mixed;
    TimeWeights weights = TimeWeights::uniform;
    double discount = 0.97;
    bool stay_inside = true;
    double limit_margin = 0.05;
    bool learn_limits = true;  // from episodes that the plant ends early
    double first_hold = 0.1;
    int first_levels = 3;
    int replan = 0;  // every so many steps of an episode; 0: never
    int replan_starts = 4;
  } plan{};

  std::string device = "cpu";  // of the networks

  // Features that are the last layer of a network, where there are very many transitions.
  struct Network {
    int from = 0;  // transitions; 0: never
    std::vector<Index> layers = {200, 200, 200};
    int updates = 12000;
  } network{};

  struct Sac {
    std::vector<Index> hidden = {64, 64};
    double discount = 0.99;
    double target_rate = 0.005;
    double learning_rate = 3e-4;
    int buffer = 50000;
    int batch = 64;
    int updates = 1;
  } sac{};

  struct Max {
    int members = 32;
    std::vector<Index> hidden = {64, 64, 64};
    double learning_rate = 1e-3;
    int batch = 64;
    int updates = 1000;
    double variance_share = 0.1;
    int actors = 32;
    int steps = 2500;
    int warm_up = 3;
    std::vector<Index> policy_hidden = {64, 64};
    double policy_learning_rate = 1e-3;
    int policy_batch = 256;
    double temperature = 0.02;
  } max{};

  // What a model is judged by.
  struct Judge {
    bool task = true;
    int task_starts = 24;
    int task_hops = 64;
    int task_draws = 16;      // systems that it is planned for; 0: the mean of the model
    bool task_closed = true;  // also with estimation, feedback and replanning
    int task_replan = 10;     // every so many steps of that; 0: never
    int limit_hops = 320;
    int test_trajectories = 10000;
    int test_steps = 10;
    int best_achievable_transitions = 10000;
  } judge{};
};

// "default": the best we know. "paper": the settings of the paper and its code, for comparison.
// InputError for another name. Of a system that cannot be simulated neither asks for what needs a
// simulation.
std::vector<std::string> preset_names();
Config preset(std::string_view name, const SystemSpec& spec);

// Fewer could not be told from others that are held out.
constexpr int kFewestForNetwork = 1000;

// InputError where the config asks for something that this system cannot give.
void check_possible(const Config& config, const SystemSpec& spec);

// Whether each output is fitted for itself, too: of many outputs only where that is asked for.
bool fits_each_output(const Config& config, const SystemSpec& spec);

// Who shares a posterior. Of what a nominal model has wrong, each output has its own.
Sharing sharing_for(const Config& config, const SystemSpec& spec);

// The defaults for a system that is described in C++: its name, and as many features as it needs.
Config config_for_system(const SystemSpec& spec, const std::string& method = "rhc-evr",
                         std::uint64_t seed = 1);

// The numbers of features in force: shared by all outputs, and of one that has its own.
int features_for(const Config& config, const SystemSpec& spec);
int output_features_for(const Config& config, const SystemSpec& spec);
// And behind forecasts, for so many in a plan.
int forecast_features_for(const Config& config, int features);

// The config's values in the form the parts take them. `noise_levels` throws InputError where the
// lists do not fit the system.
EvidenceSettings evidence_settings(const Config& config, const System& system, int threads);
PlannerSettings task_planner_settings(const Config& config, int threads);
ControllerSettings controller_settings(const Config& config);
NoiseLevels noise_levels(const Config& config, const SystemSpec& spec);

}  // namespace rhc
