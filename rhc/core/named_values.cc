#include "rhc/core/named_values.h"

#include <fmt/format.h>

#include <cmath>

#include "rhc/core/error.h"

namespace rhc {

void NamedValues::put(const std::string& name, Index value) {
  matrices[name] = Matrix::Constant(1, 1, static_cast<double>(value));
}

const Matrix& NamedValues::matrix(const std::string& name, Index rows, Index cols) const {
  const auto found = matrices.find(name);
  if (found == matrices.end())
    throw InputError(fmt::format("{}: block '{}' is missing", origin, name));
  const Matrix& m = found->second;
  if ((rows >= 0 && m.rows() != rows) || (cols >= 0 && m.cols() != cols))
    throw InputError(fmt::format("{}: block '{}' is {} x {}, expected {} x {}", origin, name,
                                 m.rows(), m.cols(), rows < 0 ? "any" : std::to_string(rows),
                                 cols < 0 ? "any" : std::to_string(cols)));
  return m;
}

Index NamedValues::count(const std::string& name) const {
  const double value = number(name);
  if (!(value >= 0 && value <= 9e15) || value != std::floor(value))
    throw InputError(fmt::format("{}: block '{}' is {}, not a count", origin, name, value));
  return static_cast<Index>(value);
}

const std::string& NamedValues::text(const std::string& name) const {
  const auto found = texts.find(name);
  if (found == texts.end()) throw InputError(fmt::format("{}: text '{}' is missing", origin, name));
  return found->second;
}

}  // namespace rhc
