// A system that is known by its observations alone, in which some pairs are the cosine and sine of
// an angle.
#pragma once

#include "rhc/system/system.h"

namespace rhc::python {

// Its internal state is one number for each angle, where its cosine stands, and every other
// observation as it is.
struct MeasuredSystem {
  SystemSpec description;  // its `start` and `region` are of internal states

  // All but start and region must stand in the description; `low` and `high` are observations.
  MeasuredSystem(SystemSpec without_state, const Vector& start, const Box& region);

  const SystemSpec& spec() const { return description; }
  Vector observe(const Vector& state) const;
  [[noreturn]] Vector step(const Vector& state, const Vector& action) const;
};

}  // namespace rhc::python
