// A log as a machine's software writes it: columns by name, with units in the header, separated by
// commas, semicolons or tabs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rhc {

// What the column of the time may be called.
const std::vector<std::string>& time_columns();

// What mostly lies between two stamps.
double median_step(const std::vector<double>& times);

// Errors name file, line and column.
class LogTable {
 public:
  LogTable(std::string_view text, std::string name);

  std::size_t rows() const { return rows_.size(); }
  const std::string& name() const { return name_; }

  std::optional<std::size_t> find(const std::string& column) const;
  std::optional<std::size_t> find_time() const;

  std::size_t columns() const { return columns_.size(); }
  const std::string& column(std::size_t column) const { return columns_[column].name; }
  // As the header has it; empty where it has none.
  const std::string& unit(std::size_t column) const { return columns_[column].unit; }

  bool blank(std::size_t row, std::size_t column) const { return rows_[row].cells[column].empty(); }
  double number(std::size_t row, std::size_t column) const;
  // Nothing where it is not a finite number.
  std::optional<double> number_if_any(std::size_t row, std::size_t column) const;

  // What a number of this column is multiplied with to be in this unit; and the number times that.
  double factor(std::size_t column, const std::string& unit) const;
  double number(std::size_t row, std::size_t column, double factor) const;

  [[noreturn]] void missing(const std::string& column) const;
  [[noreturn]] void fail(std::size_t row, std::size_t column, const std::string& what) const;

 private:
  struct Column {
    std::string name, unit;
  };
  struct Row {
    std::size_t line;
    std::vector<std::string> cells;
  };

  static Column column_of(std::string_view text);
  void read_header(std::string_view line, std::size_t number);
  void read_row(std::string_view line, std::size_t number);

  std::string name_;
  char separator_ = ',';
  std::size_t header_line_ = 1;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace rhc
