// The methods that learn with networks: in a module of their own, for LibTorch takes longer to load
// than most commands to run.
#pragma once

#include <cstdint>
#include <memory>

#include "rhc/explore/explorer.h"

namespace rhc {

// sac-pe, sac-ig or max. InputError that says how to get it where the module is not there.
std::unique_ptr<Explorer> make_neural_explorer(const Config& config, const System& system);

// What the module exports: a factory, and a stamp that tells whether it was built with this
// program, whose types it is handed.
using NeuralFactory = Explorer* (*)(const Config& config, const System& system);
using NeuralStamp = std::uint64_t (*)();
inline constexpr const char* kNeuralFactory = "rhc_make_neural_explorer";
inline constexpr const char* kNeuralStamp = "rhc_neural_stamp";
inline constexpr const char* kNeuralModule = "rhc-neural.so";

constexpr std::uint64_t neural_stamp() {
  std::uint64_t stamp = 0;
  for (const std::size_t size : {sizeof(Config), sizeof(SystemSpec), sizeof(Explorer),
                                 sizeof(BayesianLinearModel), sizeof(Trajectory), sizeof(Archive)})
    stamp = stamp * 1000003 + size;
  return stamp;
}

}  // namespace rhc
