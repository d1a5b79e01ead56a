// The table of all settings: it explains, reads and writes every value of a config.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/explore/config.h"

namespace rhc {

struct Setting {
  std::string key;
  std::string unit;   // empty: none
  std::string range;  // what may be given
  std::string help;
  std::function<std::string(const Config&)> show;         // as TOML writes it
  std::function<bool(Config&, std::string_view)> assign;  // false where the text is not in range
  std::vector<std::string> words{};                       // that may be given, where these are few
};

// All settings, in the order in which they are shown.
const std::vector<Setting>& settings();

// The value as a command line takes it: without quotes and blanks.
std::string plain(const Setting& setting, const Config& config);

// Sets one from text such as a command line's "features=90". InputError for an unknown key (with
// the nearest one) or a value out of range (with the range).
void assign(Config& config, std::string_view key, std::string_view value);
void assign(Config& config, std::string_view key_and_value);

// A setting as a person gave it: `words` are what was typed, such as "--seed 1" or "seed=1".
struct GivenSetting {
  std::string words, key, value;
};
GivenSetting given_setting(std::string_view key_and_value);

// Sets all of them. InputError also where two give one setting different values.
void assign(Config& config, const std::vector<GivenSetting>& given);

}  // namespace rhc
