// What a column of a log is likely to be, by its name and its unit.
#pragma once

#include <optional>
#include <string>

namespace rhc {

bool called_like_an_action(const std::string& name);
bool called_like_a_target(const std::string& name);
// An angle itself, not its speed.
bool called_like_an_angle(const std::string& name);

bool unit_of_an_action(const std::string& unit);

// A full turn in this unit; nothing where it is none of an angle.
std::optional<double> turn_in(const std::string& unit);

}  // namespace rhc
