#include "rhc/describe/description_remarks.h"

#include <gtest/gtest.h>

#include "tests/rig.h"

namespace rhc {
namespace {

std::string only_remark(const std::string& from, const std::string& to) {
  const auto remarks = remarks_on_description(rig(with(kRig, from, to)));
  EXPECT_EQ(remarks.size(), 1u) << to;
  return remarks.empty() ? "" : remarks[0];
}

TEST(DescriptionRemarks, AreNoneWhereAllIsMeant) {
  EXPECT_TRUE(remarks_on_description(rig()).empty());
}

TEST(DescriptionRemarks, TellOfARangeBeyondTheLimits) {
  EXPECT_EQ(only_remark("range = [-8, 8]", "range = [-8, 8]\nlimits = [-6, 6]"),
            "'thetadot' has the range [-8, 8], which goes beyond its limits [-6, 6], where every "
            "experiment ends");
  EXPECT_EQ(only_remark("start = 0\n", "start = 9\n"),
            "'thetadot' starts at 9, outside its range [-8, 8]");
}

TEST(DescriptionRemarks, TellOfATaskWithoutWeights) {
  EXPECT_NE(only_remark("weight = { theta = 1, thetadot = 0.01 }", "").find("weight above 0"),
            std::string::npos);
}

TEST(DescriptionRemarks, TellOfTimesThatLookLikeMilliseconds) {
  EXPECT_NE(only_remark("time_step = 0.08", "time_step = 80").find("write 0.08"),
            std::string::npos);
}

TEST(DescriptionRemarks, TellOfARateThatIsTooSlowForTheExperiment) {
  EXPECT_NE(only_remark("bounds = [-1, 1]", "bounds = [-1, 1]\nrate = 1").find("its rate is 1"),
            std::string::npos);
}

}  // namespace
}  // namespace rhc
