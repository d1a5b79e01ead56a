#include "rhc/system/registry.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"

namespace rhc {
namespace {

TEST(MakeSystem, KnowsEveryNameItLists) {
  for (const std::string& name : system_names()) EXPECT_EQ(make_system(name).spec().name, name);
}

TEST(MakeSystem, TakesAliases) {
  EXPECT_EQ(make_system("mountaincar").spec().name, "mountain-car");
  EXPECT_EQ(make_system("cart-pole").spec().name, "cartpole");
}

TEST(MakeSystem, SuggestsTheNearestName) {
  try {
    make_system("pendulm");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'pendulum'?"), std::string::npos);
  }
}

}  // namespace
}  // namespace rhc
