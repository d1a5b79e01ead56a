// Rows of environments that nobody here wrote (bench/gymnasium), and a system of which nothing is
// known but such rows.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/format/files.h"
#include "rhc/system/system.h"

namespace rhc::bench {

// What numpy.save wrote: single precision, row by row. A row comes as a column.
inline Matrix read_rows(const std::filesystem::path& file) {
  const std::string bytes = read_input(file);
  const auto refuse = [&] {
    throw InputError(file.string() + " is not an array of two dimensions in single precision");
  };
  if (bytes.size() < 128 || bytes.compare(1, 5, "NUMPY") != 0) refuse();
  const std::size_t start = 10 + static_cast<unsigned char>(bytes[8]) +
                            256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes[9]));
  const std::string head = bytes.substr(10, start - 10);
  long rows = 0, columns = 0;
  const std::size_t shape = head.find("'shape': (");
  if (head.find("'<f4'") == std::string::npos || shape == std::string::npos ||
      std::sscanf(head.c_str() + shape, "'shape': (%ld, %ld)", &rows, &columns) != 2 ||
      bytes.size() != start + 4 * static_cast<std::size_t>(rows * columns))
    refuse();
  Eigen::MatrixXf values(columns, rows);
  std::memcpy(values.data(), bytes.data() + start, bytes.size() - start);
  return values.cast<double>();
}

// An environment of which nothing is known but what was seen.
struct Environment {
  SystemSpec description;

  SystemSpec spec() const { return description; }
  Vector step(const Vector&, const Vector&) const { throw InputError("only the real one moves"); }
};

inline System environment(const std::string& name, const Matrix& inputs, Index outputs) {
  const Index actions = inputs.rows() - outputs;
  SystemSpec spec;
  spec.name = spec.title = name;
  spec.horizon = 100;
  spec.simulated = false;
  for (Index i = 0; i < outputs; ++i) spec.observation.push_back({fmt::format("o{}", i), ""});
  for (Index i = 0; i < actions; ++i) spec.action.push_back({fmt::format("a{}", i), ""});
  spec.state = spec.observation;
  const Vector lower = inputs.rowwise().minCoeff(), upper = inputs.rowwise().maxCoeff();
  spec.action_bounds = {lower.tail(actions), upper.tail(actions)};
  spec.region = {lower.head(outputs), upper.head(outputs)};
  spec.limits = Box::unbounded(outputs);
  spec.time_step = 1;
  spec.start = inputs.col(0).head(outputs);
  spec.task = {Vector::Zero(outputs), Vector::Zero(outputs), Vector::Zero(actions)};
  return Environment{spec};
}

// Inputs are observations and actions, outputs the changes of the observations.
inline Index outputs_of(const std::string& name) {
  for (const auto& [known, count] : {std::pair{"HalfCheetah-v5", 17},
                                     {"Swimmer-v5", 8},
                                     {"InvertedDoublePendulum-v5", 9},
                                     {"Reacher-v5", 10},
                                     {"Hopper-v5", 11}})
    if (name == known) return count;
  throw InputError("'" + name + "' is none of the environments that are known here");
}

}  // namespace rhc::bench
