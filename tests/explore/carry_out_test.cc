#include "rhc/explore/carry_out.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/pendulum.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

// Throws at its n-th step, counted from 1, over all episodes.
template <class Failure>
class ThrowingAt final : public Plant {
 public:
  explicit ThrowingAt(int step) : left_(step) {}

  Vector reset(const Vector& state) override { return plant_.reset(state); }
  Vector step(const Vector& action) override {
    if (--left_ == 0) throw Failure("a wire broke");
    return plant_.step(action);
  }

 private:
  SimulatedPlant plant_{Pendulum{}, {}, RandomStream(1, "plant")};
  int left_;
};

using FailingAt = ThrowingAt<PlantFailure>;

const Policy kFull = [](const Vector&, int) -> Vector { return Vector::Constant(1, 5); };

TEST(CarryOut, ActsWithinTheBoundsUntilTheHorizon) {
  SimulatedPlant plant(Pendulum{}, {}, RandomStream(1, "plant"));
  const SystemSpec spec = Pendulum{}.spec();
  const Trajectory seen = carry_out(kFull, plant, spec, 1, {});
  EXPECT_EQ(seen.steps(), spec.horizon);
  EXPECT_TRUE((seen.actions.array() == 1).all());
}

TEST(CarryOut, EndsAtTheFirstObservationOutsideTheLimits) {
  SimulatedPlant plant(Cartpole{}, {}, RandomStream(1, "plant"));
  const SystemSpec spec = Cartpole{}.spec();
  const Policy push = [&](const Vector&, int) -> Vector { return spec.action_bounds.upper; };
  const Trajectory seen = carry_out(push, plant, spec, 1, {});
  ASSERT_LT(seen.steps(), spec.horizon);
  EXPECT_FALSE(spec.limits.contains(seen.observations.col(seen.steps())));
  EXPECT_TRUE(spec.limits.contains(seen.observations.col(seen.steps() - 1)));
}

// Says with its n-th measurement that the episode is over.
class EndingAt final : public Plant {
 public:
  explicit EndingAt(int step) : left_(step) {}

  Vector reset(const Vector& state) override { return plant_.reset(state); }
  Vector step(const Vector& action) override {
    --left_;
    return plant_.step(action);
  }
  bool ended() const override { return left_ <= 0; }

 private:
  SimulatedPlant plant_{Pendulum{}, {}, RandomStream(1, "plant")};
  int left_;
};

TEST(CarryOut, EndsWhereThePlantSaysSo) {
  for (const int steps : {1, 8}) {
    EndingAt plant(steps);
    const Trajectory seen = carry_out(kFull, plant, Pendulum{}.spec(), 1, {});
    EXPECT_EQ(seen.steps(), steps);
    EXPECT_TRUE(seen.ended);
  }
  EndingAt never(1000);
  EXPECT_FALSE(carry_out(kFull, never, Pendulum{}.spec(), 1, {}).ended);
}

TEST(CarryOut, KeepsWhatWasSeenBeforeThePlantFailed) {
  FailingAt plant(8);
  std::vector<std::string> remarks;
  const Trajectory seen = carry_out(kFull, plant, Pendulum{}.spec(), 3,
                                    {.remark = [&](auto& what) { remarks.push_back(what); }});
  EXPECT_EQ(seen.steps(), 7);
  EXPECT_EQ(remarks,
            std::vector<std::string>{"episode 3 ended after 7 of 100 steps: a wire broke"});
}

TEST(CarryOut, BeginsAgainWhereNothingWasSeenYet) {
  FailingAt plant(1);
  int decisions = 0;
  std::vector<std::string> remarks;
  const Policy counting = [&](const Vector&, int) -> Vector {
    ++decisions;
    return Vector::Zero(1);
  };
  const Trajectory seen = carry_out(counting, plant, Pendulum{}.spec(), 1,
                                    {.remark = [&](auto& what) { remarks.push_back(what); }});
  EXPECT_EQ(seen.steps(), 100);
  EXPECT_EQ(decisions, 100) << "the first action is decided once";
  EXPECT_EQ(remarks.size(), 1U);
}

template <class End>
void expect_what_was_seen_is_told_before_the_end() {
  ThrowingAt<End> plant(8);
  std::vector<Index> steps;
  const EpisodeListener listener{
      .unfinished = [&](const Trajectory& seen) { steps.push_back(seen.steps()); }};
  EXPECT_THROW(carry_out(kFull, plant, Pendulum{}.spec(), 3, listener), End);
  EXPECT_EQ(steps, std::vector<Index>{7});
  ThrowingAt<End> at_once(1);
  EXPECT_THROW(carry_out(kFull, at_once, Pendulum{}.spec(), 3, listener), End);
  EXPECT_EQ(steps.size(), 1U) << "nothing was seen";
}

TEST(CarryOut, TellsWhatWasSeenBeforeThePlantEndsAll) {
  expect_what_was_seen_is_told_before_the_end<PlantStop>();
  expect_what_was_seen_is_told_before_the_end<PlantGivenUp>();
}

}  // namespace
}  // namespace rhc
