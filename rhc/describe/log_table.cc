#include "rhc/describe/log_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/describe/units.h"
#include "rhc/format/csv_table.h"

namespace rhc {

const std::vector<std::string>& time_columns() {
  // The last ones are of ROS: rostopic's, PlotJuggler's and rosbag's.
  static const std::vector<std::string> names = {"time",  "t",         "timestamp",
                                                 "Time",  "Timestamp", "seconds",
                                                 "%time", "__time",    "rosbagTimestamp"};
  return names;
}

double median_step(const std::vector<double>& times) {
  std::vector<double> steps;
  for (std::size_t r = 1; r < times.size(); ++r) steps.push_back(times[r] - times[r - 1]);
  if (steps.empty()) return 0;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

// A name heads columns of tables that rhc writes: "motor speed" is "motor_speed".
std::string without_blanks(std::string_view name) {
  std::string plain(name);
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return c == ' ' || c == '\''; }, '_');
  return plain;
}

// "angle [deg]", "angle (deg)" or "angle". A number in brackets belongs to the name: "position[0]"
// is "position_0".
LogTable::Column LogTable::column_of(std::string_view text) {
  text = trim(text);
  for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'(', ')'}}) {
    const auto at = text.find(open);
    if (at == std::string_view::npos || !text.ends_with(close) || at == 0) continue;
    const std::string_view name = trim(text.substr(0, at)),
                           inside = trim(text.substr(at + 1, text.size() - at - 2));
    if (parse_integer(inside)) return {without_blanks(fmt::format("{}_{}", name, inside)), ""};
    return {without_blanks(name), std::string(inside)};
  }
  // These count nanoseconds.
  const bool ros = text == "%time" || text == "rosbagTimestamp";
  return {without_blanks(text), ros ? "ns" : ""};
}

LogTable::LogTable(std::string_view text, std::string name) : name_(std::move(name)) {
  text = plain_text(text, name_);
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty() || trim(line).starts_with('#')) continue;
    if (columns_.empty())
      read_header(line, number);
    else
      read_row(line, number);
  }
  if (columns_.empty()) throw InputError(fmt::format("{}: the file is empty", name_));
  if (rows_.empty()) throw InputError(fmt::format("{}: there is no row below the header", name_));
}

std::optional<std::size_t> LogTable::find(const std::string& column) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].name == column) return i;
  return std::nullopt;
}

std::optional<std::size_t> LogTable::find_time() const {
  for (const std::string& word : time_columns())
    if (const auto found = find(word)) return found;
  return std::nullopt;
}

void LogTable::missing(const std::string& column) const {
  std::vector<std::string> names;
  for (const Column& c : columns_) names.push_back(c.name);
  throw InputError(fmt::format("{}:{}: the file has no column '{}'{} (it has: {})", name_,
                               header_line_, column, suggestion(column, names),
                               fmt::join(names, ", ")));
}

void LogTable::fail(std::size_t row, std::size_t column, const std::string& what) const {
  throw InputError(
      fmt::format("{}:{}: column '{}': {}", name_, rows_[row].line, columns_[column].name, what));
}

double LogTable::factor(std::size_t column, const std::string& unit) const {
  const Column& c = columns_[column];
  if (c.unit.empty() || c.unit == unit) return 1;
  const auto ratio = unit.empty() ? std::nullopt : unit_ratio(c.unit, unit);
  if (!ratio)
    throw InputError(fmt::format(
        "{}:{}: column '{}' is in '{}', but the system measures it in '{}'; convert it, or "
        "leave the unit out where they are the same",
        name_, header_line_, c.name, c.unit, unit));
  return *ratio;
}

std::optional<double> LogTable::number_if_any(std::size_t row, std::size_t column) const {
  std::string cell = rows_[row].cells[column];
  // A decimal comma, where commas do not separate.
  if (separator_ != ',') std::replace(cell.begin(), cell.end(), ',', '.');
  const auto value = parse_number(cell);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

double LogTable::number(std::size_t row, std::size_t column) const {
  const auto value = number_if_any(row, column);
  const std::string& cell = rows_[row].cells[column];
  if (!value)
    fail(row, column,
         cell.empty() ? "the cell is empty" : fmt::format("'{}' is not a finite number", cell));
  return *value;
}

double LogTable::number(std::size_t row, std::size_t column, double factor) const {
  const double value = number(row, column);
  if (!std::isfinite(factor * value))
    fail(row, column, fmt::format("{} is too large in the system's unit", value));
  return factor * value;
}

void LogTable::read_header(std::string_view line, std::size_t number) {
  separator_ = line.find(';') != std::string_view::npos    ? ';'
               : line.find('\t') != std::string_view::npos ? '\t'
                                                           : ',';
  header_line_ = number;
  for (const std::string& cell : cells_of(line, separator_)) columns_.push_back(column_of(cell));
  bool numbers = true;
  std::set<std::string> names;
  for (const Column& column : columns_) {
    numbers = numbers && parse_number(column.name).has_value();
    if (!column.name.empty() && !names.insert(column.name).second)
      throw InputError(
          fmt::format("{}:{}: there are two columns '{}'", name_, number, column.name));
  }
  if (numbers)
    throw InputError(fmt::format(
        "{}:{}: the first line must name the columns, such as time,angle,torque", name_, number));
}

void LogTable::read_row(std::string_view line, std::size_t number) {
  std::vector<std::string> cells = cells_of(line, separator_);
  // A separator at the end of every row.
  while (cells.size() > columns_.size() && cells.back().empty()) cells.pop_back();
  if (cells.size() != columns_.size())
    throw InputError(
        fmt::format("{}:{}: {} cells, but the header names {} columns{}", name_, number,
                    cells.size(), columns_.size(),
                    separator_ == ',' && cells.size() > columns_.size()
                        ? "; where numbers have decimal commas, separate the columns by semicolons"
                        : ""));
  rows_.push_back({number, std::move(cells)});
}

}  // namespace rhc
