// TOML files, with errors that say where.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rhc {

// InputError with `name`, line and column where the text is no TOML.
toml::table parse_toml(std::string_view text, const std::string& name);

// A value in the words of the command line.
std::string plain(const toml::node& node);

// "NAME:LINE:COLUMN: what"
std::string at_place(const std::string& name, const toml::node& node, const std::string& what);

// A table that is read key by key. Whatever is missing, of the wrong kind or left over is an
// InputError with file, line and column.
class TomlReader {
 public:
  // `what`: such as "a system", for errors.
  TomlReader(const toml::table& table, std::string file, std::string what);

  bool has(std::string_view key) const { return table_.contains(key); }
  std::optional<std::string> text(std::string_view key);
  std::optional<double> number(std::string_view key);  // infinite where it is written so
  std::optional<long long> integer(std::string_view key, long long least, long long most);
  std::optional<bool> flag(std::string_view key);
  std::optional<std::pair<double, double>> interval(std::string_view key);  // [low, high]
  const toml::table* table(std::string_view key);
  std::vector<const toml::table*> tables(std::string_view key);  // [[key]] ...
  std::vector<double> numbers(std::string_view key);

  // The value, or an error that it is missing.
  template <class T>
  T required(std::string_view key, const std::optional<T>& value) const {
    if (!value) missing(key);
    return *value;
  }
  [[noreturn]] void missing(std::string_view key) const;

  // At the place of this key, or of the table.
  [[noreturn]] void fail(std::string_view key, const std::string& what) const;

  // Before anything is read: refuses other keys, for one of them may be what would be missed.
  void only(const std::vector<std::string>& keys) const;
  // After all was read: refuses what nobody asked for.
  void finish() const;

  const toml::table& node() const { return table_; }
  const std::string& file() const { return file_; }

 private:
  const toml::node* get(std::string_view key);

  const toml::table& table_;
  const std::string file_, what_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace rhc
