#include "python/observations.h"

#include <fmt/format.h>

#include <cmath>

#include "rhc/core/error.h"

namespace rhc::python {

namespace {

void require_width(const SystemSpec& spec, Index width, const char* what) {
  const auto states = static_cast<Index>(spec.state.size());
  if (width == spec.outputs() || width == states) return;
  throw InputError(states == spec.outputs()
                       ? fmt::format("{} has {} entries, '{}' has {} observations", what, width,
                                     spec.name, spec.outputs())
                       : fmt::format("{} has {} entries, '{}' has {} observations, which follow "
                                     "from {} that are measured",
                                     what, width, spec.name, spec.outputs(), states));
}

void require_finite(const Matrix& columns, const char* what) {
  for (Index t = 0; t < columns.cols(); ++t)
    for (Index i = 0; i < columns.rows(); ++i)
      if (!std::isfinite(columns(i, t)))
        throw InputError(fmt::format("{}: row {}, column {} is not finite", what, t, i));
}

}  // namespace

Vector observation_of(const System& system, nb::handle entries, const char* what) {
  const Vector values = vector_of(entries, what);
  require_width(system.spec(), values.size(), what);
  if (!values.allFinite()) throw InputError(fmt::format("{} is not finite", what));
  return values.size() == system.spec().outputs() ? values : system.observe(values);
}

Trajectory trajectory_of(const System& system, nb::handle observations, nb::handle actions) {
  const SystemSpec& spec = system.spec();
  const Index D = spec.outputs();
  const Points done(actions, "actions", spec.action_bounds.size());
  const Points seen(observations, "observations", D == 1 ? 1 : -1);
  require_width(spec, seen.width(), "each of the observations");
  if (done.count() < 1 || seen.count() != done.count() + 1)
    throw InputError(fmt::format(
        "{} observations and {} actions: an experiment has one observation more than actions",
        seen.count(), done.count()));
  Trajectory trajectory{seen.columns(), done.columns()};
  require_finite(trajectory.observations, "observations");
  require_finite(trajectory.actions, "actions");
  if (seen.width() == D) return trajectory;
  trajectory.observations.resize(D, seen.count());
  for (Index t = 0; t < seen.count(); ++t)
    trajectory.observations.col(t) = system.observe(seen.columns().col(t));
  return trajectory;
}

Trajectory before_of(const System& system, const std::optional<ArrayLike>& start,
                     const std::optional<ArrayLike>& done) {
  const SystemSpec& spec = system.spec();
  if (start && done) return trajectory_of(system, *start, *done);
  return standing_at(start ? observation_of(system, *start, "start") : system.observe(spec.start),
                     spec.action_bounds.size());
}

}  // namespace rhc::python
