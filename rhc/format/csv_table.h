// Tables of numbers with a header.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/core/types.h"

namespace rhc {

// Without a byte-order mark. InputError where it is in another encoding than UTF-8.
std::string_view plain_text(std::string_view text, const std::string& name);

// Without the quotes and blanks around them.
std::vector<std::string> cells_of(std::string_view line, char separator = ',');

// Errors of a table name its file, line and column.
class CsvTable {
 public:
  // Throws InputError where the file cannot be read or its rows differ in length. Where the first
  // line holds numbers only, `columns_without_header` names the columns (if they fit).
  explicit CsvTable(const std::filesystem::path& path,
                    const std::vector<std::string>& columns_without_header = {});
  // Of text that was read from there.
  CsvTable(std::string_view text, std::string path,
           const std::vector<std::string>& columns_without_header);

  std::size_t rows() const { return rows_.size(); }
  bool has(const std::string& column) const;
  const std::vector<std::string>& columns() const { return columns_; }
  // What the last row has in its last column; empty where there is no row.
  std::string last_cell() const;

  // Rows x columns in the order asked for; every cell must be a finite number. With `blank_end`,
  // the last row is left out where all its cells are blank.
  Matrix numbers(const std::vector<std::string>& columns, bool blank_end = false) const;

 private:
  struct Row {
    std::size_t line;
    std::vector<std::string> cells;
  };

  std::size_t index_of(const std::string& column) const;

  std::string path_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

}  // namespace rhc
