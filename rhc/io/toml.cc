#include "rhc/io/toml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <vector>

#include "rhc/core/error.h"
#include "rhc/core/text.h"

namespace rhc {

toml::table parse_toml(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    if (!at) throw InputError(fmt::format("{}: {}", name, error.description()));
    throw InputError(fmt::format("{}:{}:{}: {}", name, at.line, at.column, error.description()));
  }
}

std::string plain(const toml::node& node) {
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* value = node.as_floating_point()) return exact(value->get());
  if (const auto* value = node.as_integer()) return std::to_string(value->get());
  if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
  if (const auto* array = node.as_array()) {
    std::vector<std::string> items;
    for (const toml::node& item : *array) items.push_back(plain(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }
  std::ostringstream out;
  out << toml::node_view<const toml::node>(node);
  return out.str();
}

std::string at_place(const std::string& name, const toml::node& node, const std::string& what) {
  const auto at = node.source().begin;
  return at ? fmt::format("{}:{}:{}: {}", name, at.line, at.column, what)
            : fmt::format("{}: {}", name, what);
}

}  // namespace rhc
