#include "rhc/run/keep_control.h"

#include <gtest/gtest.h>

#include "tests/control/learned_cart.h"

namespace rhc {
namespace {

constexpr char kHead[] =
    "step,time,position,speed,position_estimated,force,source,trouble,missed\n";

std::string logged_row(int step, const std::string& trouble = "",
                       const std::string& position = "") {
  return std::to_string(step) + "," + std::to_string(0.1 * step) + "," +
         (position.empty() ? std::to_string(step) : position) + ",0.5,7," + std::to_string(-step) +
         ",plan," + trouble + ",0\n";
}

SystemSpec short_cart() {
  SystemSpec spec = PushedCart{}.spec();
  spec.horizon = 4;
  return spec;
}

std::vector<Trajectory> pieces(const std::string& rows) {
  return pieces_of(kHead + rows, "log", short_cart());
}

std::string rows(int from, int to) {
  std::string text;
  for (int step = from; step <= to; ++step) text += logged_row(step);
  return text;
}

TEST(PiecesOfAControlLog, AreAsLongAsAnExperimentAndShareTheirEnds) {
  const auto found = pieces(rows(0, 10));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].steps(), 4);
  EXPECT_EQ(found[2].steps(), 2);
  EXPECT_EQ(found[1].observations(0, 0), 4);
  EXPECT_EQ(found[1].actions(0, 0), -4);
  EXPECT_EQ(found[1].observations(0, 4), 8);
  EXPECT_EQ(found[1].observations(1, 4), 0.5);
}

TEST(PiecesOfAControlLog, EndWhereSomethingWasMissing) {
  for (const std::string& gap : {logged_row(3, "no measurement"), logged_row(3, "absurd+plan late"),
                                 logged_row(3, "", " "), std::string()}) {
    const auto found = pieces(rows(0, 2) + gap + rows(4, 6));
    ASSERT_EQ(found.size(), 2u) << gap;
    EXPECT_EQ(found[0].observations(0, found[0].steps()), 2) << gap;
    EXPECT_EQ(found[1].observations(0, 0), 4) << gap;
  }
}

TEST(PiecesOfAControlLog, EndWithAMeasurementWhoseActionWasAnother) {
  for (const char* trouble : {"not taken", "plan late+sent late"}) {
    const auto found = pieces(rows(0, 2) + logged_row(3, trouble) + rows(4, 6));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].observations(0, found[0].steps()), 3) << trouble;
    EXPECT_EQ(found[1].observations(0, 0), 4) << trouble;
  }
}

TEST(PiecesOfAControlLog, BeginWhereStepsWereMissedOrTheFilterBeganAnew) {
  for (const char* trouble : {"behind", "believed"}) {
    const auto found = pieces(rows(0, 2) + logged_row(3, trouble) + rows(4, 6));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].observations(0, found[0].steps()), 2) << trouble;
    EXPECT_EQ(found[1].observations(0, 0), 3) << trouble;
  }
}

TEST(PiecesOfAControlLog, AreReadUpToALineThatWasCutOff) {
  const std::string cut = rows(0, 3).substr(0, rows(0, 3).size() - 1);
  const auto found = pieces(cut);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].steps(), 2);
}

TEST(PiecesOfAControlLog, HaveActionsWhereTheyActed) {
  const auto found = pieces_of(kHead + rows(0, 10), "log", short_cart(), 2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].steps(), 4);
  EXPECT_EQ(found[0].observations(0, 0), 2);
  EXPECT_EQ(found[0].actions(0, 0), 0);
  EXPECT_EQ(found[1].observations(0, 0), 6);
  EXPECT_EQ(found[1].actions(0, 0), -4);
  EXPECT_EQ(found[1].observations(0, 4), 10);
}

TEST(PiecesOfAControlLog, NeedTheColumnsOfTheSystem) {
  EXPECT_THROW(pieces_of("step,time,position,force,trouble\n", "log", short_cart()), InputError);
}

Trajectory cart_from(const PushedCart& cart, double position, double action) {
  Trajectory seen{Matrix(2, 31), Matrix::Constant(1, 30, action)};
  seen.observations.col(0) << position, 0;
  for (Index t = 0; t < 30; ++t)
    seen.observations.col(t + 1) = cart.step(seen.observations.col(t), seen.actions.col(t));
  return seen;
}

TEST(MostTelling, IsWhatTheModelDoesNotExpectRatherThanMoreOfTheSame) {
  const DynamicsModel model = learned_cart();
  const Trajectory same = cart_from({}, 0, 0), pushed = cart_from({.force = 0.3}, 0, 0);
  EXPECT_EQ(most_telling({same, pushed, same}, model, 5), (std::vector<std::size_t>{1}));
  EXPECT_TRUE(most_telling({same, same}, model, 5).empty());
}

TEST(MostTelling, KeepsNoMoreThanAskedForInTheirOrder) {
  const DynamicsModel model = learned_cart();
  std::vector<Trajectory> pushed;
  for (const double force : {0.2, 0.9, 0.3, 0.8})
    pushed.push_back(cart_from({.force = force}, 0, 0));
  EXPECT_EQ(most_telling(pushed, model, 2), (std::vector<std::size_t>{1, 3}));
}

}  // namespace
}  // namespace rhc
