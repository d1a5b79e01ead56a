// The tables of the page of a reproduction, for terminals and for files.
#pragma once

#include <string>

#include "rhc/format/json.h"

namespace rhc {

// Of what `reproduce_report_data` gives, as Markdown whose columns are aligned.
std::string reproduce_tables(const Json& data);

}  // namespace rhc
