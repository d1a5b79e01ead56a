// The methods that learn with networks: in a module of their own, for LibTorch takes longer to load
// than most commands to run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rhc/explore/explorer.h"
#include "rhc/model/fourier_features.h"

namespace rhc {

// sac-pe, sac-ig or max. InputError that says how to get it where the module is not there.
std::unique_ptr<Explorer> make_neural_explorer(const Config& config, const System& system);

// What a network learns, whose last layer are features. Transitions that are held out
// (model/fit_head.h) end it early.
struct NetworkLesson {
  const Transitions& data;
  std::vector<Index> layers;      // widths, that of the features last
  int updates;                    // of the parameters, a third as many where it goes on
  const FourierFeatures* before;  // of a network to go on from; null: none
  std::string device;
  std::uint64_t seed, number;  // of the run, and of the lesson in it
  std::function<bool()> stop_requested{};
};

// Layers of sines, with an affine part beside the last. InputError where the module is not there,
// LearningError where nothing can be learned, Interrupted where that was asked for.
FourierFeatures train_network(const NetworkLesson& lesson);

// Whether a module lies where it is looked for.
bool has_neural_module();

// InputError where it is not there, or cannot be used with this program.
void check_neural_module();

// InputError where these settings need `train_network`, and the module is not there.
void check_network(const Config& config);

// What the module exports: a factory, a trainer, and a stamp that tells whether it was built with
// this program, whose types it is handed.
using NeuralFactory = Explorer* (*)(const Config& config, const System& system);
using NeuralStamp = const char* (*)();
using NetworkTrainer = void (*)(const NetworkLesson& lesson, FourierFeatures& trained);
inline constexpr const char* kNeuralFactory = "rhc_make_neural_explorer";
inline constexpr const char* kNetworkTrainer = "rhc_train_network";
inline constexpr const char* kNeuralStamp = "rhc_neural_build";
inline constexpr const char* kNeuralModule = "rhc-neural.so";

// Version, commit and the sizes of the types that are handed over.
std::string neural_stamp();

}  // namespace rhc
