// Named blocks of numbers and text in one file that knows when it is damaged.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "rhc/core/types.h"

namespace rhc {

class Archive {
 public:
  void put(const std::string& name, const Matrix& values) { numbers_[name] = values; }
  void put(const std::string& name, Index value);  // exact up to 2^53
  void put_text(const std::string& name, std::string text) { texts_[name] = std::move(text); }

  void erase(const std::string& name) { numbers_.erase(name); }

  bool has(const std::string& name) const { return numbers_.contains(name); }

  // InputError that names the block where it is not there, or has another shape. -1: any size.
  const Matrix& matrix(const std::string& name, Index rows, Index cols) const;
  Vector vector(const std::string& name, Index size) const { return matrix(name, size, 1); }
  Index count(const std::string& name) const;
  double number(const std::string& name) const { return matrix(name, 1, 1)(0, 0); }
  const std::string& text(const std::string& name) const;

  // The file's content, and back. InputError for a file that is damaged, of another kind or newer;
  // `path` is what errors call it.
  std::string bytes() const;
  static Archive parse(std::string_view bytes, const std::string& path);

 private:
  std::map<std::string, Matrix> numbers_;
  std::map<std::string, std::string> texts_;
  std::string path_ = "archive";
};

}  // namespace rhc
