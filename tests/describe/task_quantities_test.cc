#include "rhc/describe/task_quantities.h"

#include <gtest/gtest.h>

#include <numbers>

#include "rhc/system/cartpole.h"
#include "tests/rig.h"

namespace rhc {
namespace {

TEST(TaskQuantities, CallsAngleOfABundledSystemByItsState) {
  const std::vector<TaskQuantity> all = task_quantities(Cartpole{}.spec());
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].quantity.name, "x");
  EXPECT_FALSE(all[0].angle());
  EXPECT_EQ(all[1].quantity.name, "theta");
  EXPECT_EQ(all[1].at, 1);
  EXPECT_EQ(all[1].sine, 2);
  EXPECT_EQ(all[2].quantity.name, "xdot");
}

TEST(TaskQuantities, TakesTheUnitOfADescribedAngle) {
  const std::vector<TaskQuantity> all =
      task_quantities(rig(with(kRig, "unit = \"rad\"", "unit = \"deg\"")).system.spec());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].quantity.name, "theta");
  EXPECT_EQ(all[0].quantity.unit, "deg");
  EXPECT_DOUBLE_EQ(all[0].radians, std::numbers::pi / 180);
  EXPECT_EQ(all[1].half, 8) << "of its range, [-8, 8]";
}

TEST(TaskQuantities, NamesAnAngleThatHasNoNameByItsCosine) {
  SystemSpec spec = Pendulum{}.spec();
  spec.state = {{"o0", ""}, {"o2", ""}};
  spec.observation = {{"o0", ""}, {"o1", ""}, {"o2", ""}};
  const std::vector<TaskQuantity> all = task_quantities(spec);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].quantity.name, "angle_o0");
  EXPECT_EQ(all[1].quantity.name, "o2");
}

}  // namespace
}  // namespace rhc
