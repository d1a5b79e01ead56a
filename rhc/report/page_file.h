// The page as it was put together when this program was built, before title and data are filled in.
#pragma once

#include <string_view>

namespace rhc {

// Empty where the charts were not there.
std::string_view page_file();

}  // namespace rhc
