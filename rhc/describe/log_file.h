// A log in whichever format a machine's software wrote it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace rhc {

// As CSV: text as it stands, the arrays of numpy's .npz and MATLAB's .mat as columns. InputError
// that says how to convert what cannot be read. `name` is what errors call it.
std::string log_text(std::string bytes, const std::string& name);
std::string read_log(const std::filesystem::path& file);

}  // namespace rhc
