// Numbers as short as a screen needs them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rhc/format/json.h"

namespace rhc {

// Null where it is not finite.
Json rounded(double value, int digits = 6);
Json rounded(const Vector& values);

// Every `stride`-th column, row by row.
Json rounded_rows(const Matrix& values, Index stride);

std::string base64(const std::vector<unsigned char>& bytes);
std::string from_base64(std::string_view text);  // InputError where it is none

// Up to `most` of the numbers 1 .. count, the first and the last among them.
std::vector<int> spread(int count, int most);

}  // namespace rhc
