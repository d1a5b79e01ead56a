// Arrays in the file that numpy.savez writes and numpy.load reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rhc/core/types.h"

namespace rhc {

// A zip archive, not compressed, of one .npy file an array. The same arrays give the same bytes.
class Npz {
 public:
  void add(const std::string& name, const std::vector<std::int64_t>& values);
  void add(const std::string& name, const std::vector<double>& values);
  void add(const std::string& name, const std::vector<std::string>& texts);  // in UTF-8

  // Column n of the matrix is row n of the array.
  void add_columns(const std::string& name, const Matrix& columns);

  // InputError where it is too large for the format (4 GiB).
  std::string bytes() const;

 private:
  struct Entry {
    std::string name, content;
  };

  void add(const std::string& name, const std::string& type, const std::string& shape,
           const void* data, std::size_t size);

  std::vector<Entry> entries_;
};

}  // namespace rhc
