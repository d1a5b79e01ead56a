#include "rhc/plant/live_simulation.h"

#include <gtest/gtest.h>

#include "rhc/system/cartpole.h"
#include "rhc/system/pendulum.h"

namespace rhc {
namespace {

constexpr LiveTime kPeriod = live_seconds(0.1);

struct Simulated {
  Simulated()
      : clock(simulated_clock()),
        plant(Pendulum{}, {}, RandomStream(1, "simulated"), clock, kPeriod) {
    plant.begin(Pendulum{}.spec().start);
    begun = clock.now();
  }

  LiveClock clock;
  LiveSimulation plant;
  LiveTime begun = 0;
  Vector seen;
};

TEST(LiveSimulation, MeasuresOnceInEveryPeriod) {
  Simulated s;
  Vector state = Pendulum{}.spec().start;
  for (int t = 0; t < 5; ++t) {
    const Heard heard = s.plant.wait(s.begun + t * kPeriod, s.seen);
    ASSERT_EQ(heard.kind, Heard::measured);
    EXPECT_EQ(heard.at, s.begun + t * kPeriod);
    EXPECT_EQ(s.seen, Pendulum{}.observe(state));
    EXPECT_EQ(s.plant.wait(s.clock.now(), s.seen).kind, Heard::nothing);
    const Vector action = Vector::Constant(1, 0.1 * t);
    s.plant.send(action);
    state = Pendulum{}.step(state, action);
  }
}

TEST(LiveSimulation, PassesTimeWhileItIsWaitedFor) {
  Simulated s;
  s.plant.wait(s.begun, s.seen);
  EXPECT_EQ(s.plant.wait(s.begun + kPeriod / 2, s.seen).kind, Heard::nothing);
  EXPECT_EQ(s.clock.now(), s.begun + kPeriod / 2);
  EXPECT_EQ(s.plant.wait(s.begun + 9 * kPeriod, s.seen).kind, Heard::measured);
  EXPECT_EQ(s.clock.now(), s.begun + kPeriod) << "not longer than it must";
}

TEST(LiveSimulation, GoesOnWithTheLastActionWhileNobodyLooks) {
  Simulated s;
  s.plant.wait(s.begun, s.seen);
  s.plant.send(Vector::Ones(1));
  s.clock.sleep_until(s.begun + 3 * kPeriod + 1);
  EXPECT_EQ(s.plant.wait(s.clock.now(), s.seen).kind, Heard::measured);
  Vector state = Pendulum{}.spec().start;
  for (int t = 0; t < 3; ++t) state = Pendulum{}.step(state, Vector::Ones(1));
  EXPECT_EQ(s.seen, Pendulum{}.observe(state));
  EXPECT_EQ(s.plant.dropped().superseded, 2u);
}

TEST(LiveSimulation, EndsOutsideTheLimits) {
  const LiveClock clock = simulated_clock();
  LiveSimulation plant(Cartpole{}, {}, RandomStream(1, "ends"), clock, kPeriod);
  Vector start = Cartpole{}.spec().start, seen;
  const LiveTime begun = clock.now();
  plant.begin(start);
  EXPECT_FALSE(plant.wait(begun, seen).ended);
  start[0] = 1000;
  plant.begin(start);
  EXPECT_TRUE(plant.wait(clock.now(), seen).ended);
}

}  // namespace
}  // namespace rhc
