#include "python/arrays.h"

#include <fmt/format.h>

#include "rhc/core/error.h"

namespace rhc::python {

namespace {

nb::object as_doubles(nb::handle object) {
  return nb::module_::import_("numpy").attr("ascontiguousarray")(object, nb::arg("dtype") = "d");
}

template <class Values>
nb::capsule keeper(Values* values) {
  return nb::capsule(values, [](void* p) noexcept { delete static_cast<Values*>(p); });
}

std::size_t size(Index i) { return static_cast<std::size_t>(i); }

nb::object table_of(nb::handle rows, const char* what, Index width) {
  nb::object array = as_doubles(rows);
  const auto dimensions = nb::cast<int>(array.attr("ndim"));
  if (dimensions == 1 && width == 1) return array.attr("reshape")(-1, 1);
  if (dimensions != 2)
    throw InputError(fmt::format("{} must have two dimensions, one row a point; got the shape {}",
                                 what, nb::repr(array.attr("shape")).c_str()));
  return array;
}

}  // namespace

TableView view(const Matrix& columns, nb::handle owner) {
  return TableView(columns.data(), {size(columns.cols()), size(columns.rows())}, owner);
}

RowView view(const Vector& entries, nb::handle owner) {
  return RowView(entries.data(), {size(entries.size())}, owner);
}

Table give(Matrix columns) {
  auto* kept = new Matrix(std::move(columns));
  return Table(kept->data(), {size(kept->cols()), size(kept->rows())}, keeper(kept));
}

Row give(Vector entries) {
  auto* kept = new Vector(std::move(entries));
  return Row(kept->data(), {size(kept->size())}, keeper(kept));
}

Points::Points(nb::handle rows, const char* what) : Points(rows, what, -1) {}

Points::Points(nb::handle rows, const char* what, Index wanted)
    : array_(nb::cast<decltype(array_)>(table_of(rows, what, wanted))) {
  if (wanted >= 0 && width() != wanted)
    throw InputError(fmt::format("{} has {} columns, expected {}", what, width(), wanted));
}

Eigen::Map<const Matrix> Points::columns() const { return {array_.data(), width(), count()}; }

Vector vector_of(nb::handle entries, const char* what, Index size) {
  const nb::object array = as_doubles(entries).attr("reshape")(-1);
  const auto values = nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::c_contig>>(array);
  const auto count = static_cast<Index>(values.shape(0));
  if (size >= 0 && count != size)
    throw InputError(fmt::format("{} has {} entries, expected {}", what, count, size));
  return Eigen::Map<const Vector>(values.data(), count);
}

Box box_of(nb::handle pair, const char* what, Index size) {
  if (!nb::isinstance<nb::sequence>(pair) || nb::len(pair) != 2)
    throw InputError(fmt::format("{} must be a pair: all lower ends, all upper ends", what));
  return {vector_of(pair[0], what, size), vector_of(pair[1], what, size)};
}

nb::tuple pair_of(const Box& box) { return nb::make_tuple(give(box.lower), give(box.upper)); }

}  // namespace rhc::python
