// What Python sees of the library, part by part.
#pragma once

#include <nanobind/nanobind.h>

namespace rhc::python {

void bind_systems(nanobind::module_& module);
void bind_models(nanobind::module_& module);
void bind_plans(nanobind::module_& module);
void bind_controllers(nanobind::module_& module);
void bind_explorers(nanobind::module_& module);
void bind_runs(nanobind::module_& module);

}  // namespace rhc::python
