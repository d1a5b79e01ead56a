// Numbers and names as people write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rhc {

// The whole text as a number, in the C locale; nothing where it is not one. "nan" and "inf" parse.
std::optional<double> parse_number(std::string_view text);
std::optional<long long> parse_integer(std::string_view text);

// The shortest decimal that reads back to the same bits.
std::string exact(double value);

std::string_view trim(std::string_view text);
// Line ends, escapes and their like; a tab is one, too.
bool has_control_characters(std::string_view text);
// Control characters as they are written in a string of C: "a\n".
std::string visible(std::string_view text);

std::vector<std::string_view> split(std::string_view text, char separator);

// "; did you mean 'NEAREST'?" where one of these names is near.
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

// "unknown KIND 'NAME'; did you mean 'NEAREST'? (known: A, B, C)", or where many are known the
// three nearest: "(nearest: A, B, C; 47 others)".
std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& known);

}  // namespace rhc
