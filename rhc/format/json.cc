#include "rhc/format/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/format/files.h"
#include "rhc/format/json_depth.h"

namespace rhc {

Json vector_json(const Vector& v) { return Json(std::vector<double>(v.begin(), v.end())); }

Json matrix_json(const Matrix& m) {
  Json rows = Json::array();
  for (Index i = 0; i < m.rows(); ++i) rows.push_back(vector_json(m.row(i).transpose()));
  return rows;
}

namespace {

// "parse error at line 1, column 2: ...", without the library's number for it.
std::string_view words_of(const Json::exception& error) {
  std::string_view words = error.what();
  if (words.starts_with('[')) words.remove_prefix(std::min(words.find("] ") + 2, words.size()));
  return words;
}

}  // namespace

JsonReader::JsonReader(const std::filesystem::path& path)
    : JsonReader(read_text(path), path.string()) {}

JsonReader::JsonReader(std::string_view text, std::string where) : path_(std::move(where)) {
  if (json_depth(text) > kDeepestJson)
    fail(fmt::format("not valid JSON: it is nested deeper than {} levels", kDeepestJson));
  try {
    json_ = Json::parse(text);
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: not valid JSON: {}", path_, words_of(error)));
  }
  if (!json_.is_object()) fail("this is not a JSON object");
}

void JsonReader::check_format(const char* format, const char* what, int newest_version) const {
  if (json_.value("format", Json()) != Json(format))
    fail(fmt::format("this is not a {} (\"format\" is not \"{}\")", what, format));
  const Json found = json_.value("format_version", Json());
  if (!found.is_number_integer()) fail("\"format_version\" is missing");
  if (found > Json(newest_version))
    fail(fmt::format("written in format {}, this program reads up to {}; use a newer rhc",
                     found.dump(), newest_version));
}

const Json& JsonReader::at(const char* key) const {
  const auto found = json_.find(key);
  if (found == json_.end()) fail(fmt::format("\"{}\" is missing", key));
  return *found;
}

Index JsonReader::size(const char* key) const {
  const Json& json = at(key);
  if (!json.is_array() || json.empty()) fail(fmt::format("\"{}\" must be a list", key));
  return static_cast<Index>(json.size());
}

double JsonReader::number(const char* key) const { return number_of(at(key), key); }

std::string JsonReader::text(const char* key) const {
  const Json& json = at(key);
  if (!json.is_string()) fail(fmt::format("\"{}\" must be text", key));
  return json.get<std::string>();
}

Index JsonReader::count(const char* key, Index least) const {
  const double value = number(key);
  if (value != std::floor(value) || value < static_cast<double>(least) || value > 1e7)
    fail(fmt::format("\"{}\" is {}, expected a whole number from {}", key, value, least));
  return static_cast<Index>(value);
}

Vector JsonReader::vector(const char* key, Index size) const {
  return vector_of(at(key), key, size);
}

Matrix JsonReader::matrix(const char* key, Index rows, Index cols) const {
  const Json& json = at(key);
  if (!json.is_array() || json.size() != static_cast<std::size_t>(rows))
    fail(fmt::format("\"{}\" must have {} rows", key, rows));
  Matrix result(rows, cols);
  for (Index i = 0; i < rows; ++i)
    result.row(i) =
        vector_of(json[static_cast<std::size_t>(i)], fmt::format("{}[{}]", key, i), cols)
            .transpose();
  return result;
}

JsonReader JsonReader::part(const char* key, std::size_t index) const {
  const Json& list = at(key);
  if (!list.is_array() || index >= list.size() || !list[index].is_object())
    fail(fmt::format("\"{}\" must be a list of objects", key));
  JsonReader part;
  part.path_ = fmt::format("{}: {}[{}]", path_, key, index);
  part.json_ = list[index];
  return part;
}

double JsonReader::number_of(const Json& json, const std::string& key) const {
  if (!json.is_number())
    fail(fmt::format("\"{}\" holds {}, not a finite number", key, json.dump()));
  return json.get<double>();
}

Vector JsonReader::vector_of(const Json& json, const std::string& key, Index size) const {
  if (!json.is_array() || json.size() != static_cast<std::size_t>(size))
    fail(fmt::format("\"{}\" must have {} entries", key, size));
  Vector result(size);
  for (Index i = 0; i < size; ++i) result[i] = number_of(json[static_cast<std::size_t>(i)], key);
  return result;
}

Vector JsonReader::vector_of(const Json& json, const std::string& key, Index size,
                             double absent) const {
  Json filled = json;
  std::vector<bool> missing(static_cast<std::size_t>(size), false);
  if (filled.is_array() && filled.size() == missing.size())
    for (std::size_t i = 0; i < missing.size(); ++i)
      if (filled[i].is_null()) {
        missing[i] = true;
        filled[i] = 0;
      }
  Vector result = vector_of(filled, key, size);
  for (std::size_t i = 0; i < missing.size(); ++i)
    if (missing[i]) result[static_cast<Index>(i)] = absent;
  return result;
}

void JsonReader::fail(const std::string& what) const {
  throw InputError(fmt::format("{}: {}", path_, what));
}

std::string dump_any(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

JsonLines read_json_lines(std::string_view content, const std::string& path) {
  std::string_view rest = content;
  JsonLines lines;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const bool last = end + 1 >= rest.size();
    try {
      lines.rows.emplace_back(rest.substr(0, end), fmt::format("{}:{}", path, number));
    } catch (const InputError&) {
      if (!last) throw;
      lines.cut_off = true;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

}  // namespace rhc
