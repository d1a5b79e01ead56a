#include "rhc/describe/named_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "rhc/core/error.h"
#include "rhc/format/toml.h"

namespace rhc {

namespace {

// A line and a column, both counted from 1, in bytes. Columns are counted in characters.
std::size_t offset_of(std::string_view text, toml::source_position place) {
  std::size_t at = 0;
  for (auto line = place.line; line > 1; --line) at = text.find('\n', at) + 1;
  for (auto column = place.column; column > 1; --column) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  }
  return at;
}

// As a string of many lines in TOML.
std::string toml_lines(const std::string& text) {
  if (text.find("'''") == std::string::npos) return "'''\n" + text + "'''";
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return "\"\"\"\n" + escaped + "\"\"\"";
}

struct Replacement {
  std::size_t begin, end;
  std::string by;
  const toml::node* value;
};

}  // namespace

std::string standing_alone(std::string_view toml, const std::string& name,
                           const std::vector<NamedFile>& files) {
  std::vector<Replacement> all;
  for (const NamedFile& file : files)
    for (const auto& [key, value] : file.table)
      if (key.str() == file.key)
        all.push_back({offset_of(toml, key.source().begin), offset_of(toml, value.source().end),
                       fmt::format("{} = {}", file.held_by, toml_lines(file.text)), &value});
  // From the end on, so that places before keep their meaning.
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.begin > b.begin; });
  std::string text(toml);
  for (const Replacement& one : all) {
    text.replace(one.begin, one.end - one.begin, one.by);
    // Such as a model in another encoding than TOML's.
    try {
      parse_toml(text, name);
    } catch (const InputError& error) {
      throw InputError(
          at_place(name, *one.value,
                   fmt::format("the model cannot be kept with the run: {}", error.what())));
    }
  }
  return text;
}

}  // namespace rhc
