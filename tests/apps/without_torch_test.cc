// What one sees who has no LibTorch: the program without its module.
#include <gtest/gtest.h>

#include "tests/apps/program.h"

namespace rhc {
namespace {

Outcome without_module(const std::vector<std::string>& words, const TemporaryDirectory& dir) {
  return run(words, dir, [&] { setenv("RHC_MODULES", dir.path().c_str(), 1); });
}

TEST(WithoutTorch, MethodsWithNetworksSayHowToGetThem) {
  for (const std::string method : {"sac-pe", "sac-ig", "max"}) {
    const TemporaryDirectory dir;
    const Outcome refused = without_module(tiny({"pendulum", "--method", method}), dir);
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(contains(refused.err, method + "' needs LibTorch")) << refused.err;
    EXPECT_TRUE(contains(refused.err, "tools/setup torch")) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(dir.path() / "r")) << "nothing was made";
  }
}

TEST(WithoutTorch, ANetworksFeaturesSayHowToGetThem) {
  const TemporaryDirectory dir;
  const Outcome refused = without_module(tiny({"pendulum", "network_from=10000"}), dir);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "setting 'network_from' needs LibTorch")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "tools/setup torch")) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "r")) << "nothing was made";
}

TEST(WithoutTorch, AllElseWorks) {
  const TemporaryDirectory dir;
  EXPECT_EQ(without_module(tiny({"pendulum", "--quiet", "--episodes", "2"}), dir).code, 0);
}

TEST(WithoutTorch, AFileThatIsNoModuleIsNamed) {
  const TemporaryDirectory dir;
  std::ofstream(dir.path() / "rhc-neural.so") << "nonsense";
  const Outcome refused = without_module(tiny({"pendulum", "--method", "max"}), dir);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "rhc-neural.so")) << refused.err;
}

// A module that an upgrade left behind is refused in words, never called.
TEST(WithoutTorch, AModuleOfAnotherVersionIsRefused) {
  for (const char* other : {"old_module", "new_module"}) {
    const TemporaryDirectory dir;
    const std::string modules = std::string(RHC_OTHER_MODULES) + "/" + other;
    const Outcome refused = run(tiny({"pendulum", "--method", "sac-pe"}), dir,
                                [&] { setenv("RHC_MODULES", modules.c_str(), 1); });
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_TRUE(contains(refused.err, "cannot be loaded")) << refused.err;
  }
}

}  // namespace
}  // namespace rhc
