#include "rhc/core/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace rhc {

namespace {

template <class T>
std::optional<T> parse(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// How many letters must be changed, inserted or left out to turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<double> parse_number(std::string_view text) { return parse<double>(text); }
std::optional<long long> parse_integer(std::string_view text) { return parse<long long>(text); }

std::string exact(double value) { return fmt::format("{}", value); }

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 32 || c == 127; });
}

std::string visible(std::string_view text) {
  std::string shown;
  for (const char c : text)
    shown += c == '\n'                         ? "\\n"
             : c == '\r'                       ? "\\r"
             : c == '\t'                       ? "\\t"
             : has_control_characters({&c, 1}) ? fmt::format("\\x{:02x}", c)
                                               : std::string(1, c);
  return shown;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  const auto nearest = std::min_element(known.begin(), known.end(), [&](auto& a, auto& b) {
    return edit_distance(name, a) < edit_distance(name, b);
  });
  // It helps only where most of the word was right.
  if (nearest == known.end() ||
      edit_distance(name, *nearest) > std::max<std::size_t>(2, name.size() / 2))
    return "";
  return fmt::format("; did you mean '{}'?", *nearest);
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& known) {
  constexpr std::size_t kFew = 8, kNearest = 3;
  const std::string beginning =
      fmt::format("unknown {} '{}'{}", kind, name, suggestion(name, known));
  if (known.size() <= kFew) return fmt::format("{} (known: {})", beginning, fmt::join(known, ", "));
  std::vector<std::string> nearest = known;
  // Whoever types a part of a name means that name.
  const auto distance = [&](const std::string& other) {
    return other.find(name) != std::string::npos ? 1 : edit_distance(name, other);
  };
  std::stable_sort(nearest.begin(), nearest.end(),
                   [&](auto& a, auto& b) { return distance(a) < distance(b); });
  nearest.resize(kNearest);
  return fmt::format("{} (nearest: {}; {} others)", beginning, fmt::join(nearest, ", "),
                     known.size() - kNearest);
}

}  // namespace rhc
