// Files as a careless editor or a bad disk leaves them.
#pragma once

#include <string>
#include <string_view>

#include "rhc/core/random.h"

namespace rhc {

// Changes, inserts, removes or repeats a few bytes.
inline std::string damaged(std::string text, RandomStream& r) {
  static constexpr std::string_view kNasty = ",.\n\"[]{}=-+eE0123456789nai#\\ \t\0\xff";
  const auto edits = 1 + r.below(8);
  for (std::uint64_t i = 0; i < edits && !text.empty(); ++i) {
    const auto at = r.below(text.size());
    const char c = kNasty[r.below(kNasty.size())];
    switch (r.below(4)) {
      case 0:
        text[at] = c;
        break;
      case 1:
        text.insert(at, 1, c);
        break;
      case 2:
        text.erase(at, 1 + r.below(20));
        break;
      default:
        text.insert(at, text.substr(r.below(text.size()), r.below(40)));
    }
  }
  return text;
}

}  // namespace rhc
