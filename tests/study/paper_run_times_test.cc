#include "rhc/study/paper_run_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "rhc/explore/explorer.h"
#include "rhc/system/registry.h"

namespace rhc {
namespace {

std::optional<double> hours(const std::string& system, const std::string& method) {
  for (const PaperRunTime& time : paper_run_times())
    if (time.system == system && time.method == method) return time.hours;
  ADD_FAILURE() << system << " " << method << " is not in the table";
  return std::nullopt;
}

TEST(PaperRunTimes, AreOfSystemsAndMethodsThatWeHave) {
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const PaperRunTime& time : paper_run_times()) {
    EXPECT_TRUE(has(paper_system_names(), time.system)) << time.system;
    EXPECT_TRUE(has(method_names(), time.method)) << time.method;
  }
}

TEST(PaperRunTimes, AreOneForEachSystemAndMethod) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const PaperRunTime& time : paper_run_times())
    EXPECT_TRUE(seen.emplace(time.system, time.method).second) << time.system << " " << time.method;
  EXPECT_EQ(seen.size(), 18u);
}

TEST(PaperRunTimes, AreThoseOfTableOne) {
  EXPECT_EQ(hours("mountain-car", "rhc-evr"), 1.51);
  EXPECT_EQ(hours("mountain-car", "random"), 0.01);
  EXPECT_EQ(hours("pendulum", "rhc-us"), 0.8);
  EXPECT_EQ(hours("pendulum", "sac-pe"), 0.2);
  EXPECT_EQ(hours("cartpole", "sac-ig"), 0.48);
  EXPECT_EQ(hours("cartpole", "max"), 5.84);
}

TEST(PaperRunTimes, HaveNothingWhereThePaperRanOutOfMemory) {
  int missing = 0;
  for (const PaperRunTime& time : paper_run_times()) missing += time.hours ? 0 : 1;
  EXPECT_EQ(missing, 2);
  EXPECT_EQ(hours("pendulum", "rhc-evr"), std::nullopt);
  EXPECT_EQ(hours("cartpole", "rhc-evr"), std::nullopt);
}

}  // namespace
}  // namespace rhc
