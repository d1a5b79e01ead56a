// A config as a TOML file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "rhc/explore/config.h"

namespace rhc {

// Every value with its explanation; reading it back gives the same config.
std::string config_toml(const Config& config);
void read_config(Config& config, const std::filesystem::path& path);
void read_config(Config& config, std::string_view toml, const std::string& name);

// What a stored file without the newer settings means: those of rhc 0.1, which has no others.
Config settings_of_0_1();
Config with_newer_settings_of_0_1(Config config);

}  // namespace rhc
