#include "rhc/describe/description_change.h"

#include <gtest/gtest.h>

#include "tests/rig.h"

namespace rhc {
namespace {

using Texts = std::vector<std::string>;

DescriptionChange change(const std::string& from, const std::string& to,
                         const std::string& before = kRig) {
  return description_change(rig(before), rig(with(before, from, to)));
}

TEST(DescriptionChange, IsNoneOfOtherWords) {
  const DescriptionChange none = change("name = \"rig\"", "# a comment\nname = \"rig\"");
  EXPECT_EQ(none.differences, Texts{});
  EXPECT_EQ(none.refused, Texts{});
}

TEST(DescriptionChange, SaysWhatDiffers) {
  const auto only = [](const DescriptionChange& found) {
    EXPECT_EQ(found.refused, Texts{});
    EXPECT_EQ(found.differences.size(), 1u);
    return found.differences.empty() ? "" : found.differences[0];
  };
  EXPECT_EQ(only(change("bounds = [-1, 1]", "bounds = [-0.5, 1]")),
            "bounds of 'torque': [-1, 1], now [-0.5, 1]");
  EXPECT_EQ(only(change("bounds = [-1, 1]", "bounds = [-1, 1]\nrate = 3")), "rate: any, now [3]");
  EXPECT_EQ(only(change("range = [-8, 8]", "range = [-8, 8]\nlimits = [-9, 9]")),
            "limits of 'thetadot': [-inf, inf], now [-9, 9]");
  EXPECT_EQ(only(change("thetadot = 0.01 }", "thetadot = 0.02 }")).substr(0, 7), "weight:");
  EXPECT_EQ(only(change("target = { theta = 0,", "target = { theta = 1,")).substr(0, 7), "target:");
}

TEST(DescriptionChange, RefusesWhatGivesTheDataAnotherMeaning) {
  const auto refused = [](const DescriptionChange& found) { return found.refused.size(); };
  EXPECT_EQ(refused(change("time_step = 0.08", "time_step = 0.04")), 1u);
  EXPECT_EQ(refused(change("horizon = 20", "horizon = 30")), 1u);
  EXPECT_EQ(refused(change("unit = \"N m\"", "unit = \"mN m\"")), 1u);
  EXPECT_EQ(refused(change("unit = \"rad\"", "unit = \"deg\"")), 1u);
  EXPECT_EQ(refused(change("horizon = 20", "horizon = 20\nhistory = 2")), 1u);
  EXPECT_EQ(
      refused(change("name = \"thetadot\"", "name = \"thetadot\"\nderivative_of = \"theta\"")), 1u);
  EXPECT_EQ(refused(change("[task]", "[nominal]\nsystem = \"pendulum\"\n[task]")), 1u);
}

// With a history, the model was taught what stood before the first step.
TEST(DescriptionChange, RefusesAnotherRestOfAModelWithAHistory) {
  EXPECT_EQ(change("bounds = [-1, 1]", "bounds = [-1, 1]\nrest = 0.5").refused, Texts{});
  const std::string past = with(kRig, "horizon = 20", "horizon = 20\nhistory = 2");
  EXPECT_EQ(change("bounds = [-1, 1]", "bounds = [-1, 1]\nrest = 0.5", past).refused,
            Texts{"rest: [0], now [0.5]"});
}

}  // namespace
}  // namespace rhc
