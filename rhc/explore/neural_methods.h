// The methods that learn with networks: in a module of their own, for LibTorch takes longer to load
// than most commands to run.
#pragma once

#include <memory>
#include <string>

#include "rhc/explore/explorer.h"

namespace rhc {

// sac-pe, sac-ig or max. InputError that says how to get it where the module is not there.
std::unique_ptr<Explorer> make_neural_explorer(const Config& config, const System& system);

// What the module exports: a factory, and a stamp that tells whether it was built with this
// program, whose types it is handed.
using NeuralFactory = Explorer* (*)(const Config& config, const System& system);
using NeuralStamp = const char* (*)();
inline constexpr const char* kNeuralFactory = "rhc_make_neural_explorer";
inline constexpr const char* kNeuralStamp = "rhc_neural_build";
inline constexpr const char* kNeuralModule = "rhc-neural.so";

// Version, commit and the sizes of the types that are handed over.
std::string neural_stamp();

}  // namespace rhc
