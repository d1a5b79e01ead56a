// The help of a command as a page of the manual.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace rhc::app {

// "rhc-sweep-status" for `rhc sweep status`, "rhc" for the program itself.
std::string page_name(const CLI::App& command);

// In the language of man(7).
std::string man_page(const CLI::App& command);

}  // namespace rhc::app
