#include "rhc/store/ledger.h"

#include <fmt/format.h>

#include <filesystem>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/format/crc32.h"

namespace rhc {

std::string ledger_text(const Ledger& ledger) {
  std::string text;
  for (const auto& [name, sum] : ledger) text += checksum_text(sum) + " " + name + "\n";
  return text;
}

Ledger parse_ledger(std::string_view text, const std::string& where) {
  Ledger ledger;
  for (const std::string_view line : split(trim(text), '\n')) {
    if (line.empty()) continue;
    const auto blank = line.find(' ');
    const auto sum = parse_checksum(line.substr(0, blank));
    if (!sum || blank == std::string_view::npos || blank + 1 == line.size())
      throw InputError(fmt::format("{}: '{}' is not a checksum and a name", where, line));
    ledger[std::string(line.substr(blank + 1))] = *sum;
  }
  return ledger;
}

Ledger up_to_episode(int episode, Ledger ledger) {
  std::erase_if(ledger, [&](const auto& file) {
    return parse_integer(std::filesystem::path(file.first).stem().string()).value_or(0) > episode;
  });
  return ledger;
}

}  // namespace rhc
