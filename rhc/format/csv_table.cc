#include "rhc/format/csv_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/format/files.h"

namespace rhc {

std::string_view plain_text(std::string_view text, const std::string& name) {
  const bool marked = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  if (marked || text.find('\0') != std::string_view::npos)
    throw InputError(fmt::format(
        "{}: the file is {}; save it as UTF-8, or convert it by `iconv -f UTF-16 -t UTF-8`", name,
        marked ? "in UTF-16" : "in UTF-16 or no text at all: it has NUL bytes"));
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

std::vector<std::string> cells_of(std::string_view line, char separator) {
  std::vector<std::string> cells;
  for (std::string_view cell : split(line, separator)) {
    cell = trim(cell);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
      cell = trim(cell.substr(1, cell.size() - 2));
    cells.emplace_back(cell);
  }
  return cells;
}

namespace {

bool all_numbers(const std::vector<std::string>& cells) {
  return std::all_of(cells.begin(), cells.end(),
                     [](auto& c) { return parse_number(c).has_value(); });
}

}  // namespace

CsvTable::CsvTable(const std::filesystem::path& path,
                   const std::vector<std::string>& columns_without_header)
    : CsvTable(read_text(path), path.string(), columns_without_header) {}

CsvTable::CsvTable(std::string_view text, std::string path,
                   const std::vector<std::string>& columns_without_header)
    : path_(std::move(path)) {
  text = plain_text(text, path_);

  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    std::vector<std::string> cells = cells_of(line);
    if (columns_.empty()) {
      const bool headless = !columns_without_header.empty() && all_numbers(cells) &&
                            cells.size() == columns_without_header.size();
      columns_ = headless ? columns_without_header : cells;
      if (!headless) continue;
    }
    if (cells.size() != columns_.size())
      throw InputError(fmt::format("{}:{}: {} cells, but the header names {} columns ({})", path_,
                                   number, cells.size(), columns_.size(),
                                   fmt::join(columns_, ", ")));
    rows_.push_back({number, std::move(cells)});
  }
  if (columns_.empty()) throw InputError(fmt::format("{}: the file is empty", path_));
}

bool CsvTable::has(const std::string& column) const {
  return std::any_of(columns_.begin(), columns_.end(), [&](const std::string& c) {
    return c == column || c.starts_with(column + " [");
  });
}

std::string CsvTable::last_cell() const { return rows_.empty() ? "" : rows_.back().cells.back(); }

std::size_t CsvTable::index_of(const std::string& column) const {
  auto found = std::find(columns_.begin(), columns_.end(), column);
  // With its unit behind it: "torque [N m]".
  if (found == columns_.end())
    found = std::find_if(columns_.begin(), columns_.end(),
                         [&](const std::string& c) { return c.starts_with(column + " ["); });
  if (found == columns_.end())
    throw InputError(fmt::format("{}:1: column '{}' is missing; the file has: {}", path_, column,
                                 fmt::join(columns_, ", ")));
  return static_cast<std::size_t>(found - columns_.begin());
}

Matrix CsvTable::numbers(const std::vector<std::string>& columns, bool blank_end) const {
  std::vector<std::size_t> indices;
  indices.reserve(columns.size());
  for (const std::string& column : columns) indices.push_back(index_of(column));

  std::size_t count = rows_.size();
  if (blank_end && count > 0 && std::all_of(indices.begin(), indices.end(), [&](auto i) {
        return rows_.back().cells[i].empty();
      }))
    --count;

  Matrix result(static_cast<Index>(count), static_cast<Index>(columns.size()));
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t c = 0; c < indices.size(); ++c) {
      const std::string& cell = rows_[r].cells[indices[c]];
      const auto value = parse_number(cell);
      if (!value || !std::isfinite(*value))
        throw InputError(fmt::format("{}:{}: column '{}': '{}' is not a finite number", path_,
                                     rows_[r].line, columns[c], cell));
      result(static_cast<Index>(r), static_cast<Index>(c)) = *value;
    }
  }
  return result;
}

}  // namespace rhc
