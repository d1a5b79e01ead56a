// TOML files, with errors that say where.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>

namespace rhc {

// InputError with `name`, line and column where the text is no TOML.
toml::table parse_toml(std::string_view text, const std::string& name);

// A value in the words of the command line.
std::string plain(const toml::node& node);

// "NAME:LINE:COLUMN: what"
std::string at_place(const std::string& name, const toml::node& node, const std::string& what);

}  // namespace rhc
