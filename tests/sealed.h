// JSON files with a checksum of their own, changed on purpose.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rhc {

// Without the checksum, as 0.1 wrote them, so that a test may change what it is about.
inline std::string unsealed(const std::string& text) {
  auto json = nlohmann::ordered_json::parse(text);
  json.erase("checksum");
  return json.dump(2) + "\n";
}

}  // namespace rhc
