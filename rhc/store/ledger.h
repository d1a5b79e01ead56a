// Checksums of a run's files: what they were when they were written.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace rhc {

// By their names in the run, such as "episodes/0001.csv".
using Ledger = std::map<std::string, std::uint32_t>;

// A line a file: eight hexadecimal digits and the name.
std::string ledger_text(const Ledger& ledger);

// InputError that begins with `where`.
Ledger parse_ledger(std::string_view text, const std::string& where);

// Without the files of later episodes.
Ledger up_to_episode(int episode, Ledger ledger);

}  // namespace rhc
