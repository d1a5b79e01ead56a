// NumPy's arrays and our matrices. One point a row in C order is the memory of one point a column
// in Eigen's order, so neither way copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>

#include "rhc/core/types.h"

namespace rhc::python {

namespace nb = nanobind;

using Table = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>;
using TableView = nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig>;
using Row = nb::ndarray<nb::numpy, double, nb::ndim<1>, nb::c_contig>;
using RowView = nb::ndarray<nb::numpy, const double, nb::ndim<1>, nb::c_contig>;

// Whatever NumPy makes an array of.
class ArrayLike : public nb::object {
  static bool any(PyObject*) { return true; }
  NB_OBJECT_DEFAULT(ArrayLike, object, "numpy.typing.ArrayLike", any)
};

// What an object holds, read-only: the array keeps its owner.
TableView view(const Matrix& columns, nb::handle owner);
RowView view(const Vector& entries, nb::handle owner);

// What nobody else holds: the array takes the memory over.
Table give(Matrix columns);
Row give(Vector entries);

// The rows of whatever NumPy takes for an array; one of doubles in C order is looked at where it
// is.
class Points {
 public:
  // InputError that calls it `what` for another number of dimensions.
  Points(nb::handle rows, const char* what);
  // The same for another width; of one number a point, a flat list will do.
  Points(nb::handle rows, const char* what, Index width);

  Eigen::Map<const Matrix> columns() const;
  Index count() const { return static_cast<Index>(array_.shape(0)); }
  Index width() const { return static_cast<Index>(array_.shape(1)); }

 private:
  nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> array_;
};

// InputError that calls it `what` where it is no list of numbers, or not of this size (-1: any).
Vector vector_of(nb::handle entries, const char* what, Index size = -1);

// Bounds as a pair (lower, upper).
Box box_of(nb::handle pair, const char* what, Index size);
nb::tuple pair_of(const Box& box);

}  // namespace rhc::python
