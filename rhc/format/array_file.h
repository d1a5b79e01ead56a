// Tables that other programs keep as arrays: numpy's .npz and MATLAB's .mat (versions 5 to 7).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rhc/core/types.h"

namespace rhc {

struct NamedArray {
  std::string name;  // of a field of a structure: "structure.field"
  Matrix values;     // of one or two dimensions; a vector is a column
};

bool is_npz(std::string_view bytes);
bool is_mat(std::string_view bytes);

// All arrays of real numbers that the file holds; what else is in it is passed over. `name` is what
// errors call it. InputError where the file is damaged.
std::vector<NamedArray> read_npz(std::string_view bytes, const std::string& name);
std::vector<NamedArray> read_mat(std::string_view bytes, const std::string& name);

// Those that have the rows of a log, as CSV with their names as header. A matrix becomes columns
// NAME_1, NAME_2 and so on. InputError where no two arrays belong together.
std::string table_of(const std::vector<NamedArray>& arrays, const std::string& name);

}  // namespace rhc
