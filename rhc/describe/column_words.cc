#include "rhc/describe/column_words.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <numbers>
#include <string_view>
#include <vector>

#include "rhc/describe/units.h"

namespace rhc {

namespace {

// The letters of a name by words: "field.Tau_1" is "field" and "tau".
std::vector<std::string> letters_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalpha(letter))
      words.back() += static_cast<char>(std::tolower(letter));
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

bool has_word(const std::string& name, std::initializer_list<std::string_view> known) {
  for (const std::string& word : letters_of(name))
    if (std::find(known.begin(), known.end(), word) != known.end()) return true;
  return false;
}

}  // namespace

bool called_like_an_action(const std::string& name) {
  return has_word(
      name, {"torque",  "tau",     "force", "u",        "input", "command",  "cmd",     "current",
             "voltage", "volt",    "volts", "pwm",      "duty",  "throttle", "thrust",  "effort",
             "action",  "control", "ctrl",  "actuator", "valve", "heater",   "steering"});
}

bool called_like_a_target(const std::string& name) {
  return has_word(name, {"ref", "reference", "target", "setpoint", "desired", "des", "goal"});
}

bool called_like_an_angle(const std::string& name) {
  return has_word(name, {"angle", "theta", "phi", "psi", "alpha", "yaw", "heading", "roll", "pitch",
                         "q", "rotation"}) &&
         !has_word(name, {"rate", "vel", "velocity", "speed", "dot"});
}

bool unit_of_an_action(const std::string& unit) {
  for (const char* of : {"N", "N m", "A", "V"})
    if (unit_ratio(unit, of)) return true;
  return unit == "%" || unit == "PWM" || unit == "pwm";
}

std::optional<double> turn_in(const std::string& unit) {
  const auto radians = unit_ratio(unit, "rad");
  if (!radians || unit.empty()) return std::nullopt;
  return 2 * std::numbers::pi / *radians;
}

}  // namespace rhc
