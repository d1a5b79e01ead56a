// A model as a file, bit for bit.
#pragma once

#include <filesystem>
#include <string>

#include "rhc/model/regression.h"

namespace rhc {

std::string model_json(const Regression& model);

// Throws InputError that names what is missing or does not fit.
Regression read_model(const std::filesystem::path& path);

}  // namespace rhc
