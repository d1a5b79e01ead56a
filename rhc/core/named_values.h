// Matrices and texts by name: what a part of the algorithm remembers, for whoever keeps it.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "rhc/core/types.h"

namespace rhc {

struct NamedValues {
  std::map<std::string, Matrix> matrices{};
  std::map<std::string, std::string> texts{};
  std::string origin = "archive";  // what errors call it

  void put(const std::string& name, const Matrix& values) { matrices[name] = values; }
  void put(const std::string& name, Index value);  // exact up to 2^53
  void put_text(const std::string& name, std::string text) { texts[name] = std::move(text); }

  void erase(const std::string& name) { matrices.erase(name); }
  void erase_text(const std::string& name) { texts.erase(name); }

  bool has(const std::string& name) const { return matrices.contains(name); }
  bool has_text(const std::string& name) const { return texts.contains(name); }

  // InputError that names the block where it is not there, or has another shape. -1: any size.
  const Matrix& matrix(const std::string& name, Index rows, Index cols) const;
  Vector vector(const std::string& name, Index size) const { return matrix(name, size, 1); }
  Index count(const std::string& name) const;
  double number(const std::string& name) const { return matrix(name, 1, 1)(0, 0); }
  const std::string& text(const std::string& name) const;
};

}  // namespace rhc
