// How deep JSON is nested, told before it is read: whoever follows it level by level needs a stack
// as deep.
#pragma once

#include <algorithm>
#include <string_view>

namespace rhc {

inline constexpr int kDeepestJson = 64;

inline int json_depth(std::string_view json) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{'))
      deepest = std::max(deepest, ++depth);
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
  }
  return deepest;
}

}  // namespace rhc
