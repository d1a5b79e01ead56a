#pragma once

#include <gtest/gtest.h>

#include <string>

namespace rhc {

// The first occurrence replaced; there must be one.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

}  // namespace rhc
