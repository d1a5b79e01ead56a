// Vectors and matrices in JSON files, and errors that say where a file is wrong.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/core/types.h"

namespace rhc {

using Json = nlohmann::ordered_json;

Json vector_json(const Vector& v);
Json matrix_json(const Matrix& m);  // row by row, as one reads it

// As text, also where a path in it is none: paths may hold any bytes.
std::string dump_any(const Json& json, int indent = -1);

// An object in a file. Whatever is missing or of the wrong shape is an InputError with path and
// key.
class JsonReader {
 public:
  explicit JsonReader(const std::filesystem::path& path);
  // Of text that stands at `where`, such as "metrics.jsonl:3".
  JsonReader(std::string_view text, std::string where);

  // Refuses a file of another format, or of a newer version.
  void check_format(const char* format, const char* what, int newest_version) const;

  bool has(const char* key) const { return json_.contains(key); }
  Index size(const char* key) const;  // entries of a list
  double number(const char* key) const;
  std::string text(const char* key) const;
  Index count(const char* key, Index least) const;  // a whole number
  Vector vector(const char* key, Index size) const;
  Matrix matrix(const char* key, Index rows, Index cols) const;
  const Json& at(const char* key) const;
  const Json& all() const { return json_; }
  // An object in a list.
  JsonReader part(const char* key, std::size_t index) const;

  // A part of the file as a vector; `key` is what an error calls it, null is `absent`.
  Vector vector_of(const Json& json, const std::string& key, Index size) const;
  Vector vector_of(const Json& json, const std::string& key, Index size, double absent) const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  JsonReader() = default;
  double number_of(const Json& json, const std::string& key) const;

  std::string path_;
  Json json_;
};

// What stood in a file of one object a line. A last line that was cut off, as a crash may leave it,
// is left out.
struct JsonLines {
  std::vector<JsonReader> rows;
  bool cut_off = false;
};
JsonLines read_json_lines(std::string_view content, const std::string& path);

}  // namespace rhc
