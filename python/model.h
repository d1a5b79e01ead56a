// A model as Python holds it: its own, and with what its fit told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rhc/model/regression.h"

namespace rhc::python {

struct Model {
  Regression regression;
  std::optional<double> log_evidence{};  // nothing where more was learned than fitted
  std::vector<std::string> at_bound{};
};

}  // namespace rhc::python
