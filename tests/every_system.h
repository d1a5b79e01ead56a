// Tests that hold for every bundled system.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "rhc/system/registry.h"

namespace rhc {

// A system's name as GoogleTest allows it in a test's name.
inline std::string test_name(const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

#define RHC_FOR_EVERY_SYSTEM(suite) \
  INSTANTIATE_TEST_SUITE_P(All, suite, testing::ValuesIn(system_names()), test_name)
#define RHC_FOR_EVERY_PAPER_SYSTEM(suite) \
  INSTANTIATE_TEST_SUITE_P(All, suite, testing::ValuesIn(paper_system_names()), test_name)

}  // namespace rhc
