#include "rhc/control/observer.h"

#include <gtest/gtest.h>

#include <limits>

#include "rhc/plan/control_model.h"
#include "tests/control/learned_cart.h"

namespace rhc {
namespace {

// Without disturbances it is the judge's filter, which has memory of its own for every step.
TEST(Observer, IsTheFilterOfTheControlModel) {
  for (const Index history : {1, 3}) {
    const SystemSpec spec = PushedCart{}.spec();
    const DynamicsModel model = learned_cart(history, 0.01);
    LearnedMotion motion(model, spec, 10, false);
    Observer observer(motion, Vector::Ones(1), {});
    const ControlByModel by_model(model, spec, true);
    RandomStream randomness(2, "observer");
    const Vector start = randomness.normals(2);
    StateEstimate estimate = by_model.measured_to_be(standing_at(start, 1));
    observer.start(estimate.mean);
    const PushedCart cart;
    Vector state = start;
    for (int t = 0; t < 30; ++t) {
      const Vector control = Vector::Constant(1, randomness.uniform(-1, 1));
      state = cart.step(state, control);
      const Vector seen = state + 0.01 * randomness.normals(2);
      predict(by_model, control, estimate);
      correct(by_model, seen, estimate);
      observer.predict(control, false);
      ASSERT_EQ(observer.measure(&seen), MeasuredAs::taken);
      EXPECT_LT((observer.state() - estimate.mean).norm(), 1e-9);
      EXPECT_NEAR(observer.deviation(0), std::sqrt(estimate.covariance(0, 0)), 1e-9);
    }
  }
}

// A direction that no measurement tells of does not grow without end.
TEST(Observer, IsNeverSurerAndNeverLessSureThanThereIsReasonTo) {
  const SystemSpec spec = PushedCart{}.spec();
  LearnedMotion motion(learned_cart(), spec, 10, true);
  Observer observer(motion, Vector::Ones(1), {});
  observer.start(Vector::Zero(2));
  for (int t = 0; t < 20000; ++t) {
    observer.predict(Vector::Zero(1), true);
    const Vector seen = Vector::Zero(2);
    observer.measure(t % 100 == 0 ? nullptr : &seen);
  }
  ASSERT_TRUE(observer.finite());
  EXPECT_LT(observer.deviation(0), 0.01);
  EXPECT_GT(observer.deviation(0), 1e-6);
}

}  // namespace
}  // namespace rhc
