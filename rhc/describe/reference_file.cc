#include "rhc/describe/reference_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/describe/log_file.h"
#include "rhc/describe/log_table.h"
#include "rhc/describe/task_change.h"
#include "rhc/describe/task_quantities.h"
#include "rhc/format/files.h"

namespace rhc {

namespace {

constexpr double kMostReferenceSteps = 1e6;
// Time steps between two rows, up to which more than half a turn is an angle that was wrapped.
constexpr double kWrappedWithin = 1.5;
// By which a cosine and sine may miss the circle.
constexpr double kReferenceOffCircle = 0.1;

// One quantity as the file has it: row by row, angles in radians.
struct ReferenceColumn {
  const TaskQuantity* quantity;
  std::size_t column;
  Vector values;
  bool from_circle = false;  // a cosine and a sine, which tell no whole turns
};

class ReferenceReader {
 public:
  ReferenceReader(std::string_view text, const std::string& name, const SystemSpec& spec)
      : log_(text, name), spec_(spec), quantities_(task_quantities(spec)) {}

  Matrix read() {
    for (const TaskQuantity& quantity : quantities_) read_quantity(quantity);
    if (columns_.empty())
      throw InputError(fmt::format("{}: no column is about what '{}' observes ({})", log_.name(),
                                   spec_.name, fmt::join(task_names(spec_), ", ")));
    const Vector times = read_times();
    for (ReferenceColumn& column : columns_)
      if (column.quantity->angle()) unwind(column, times);
    const Index steps =
        times.size() > 0
            ? static_cast<Index>(std::floor(times[times.size() - 1] / spec_.time_step + 1e-9)) + 1
            : static_cast<Index>(log_.rows());
    Matrix reference =
        Matrix::Constant(spec_.outputs(), steps, std::numeric_limits<double>::quiet_NaN());
    for (const ReferenceColumn& column : columns_)
      for (Index t = 0; t < steps; ++t) {
        const double value = times.size() > 0 ? between(column.values, times, t) : column.values[t];
        if (column.quantity->angle()) {
          reference(column.quantity->at, t) = std::cos(value);
          reference(column.quantity->sine, t) = std::sin(value);
        } else {
          reference(column.quantity->at, t) = value;
        }
      }
    return reference;
  }

 private:
  void read_quantity(const TaskQuantity& quantity) {
    const auto rows = static_cast<Index>(log_.rows());
    const auto name = [&](Index at) {
      return spec_.observation[static_cast<std::size_t>(at)].name;
    };
    if (const auto found = log_.find(quantity.quantity.name)) {
      const double factor =
          log_.factor(*found, quantity.quantity.unit) * (quantity.angle() ? quantity.radians : 1);
      Vector values(rows);
      for (Index r = 0; r < rows; ++r)
        values[r] = log_.number(static_cast<std::size_t>(r), *found, factor);
      columns_.push_back({&quantity, *found, values});
    } else if (quantity.angle() &&
               (log_.find(name(quantity.at)) || log_.find(name(quantity.sine)))) {
      const auto cosine = log_.find(name(quantity.at)), sine = log_.find(name(quantity.sine));
      if (!cosine) log_.missing(name(quantity.at));
      if (!sine) log_.missing(name(quantity.sine));
      Vector values(rows);
      for (Index r = 0; r < rows; ++r) {
        const auto row = static_cast<std::size_t>(r);
        const double c = log_.number(row, *cosine), s = log_.number(row, *sine);
        if (std::abs(std::hypot(c, s) - 1) > kReferenceOffCircle)
          log_.fail(row, *cosine,
                    fmt::format("{} and the sine {} are not on a circle of radius 1", c, s));
        values[r] = std::atan2(s, c);
      }
      columns_.push_back({&quantity, *cosine, values, true});
    }
  }

  Vector read_times() const {
    const auto column = log_.find_time();
    if (!column) return {};
    const double factor = log_.factor(*column, "s");
    Vector times(static_cast<Index>(log_.rows()));
    for (Index r = 0; r < times.size(); ++r) {
      const auto row = static_cast<std::size_t>(r);
      times[r] = log_.number(row, *column, factor);
      if (times[r] < 0)
        log_.fail(row, *column, "the time counts from the first step of the plan, 0");
      if (r > 0 && !(times[r] > times[r - 1]))
        log_.fail(row, *column, "the time does not go on; put the rows into order");
      if (times[r] > kMostReferenceSteps * spec_.time_step)
        log_.fail(row, *column,
                  fmt::format("{:.6g} s are more than {:.0e} time steps; the time counts from the "
                              "first step of the plan, 0",
                              times[r], kMostReferenceSteps));
    }
    return times;
  }

  // An angle that a logger wrapped goes on by the shorter way. A person may ask for whole turns
  // between rows that lie further apart.
  void unwind(ReferenceColumn& column, const Vector& times) const {
    constexpr double turn = 2 * std::numbers::pi;
    Vector& angle = column.values;
    double whole = 0;
    for (Index r = 1; r < angle.size(); ++r) {
      const bool near = column.from_circle || times.size() == 0 ||
                        times[r] - times[r - 1] <= kWrappedWithin * spec_.time_step;
      const double moved = angle[r] + whole - angle[r - 1];
      if (near && std::abs(moved) > std::numbers::pi) whole -= turn * std::round(moved / turn);
      angle[r] += whole;
    }
  }

  // At step t, on a line between two rows; beyond them the nearest.
  double between(const Vector& values, const Vector& times, Index t) const {
    const double at = static_cast<double>(t) * spec_.time_step;
    const auto above = std::lower_bound(times.begin(), times.end(), at);
    if (above == times.begin()) return values[0];
    if (above == times.end()) return values[values.size() - 1];
    const Index next = above - times.begin();
    const double share = (at - times[next - 1]) / (times[next] - times[next - 1]);
    return (1 - share) * values[next - 1] + share * values[next];
  }

  const LogTable log_;
  const SystemSpec& spec_;
  const std::vector<TaskQuantity> quantities_;
  std::vector<ReferenceColumn> columns_;
};

}  // namespace

Matrix parse_reference(std::string_view text, const std::string& name, const SystemSpec& spec) {
  return ReferenceReader(text, name, spec).read();
}

Matrix read_reference(const std::filesystem::path& file, const SystemSpec& spec) {
  return parse_reference(read_log(file), file.string(), spec);
}

}  // namespace rhc
