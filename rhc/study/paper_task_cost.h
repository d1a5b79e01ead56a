// The file that the paper's curves are read from.
#pragma once

#include <string_view>

namespace rhc {

std::string_view paper_task_cost();

}  // namespace rhc
