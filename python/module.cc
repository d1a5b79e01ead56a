#include "python/bindings.h"
#include "rhc/core/error.h"
#include "rhc/core/version.h"

namespace nb = nanobind;

namespace {

template <class Error>
void bind_error(nb::module_& module, const char* name, nb::handle base, const char* what) {
  nb::exception<Error>(module, name, base).attr("__doc__") = what;
}

}  // namespace

NB_MODULE(_core, module) {
  bind_error<rhc::InputError>(module, "InputError", PyExc_ValueError,
                              "Something was given that cannot be used: a name, a value, a file.");
  bind_error<rhc::IoError>(module, "IoError", PyExc_OSError,
                           "The surroundings failed: a disk, a permission.");
  bind_error<rhc::LearningError>(module, "LearningError", PyExc_RuntimeError,
                                 "Learning left the numbers: nothing that was kept is harmed.");
  module.def("version", &rhc::version, "Of the library.");

  rhc::python::bind_systems(module);
  rhc::python::bind_models(module);
  rhc::python::bind_plans(module);
  rhc::python::bind_controllers(module);
  rhc::python::bind_explorers(module);
  rhc::python::bind_runs(module);
}
