#include "rhc/format/toml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
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

TomlReader::TomlReader(const toml::table& table, std::string file, std::string what)
    : table_(table), file_(std::move(file)), what_(std::move(what)) {}

const toml::node* TomlReader::get(std::string_view key) {
  known_.emplace(key);
  return table_.get(key);
}

void TomlReader::missing(std::string_view key) const {
  throw InputError(at_place(file_, table_, fmt::format("{} needs '{}'", what_, key)));
}

void TomlReader::fail(std::string_view key, const std::string& what) const {
  const toml::node* node = table_.get(key);
  throw InputError(at_place(file_, node ? *node : table_, what));
}

std::optional<std::string> TomlReader::text(std::string_view key) {
  const toml::node* node = get(key);
  if (!node) return std::nullopt;
  if (!node->is_string()) fail(key, fmt::format("'{}' must be text in quotes", key));
  return node->as_string()->get();
}

std::optional<double> TomlReader::number(std::string_view key) {
  const toml::node* node = get(key);
  if (!node) return std::nullopt;
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (!value || std::isnan(*value)) fail(key, fmt::format("'{}' must be a number", key));
  return value;
}

std::optional<long long> TomlReader::integer(std::string_view key, long long least,
                                             long long most) {
  const toml::node* node = get(key);
  if (!node) return std::nullopt;
  const auto* value = node->as_integer();
  if (!value || value->get() < least || value->get() > most)
    fail(key, fmt::format("'{}' must be a whole number from {} to {}", key, least, most));
  return value->get();
}

std::optional<bool> TomlReader::flag(std::string_view key) {
  const toml::node* node = get(key);
  if (!node) return std::nullopt;
  if (!node->is_boolean()) fail(key, fmt::format("'{}' must be true or false", key));
  return node->as_boolean()->get();
}

std::vector<double> TomlReader::numbers(std::string_view key) {
  const toml::node* node = get(key);
  std::vector<double> values;
  if (!node) return values;
  const toml::array* array = node->as_array();
  if (!array) fail(key, fmt::format("'{}' must be a list of numbers", key));
  for (const toml::node& item : *array) {
    const auto value = item.is_number() ? item.value<double>() : std::nullopt;
    if (!value || std::isnan(*value)) fail(key, fmt::format("'{}' must hold numbers only", key));
    values.push_back(*value);
  }
  return values;
}

std::optional<std::pair<double, double>> TomlReader::interval(std::string_view key) {
  if (!get(key)) return std::nullopt;
  const std::vector<double> ends = numbers(key);
  if (ends.size() != 2 || !(ends[0] < ends[1]))
    fail(key, fmt::format("'{}' must be two numbers, [lower, upper], the lower one first", key));
  return std::pair{ends[0], ends[1]};
}

const toml::table* TomlReader::table(std::string_view key) {
  const toml::node* node = get(key);
  if (!node) return nullptr;
  if (!node->is_table())
    fail(key, fmt::format("'{}' must be a table (written [{}] in TOML)", key, key));
  return node->as_table();
}

std::vector<const toml::table*> TomlReader::tables(std::string_view key) {
  const toml::node* node = get(key);
  std::vector<const toml::table*> found;
  if (!node) return found;
  const toml::array* array = node->as_array();
  if (!array || array->empty())
    fail(key, fmt::format("'{}' must be a list of tables (each written [[{}]] in TOML)", key, key));
  for (const toml::node& item : *array) {
    if (!item.is_table()) fail(key, fmt::format("'{}' must be a list of tables", key));
    found.push_back(item.as_table());
  }
  return found;
}

void TomlReader::only(const std::vector<std::string>& keys) const {
  for (const auto& [key, node] : table_)
    if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
      throw InputError(at_place(file_, node, unknown_name("key of " + what_, key.str(), keys)));
}

void TomlReader::finish() const { only({known_.begin(), known_.end()}); }

}  // namespace rhc
