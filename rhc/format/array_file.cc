#include "rhc/format/array_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "rhc/core/error.h"
#include "rhc/core/text.h"

namespace rhc {

namespace {

// As a header takes it.
std::string plain_name(std::string name) {
  for (char& c : name)
    if (c == ',' || c == ';' || c == '"' || c == '#' || has_control_characters({&c, 1})) c = '_';
  return name;
}

// What comes after the last point, where no other array is called that.
std::string short_name(const NamedArray& array, const std::vector<NamedArray>& all) {
  const auto last = [](const std::string& name) { return name.substr(name.rfind('.') + 1); };
  const auto same = std::ranges::count_if(
      all, [&](const NamedArray& other) { return last(other.name) == last(array.name); });
  return plain_name(same == 1 ? last(array.name) : array.name);
}

// The length that most arrays have; the longest, where several have as many.
Index rows_of_log(const std::vector<NamedArray>& arrays) {
  std::map<Index, int> votes;
  for (const NamedArray& array : arrays)
    ++votes[std::max(array.values.rows(), array.values.cols())];
  Index rows = 0;
  int most = 0;
  for (const auto& [length, count] : votes)
    if (length > 1 && count >= most) {
      rows = length;
      most = count;
    }
  return rows;
}

}  // namespace

std::string table_of(const std::vector<NamedArray>& arrays, const std::string& name) {
  const Index rows = rows_of_log(arrays);
  std::vector<std::string> header;
  std::vector<Vector> columns;
  for (const NamedArray& array : arrays) {
    const bool lying = array.values.rows() != rows;
    if (lying && array.values.cols() != rows) continue;
    const Index count = lying ? array.values.rows() : array.values.cols();
    const std::string called = short_name(array, arrays);
    for (Index i = 0; i < count; ++i) {
      header.push_back(count == 1 ? called : fmt::format("{}_{}", called, i + 1));
      columns.push_back(lying ? Vector(array.values.row(i).transpose())
                              : Vector(array.values.col(i)));
    }
  }
  if (columns.size() < 2) {
    std::vector<std::string> found;
    for (const NamedArray& array : arrays)
      found.push_back(
          fmt::format("{} ({} x {})", array.name, array.values.rows(), array.values.cols()));
    throw InputError(fmt::format(
        "{}: a log needs arrays of one length, such as time, angle and torque; the file has: {}",
        name,
        found.empty() ? "no arrays of real numbers" : fmt::format("{}", fmt::join(found, ", "))));
  }
  std::string text = fmt::format("{}\n", fmt::join(header, ","));
  for (Index r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns.size(); ++c)
      text += exact(columns[c][r]) + (c + 1 < columns.size() ? "," : "\n");
  return text;
}

}  // namespace rhc
