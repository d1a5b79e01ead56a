// A model as a file, bit for bit.
#pragma once

#include <filesystem>
#include <string>

#include "rhc/model/bayesian_linear_model.h"

namespace rhc {

std::string model_json(const BayesianLinearModel& model);

// Throws InputError that names what is missing or does not fit.
BayesianLinearModel read_model(const std::filesystem::path& path);

}  // namespace rhc
