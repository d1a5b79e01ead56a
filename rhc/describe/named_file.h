// A file that a description names, put into the description: a run keeps all that it needs.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

namespace rhc {

// `key = "file"` in this table becomes `held_by = '''text'''`.
struct NamedFile {
  const toml::table& table;
  std::string key, held_by, text;
};

// The description with the files in the place of their names. `name` is what errors call it.
std::string standing_alone(std::string_view toml, const std::string& name,
                           const std::vector<NamedFile>& files);

}  // namespace rhc
