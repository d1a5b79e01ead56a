// Machines that act, or are measured, whole steps late.
#include <gtest/gtest.h>

#include <deque>

#include "rhc/control/controller.h"
#include "rhc/core/error.h"
#include "tests/control/learned_cart.h"

namespace rhc {
namespace {

enum class Late { acts, is_measured };

struct Ride {
  double cost = 0;  // of where it truly is
  double off = 0;   // at most, in the last second
  double surprise = 0, most_change = 0;
};

// For ten seconds.
Ride ride(Controller& controller, const PushedCart& cart, Index steps, Late late = Late::acts) {
  const SystemSpec spec = cart.spec();
  Vector state = spec.start;
  std::deque<Vector> under_way(static_cast<std::size_t>(steps), Vector::Zero(1));
  std::deque<Vector> to_be_seen(static_cast<std::size_t>(steps), state);
  controller.start(state);
  Ride done;
  double before = 0;
  for (int t = 0; t < 100; ++t) {
    to_be_seen.push_back(state);
    const Vector action =
        controller.step(late == Late::is_measured ? to_be_seen.front() : Vector(state));
    to_be_seen.pop_front();
    done.surprise = std::max(done.surprise, controller.last().surprise);
    done.most_change = std::max(done.most_change, std::abs(action[0] - before));
    before = action[0];
    under_way.push_back(action);
    done.cost += spec.task.stage_cost(state, action);
    state = cart.step(state, late == Late::acts ? under_way.front() : action);
    under_way.pop_front();
    if (t >= 90) done.off = std::max(done.off, std::abs(state[0]));
  }
  return done;
}

Ride ride_with(int delay, Index steps, const PushedCart& cart = {}, Late late = Late::acts,
               bool learn = false) {
  Controller controller(learned_cart(), cart.spec(), {.learn = learn, .delay = delay});
  return ride(controller, cart, steps, late);
}

// What nobody can avoid: the cart stands where it is until the first action acts.
double least_cost(Index steps) {
  const SystemSpec spec = PushedCart{}.spec();
  return ride_with(0, 0).cost +
         static_cast<double>(steps) * spec.task.stage_cost(spec.start, Vector::Zero(1));
}

TEST(ControllerWithDelay, CostsNoMoreThanTheWaiting) {
  for (const int steps : {1, 2, 3}) {
    SCOPED_TRACE(steps);
    const Ride known = ride_with(steps, steps);
    EXPECT_LT(known.cost, 1.005 * least_cost(steps));
    EXPECT_LT(known.off, 0.01);
    EXPECT_LT(known.surprise, 5) << "what was measured was expected";
    EXPECT_GT(ride_with(0, steps).cost, known.cost) << "who does not know of it";
  }
}

TEST(ControllerWithDelay, IsTheSameWhereMeasurementsAreLate) {
  for (const int steps : {2, 3}) {
    const Ride known = ride_with(steps, steps, {}, Late::is_measured);
    // There, the first action acts at once.
    EXPECT_LT(known.cost, 1.05 * least_cost(0));
    EXPECT_LT(known.off, 0.01);
  }
}

TEST(ControllerWithDelay, LeavesNoOffsetUnderAConstantForce) {
  EXPECT_LT(ride_with(3, 3, {.force = 0.2}).off, 0.02);
}

TEST(ControllerWithDelay, KeepsTheRateOfActions) {
  PushedCart slow;
  slow.rate = Vector::Constant(1, 2);
  const Ride known = ride_with(2, 2, slow);
  EXPECT_LE(known.most_change, 0.2 + 1e-9);
  EXPECT_LT(known.off, 0.01);
}

TEST(ControllerWithDelay, LearnsFromWhatActedRatherThanFromWhatWasSent) {
  const Ride known = ride_with(3, 3, {}, Late::acts, true);
  EXPECT_LT(known.cost, 1.01 * least_cost(3));
  EXPECT_LT(known.off, 0.01);
}

// A model that looks back that far has learned it.
TEST(ControllerWithDelay, NeedsNoSettingWhereTheModelHasLearnedIt) {
  for (const Index steps : {2, 3}) {
    const PushedCart cart;
    Controller controller(learned_cart(steps + 1, 1e-3, steps), cart.spec());
    const Ride learned = ride(controller, cart, steps);
    EXPECT_LT(learned.cost, 1.02 * least_cost(steps)) << steps;
    EXPECT_LT(learned.off, 0.02) << steps;
  }
}

// Whoever goes on says what was sent before.
TEST(ControllerWithDelay, KnowsWhatWasSentBeforeItsStart) {
  const PushedCart cart;
  Controller controller(learned_cart(), cart.spec(), {.delay = 2});
  Trajectory before{Matrix(2, 4), Matrix(1, 3)};
  before.actions << 1, -1, 0.5;
  before.observations.col(0) << 0.3, 0.2;
  const std::vector<double> acts = {0, 0, 1, -1, 0.5};
  for (Index t = 0; t < 3; ++t)
    before.observations.col(t + 1) = cart.step(
        before.observations.col(t), Vector::Constant(1, acts[static_cast<std::size_t>(t)]));
  controller.start(before);
  Vector state = before.observations.col(3);
  double most = 0;
  for (int t = 0; t < 3; ++t) {
    controller.step(state);
    most = std::max(most, controller.last().surprise);
    if (t < 2) state = cart.step(state, Vector::Constant(1, acts[static_cast<std::size_t>(3 + t)]));
  }
  EXPECT_LT(most, 5);
}

TEST(ControllerWithDelay, RefusesWhatIsNone) {
  EXPECT_THROW(Controller(learned_cart(), PushedCart{}.spec(), {.delay = -1}), InputError);
}

}  // namespace
}  // namespace rhc
