#include "rhc/store/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "rhc/core/error.h"
#include "rhc/core/text.h"

namespace rhc {

std::string ledger_text(const Ledger& ledger) {
  std::string text;
  for (const auto& [name, sum] : ledger) text += fmt::format("{:08x} {}\n", sum, name);
  return text;
}

Ledger parse_ledger(std::string_view text, const std::string& where) {
  constexpr std::size_t kDigits = 8;
  Ledger ledger;
  for (const std::string_view line : split(trim(text), '\n')) {
    if (line.empty()) continue;
    std::uint32_t sum = 0;
    const auto end =
        std::from_chars(line.data(), line.data() + std::min(line.size(), kDigits), sum, 16).ptr;
    if (line.size() < kDigits + 2 || end != line.data() + kDigits || line[kDigits] != ' ')
      throw InputError(fmt::format("{}: '{}' is not a checksum and a name", where, line));
    ledger[std::string(line.substr(kDigits + 1))] = sum;
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
