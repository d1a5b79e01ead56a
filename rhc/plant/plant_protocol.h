// What rhc and a plant say to each other: one JSON object a line, as docs/protocol.md explains it.
// Whatever a plant may answer is understood, or refused with an InputError that says what is wrong.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rhc/core/types.h"

namespace rhc {

inline constexpr int kPlantProtocol = 1;

std::string hello_request(int id);
std::string reset_request(int id, const Vector& start);
std::string step_request(int id, const Vector& action);
std::string close_request(int id);

// The system that the plant says it is, as the text of a system file; empty where it does not say.
std::string parse_hello(std::string_view line, int id);

// What was measured: so many finite numbers.
Vector parse_observation(std::string_view line, int id, Index size);

// Whether the same answer says {"ended": true}: the episode is over with what was measured.
bool parse_ended(std::string_view line, int id);

// Which request an answer says that it belongs to, where it says so.
std::optional<int> parse_id(std::string_view line);

// Whether it says {"error": ...}: the plant has failed.
bool says_error(std::string_view line);

// Why the plant wants an end, where one of these lines says {"stop": "why"}, whatever else they
// say: a button may be pressed at any moment. On one line, and not long.
std::optional<std::string> stop_in(std::string_view lines);

// The beginning of what a plant said, in quotes and on one line, to be shown to a person; and all
// of it, line by line. Any bytes become text.
std::string excerpt(std::string_view text);
std::string printable(std::string_view text);
std::string on_one_line(std::string_view text);

}  // namespace rhc
