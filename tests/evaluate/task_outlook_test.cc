#include "rhc/evaluate/task_outlook.h"

#include <gtest/gtest.h>

#include "rhc/explore/campaign.h"
#include "tests/rig.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

TEST(TaskOutlook, PromisesLessTheMoreIsKnown) {
  const SystemFile file = rig(with(kRig, "torque = 0.001", "torque = 0.5"));
  Config config = tiny_config("rig");
  config.model.features = 40;
  config.model.posterior = Sharing::shared;
  config.plan.first_levels = 1;
  Campaign campaign(config, file.system, 1);
  const PlannerSettings settings{.starts = 6};
  std::vector<double> gains;
  for (int i = 0; i < 5; ++i) {
    campaign.tell(open_loop(Pendulum{}, campaign.ask().actions));
    const auto outlook = task_outlook(*campaign.model(), file.system, true, settings, {}, 6);
    ASSERT_TRUE(outlook);
    EXPECT_GE(outlook->gain, 0);
    EXPECT_GT(outlook->expected, 0);
    gains.push_back(outlook->gain / outlook->expected);
  }
  EXPECT_LT(gains.back(), 0.5 * gains.front());
}

TEST(TaskOutlook, IsNothingWithoutATask) {
  const SystemFile file = rig(kRig.substr(0, kRig.find("[task]")));
  EXPECT_FALSE(file.system.spec().task.weighs());
  Campaign campaign(tiny_config("rig"), file.system, 1);
  campaign.tell(open_loop(Pendulum{}, campaign.ask().actions));
  EXPECT_FALSE(task_outlook(*campaign.model(), file.system, true, {.starts = 2}, {}, 2));
}

}  // namespace
}  // namespace rhc
