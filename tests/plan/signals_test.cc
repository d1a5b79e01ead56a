#include "rhc/plan/signals.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/repeats.h"

namespace rhc {
namespace {

using Signal = std::function<Matrix(const Box&, Index, RandomStream)>;

struct Named {
  std::string name;
  Signal signal;
};

const std::vector<Named> kSignals = {
    {"white", white_signal},
    {"coloured", coloured_signal},
    {"held",
     [](const Box& b, Index T, RandomStream r) {
       return held_signal(b, T, 0.1 * static_cast<double>(T), std::move(r));
     }},
    {"levels", [](const Box& b, Index T, RandomStream r) {
       return levels_signal(b, T, 0.1 * static_cast<double>(T), 3, std::move(r));
     }}};

// Bounds that are opposite, or anywhere.
Box random_bounds(std::uint64_t seed, bool opposite) {
  RandomStream r(seed, "bounds");
  Box box{Vector(2), Vector(2)};
  for (Index i = 0; i < 2; ++i) {
    box.lower[i] = r.uniform(-3, 0);
    box.upper[i] = opposite ? -box.lower[i] : box.lower[i] + r.uniform(0, 4);
  }
  return box;
}

void expect_signals_inside(bool opposite) {
  for (int seed = 1; seed <= repeats(200, 10000); ++seed) {
    const Box bounds = random_bounds(static_cast<std::uint64_t>(seed), opposite);
    for (const Named& s : kSignals) {
      const Matrix actions =
          s.signal(bounds, 40, RandomStream(static_cast<std::uint64_t>(seed), "signal"));
      for (Index t = 0; t < 40; ++t)
        ASSERT_TRUE(bounds.contains(actions.col(t))) << s.name << ", seed " << seed;
    }
  }
}

void expect_bounds_only(bool opposite) {
  for (int seed = 1; seed <= repeats(200, 10000); ++seed) {
    const Box bounds = random_bounds(static_cast<std::uint64_t>(seed), opposite);
    const Matrix actions =
        held_signal(bounds, 30, 4, RandomStream(static_cast<std::uint64_t>(seed), "signal"));
    for (Index t = 0; t < 30; ++t)
      for (Index i = 0; i < 2; ++i)
        ASSERT_TRUE(actions(i, t) == bounds.lower[i] || actions(i, t) == bounds.upper[i])
            << "seed " << seed;
  }
}

TEST(Signals, StayInsideOppositeBounds) { expect_signals_inside(true); }
TEST(Signals, StayInsideAnyBounds) { expect_signals_inside(false); }

TEST(Signals, HeldTakesOppositeBoundsOnly) { expect_bounds_only(true); }
TEST(Signals, HeldTakesAnyBoundsOnly) { expect_bounds_only(false); }

TEST(Signals, AreTheSameForTheSameStream) {
  const Box bounds = random_bounds(1, false);
  for (const Named& s : kSignals) {
    const Matrix first = s.signal(bounds, 50, RandomStream(7, "signal"));
    EXPECT_EQ(first, s.signal(bounds, 50, RandomStream(7, "signal"))) << s.name;
    EXPECT_NE(first, s.signal(bounds, 50, RandomStream(8, "signal"))) << s.name;
  }
}

TEST(Signals, LevelsAreThoseAskedForAndHalfOfThemTheBounds) {
  const Box bounds{Vector::Constant(1, -3), Vector::Constant(1, 3)};
  const Matrix actions = levels_signal(bounds, 4000, 8, 3, RandomStream(1, "signal"));
  double at_bounds = 0;
  for (const double level : {-3.0, -2.0, -1.0, 1.0, 2.0, 3.0}) {
    const auto count =
        static_cast<double>(((actions.array() - level).abs() < 1e-12).count()) / 4000;
    EXPECT_GT(count, 0.05) << level;
    if (std::abs(level) == 3) at_bounds += count;
  }
  EXPECT_NEAR(at_bounds, 0.5, 0.05);
  EXPECT_TRUE(((actions.array().abs() - 1).abs() < 1e-12 ||
               (actions.array().abs() - 2).abs() < 1e-12 || actions.array().abs() == 3)
                  .all());
}

TEST(Signals, LevelsInBetweenLieAnywhereBelowTheirs) {
  const Box bounds{Vector::Constant(1, -3), Vector::Constant(1, 3)};
  const Matrix actions = levels_signal(bounds, 4000, 8, 3, RandomStream(1, "signal"), true);
  EXPECT_LE(actions.maxCoeff(), 3);
  EXPECT_GE(actions.minCoeff(), -3);
  double at_most_two = 0;
  for (int part = 0; part < 30; ++part) {
    const auto inside =
        (actions.array().abs() >= 0.1 * part) && (actions.array().abs() < 0.1 * part + 0.1);
    EXPECT_GT(inside.count(), 10) << "a tenth of a unit from " << 0.1 * part;
    if (part < 20) at_most_two += static_cast<double>(inside.count()) / 4000;
  }
  EXPECT_NEAR(at_most_two, 0.5, 0.07);
}

TEST(Signals, HoldAboutAsLongAsAsked) {
  const Box bounds{Vector::Constant(1, -1), Vector::Constant(1, 1)};
  for (const double hold : {4.0, 20.0}) {
    const Matrix actions = held_signal(bounds, 4000, hold, RandomStream(1, "signal"));
    const auto changes =
        (actions.rightCols(3999).array() != actions.leftCols(3999).array()).count();
    EXPECT_NEAR(4000.0 / static_cast<double>(changes + 1), hold, 0.15 * hold);
  }
}

TEST(Signals, WhiteReachesTheWholeRange) {
  const Box bounds{Vector::Constant(1, -2), Vector::Constant(1, 4)};
  const Matrix actions = white_signal(bounds, 4000, RandomStream(1, "signal"));
  EXPECT_LT(actions.minCoeff(), -1.95);
  EXPECT_GT(actions.maxCoeff(), 3.95);
  EXPECT_NEAR(actions.mean(), 1, 0.1);
}

TEST(Signals, ActionsAreIndependentOfEachOther) {
  const Box bounds{Vector::Constant(2, -1), Vector::Constant(2, 1)};
  for (const Named& s : kSignals) {
    const Matrix actions = s.signal(bounds, 40, RandomStream(3, "signal"));
    EXPECT_NE(actions.row(0), actions.row(1)) << s.name;
  }
}

TEST(Signals, AreFiniteWithoutBounds) {
  Box bounds = Box::unbounded(3);
  bounds.lower[0] = 5;
  bounds.upper[1] = -5;
  for (const Named& s : kSignals) {
    const Matrix actions = s.signal(bounds, 40, RandomStream(4, "signal"));
    EXPECT_TRUE(actions.allFinite()) << s.name;
    EXPECT_GE(actions.row(0).minCoeff(), 5) << s.name;
    EXPECT_LE(actions.row(1).maxCoeff(), -5) << s.name;
  }
}

TEST(Signals, TakeOneStep) {
  for (const Named& s : kSignals)
    EXPECT_TRUE(s.signal(random_bounds(1, false), 1, RandomStream(5, "signal")).allFinite())
        << s.name;
}

}  // namespace
}  // namespace rhc
