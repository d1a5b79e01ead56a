// Ctrl-C, while C++ works.
#pragma once

#include <functional>

namespace rhc::python {

// Says whether Python has raised something for a signal. It may be asked often, with Python
// released: it looks only now and then, for to look takes Python's lock.
std::function<bool()> signal_heard();

}  // namespace rhc::python
