#include "rhc/report/plane.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rhc/model/fit_model.h"
#include "tests/every_system.h"
#include "tests/model/random_exploration.h"

namespace rhc {
namespace {

constexpr double kPi = std::numbers::pi;

std::vector<std::string> names_of(const std::vector<Coordinate>& coordinates) {
  std::vector<std::string> names;
  for (const Coordinate& c : coordinates) names.push_back(c.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Coordinates, AreTheObservationsWithAnglesInsteadOfTheirCosinesAndSines) {
  EXPECT_EQ(names_of(coordinates_of(make_system("mountain-car").spec())),
            (Names{"position", "velocity"}));
  EXPECT_EQ(names_of(coordinates_of(make_system("pendulum").spec())), (Names{"angle", "thetadot"}));
  EXPECT_EQ(names_of(coordinates_of(make_system("cartpole").spec())),
            (Names{"x", "angle", "xdot", "thetadot"}));
}

TEST(Coordinates, OfNamedAnglesAreCalledLikeThem) {
  SystemSpec spec = make_system("pendulum").spec();
  for (const auto& [cosine, name] :
       {std::pair("cos_hip", "hip"), std::pair("cos(knee)", "knee"), std::pair("cos", "angle"),
        std::pair("cosine", "angle"), std::pair("c", "c"), std::pair("cos-a", "a")}) {
    spec.observation[0].name = cosine;
    EXPECT_EQ(coordinates_of(spec)[0].name, name);
  }
}

class EverySystem : public testing::TestWithParam<std::string> {
 protected:
  const System system_ = make_system(GetParam());
  const SystemSpec& spec_ = system_.spec();
  const std::vector<Coordinate> coordinates_ = coordinates_of(spec_);
};

TEST_P(EverySystem, HasCoordinatesThatReadWhatWasSet) {
  for (const Coordinate& c : coordinates_)
    for (const double value : {-3.0, -0.7, 0.0, 1.3, 3.1}) {
      Vector observation = Vector::Constant(spec_.outputs(), 0.25);
      c.set(observation, value);
      EXPECT_NEAR(c.of(observation), value, 1e-15) << c.name;
      Index changed = 0;
      for (const double v : observation) changed += v != 0.25;
      EXPECT_LE(changed, c.sine < 0 ? 1 : 2) << c.name << " touches others";
    }
}

// Model and plane as a run has them.
struct Unsure {
  BayesianLinearModel model;
  Plane plane;
  Vector around;
};

Unsure unsure(const System& system, std::size_t x, std::size_t y) {
  const FourierFeatures draw =
      draw_features(40, system.spec().inputs(), RandomStream(1, "features"));
  const BayesianLinearModel model = fit_model(draw, explore_at_random(system, {}, 1, 1), {}).model;
  return {model, {x, y, {-1.5, 2}, {-0.5, 3}}, system.observe(system.spec().start)};
}

// Entropy of a normal distribution with these variances, added up output by output.
double entropy_at(const BayesianLinearModel& model, const Vector& observation,
                  const Vector& action) {
  Vector input(observation.size() + action.size());
  input << observation, action;
  const Prediction p = model.predict(input);
  double nats = 0;
  for (Index j = 0; j < p.noise.size(); ++j)
    nats += 0.5 * std::log(2 * kPi * (p.epistemic(j, 0) + p.noise[j])) + 0.5;
  return nats;
}

TEST_P(EverySystem, HasAnEntropyMapThatIsThePredictionsEntropyPointByPoint) {
  constexpr Index kCells = 7;
  for (std::size_t x = 0; x < coordinates_.size(); ++x)
    for (std::size_t y = 0; y < coordinates_.size(); ++y) {
      if (x == y) continue;
      const Unsure u = unsure(system_, x, y);
      const Matrix map = entropy_map(u.model, spec_, coordinates_, u.plane, u.around, kCells);
      ASSERT_EQ(map.rows(), kCells);
      ASSERT_EQ(map.cols(), kCells);
      for (Index row = 0; row < kCells; ++row)
        for (Index column = 0; column < kCells; ++column) {
          Vector point = u.around;
          coordinates_[x].set(point, -1.5 + 3.5 * (static_cast<double>(column) + 0.5) / kCells);
          coordinates_[y].set(point, -0.5 + 3.5 * (static_cast<double>(row) + 0.5) / kCells);
          EXPECT_NEAR(map(row, column),
                      entropy_at(u.model, point, Vector::Zero(spec_.action_bounds.size())), 1e-7)
              << coordinates_[x].name << "," << coordinates_[y].name;
        }
    }
}

// One episode and 40 features tell enough of few inputs.
class EverySmallSystem : public EverySystem {};

TEST_P(EverySmallSystem, IsLessSureFarFromItsDataThanNearIt) {
  Unsure u = unsure(system_, 0, coordinates_.size() - 1);
  const Coordinate &cx = coordinates_[u.plane.x], &cy = coordinates_[u.plane.y];
  const double x = cx.of(u.around), y = cy.of(u.around);
  u.plane.x_range = {x - 1e-3, x + 1e-3};
  u.plane.y_range = {y - 1e-3, y + 1e-3};
  const double near = entropy_map(u.model, spec_, coordinates_, u.plane, u.around, 1).maxCoeff();
  u.plane.y_range = {y + 30, y + 31};
  const double far = entropy_map(u.model, spec_, coordinates_, u.plane, u.around, 5).minCoeff();
  EXPECT_GT(far, near + 1);
}

RHC_FOR_EVERY_SYSTEM(EverySystem);
RHC_FOR_EVERY_PAPER_SYSTEM(EverySmallSystem);

TEST(EntropyMap, TakesTheNearestActionWhereZeroIsOutOfBounds) {
  const System pendulum = make_system("pendulum");
  SystemSpec spec = pendulum.spec();
  spec.action_bounds = {Vector::Constant(1, 0.4), Vector::Constant(1, 0.9)};
  const Unsure u = unsure(pendulum, 0, 1);
  const auto coordinates = coordinates_of(spec);
  Vector centre = u.around;
  coordinates[0].set(centre, 0.25);
  coordinates[1].set(centre, 1.25);
  EXPECT_NEAR(entropy_map(u.model, spec, coordinates, u.plane, u.around, 1)(0, 0),
              entropy_at(u.model, centre, Vector::Constant(1, 0.4)), 1e-9);
}

Trajectory through(std::initializer_list<double> speeds) {
  Trajectory t{Matrix::Zero(3, static_cast<Index>(speeds.size())),
               Matrix::Zero(1, static_cast<Index>(speeds.size()) - 1)};
  Index at = 0;
  for (const double speed : speeds) t.observations(2, at++) = speed;
  return t;
}

const std::vector<Coordinate> kPendulum = coordinates_of(make_system("pendulum").spec());

TEST(Range, OfAnAngleIsTheWholeCircle) {
  const Interval range = range_of(kPendulum[0], {});
  EXPECT_EQ(range.low, -kPi);
  EXPECT_EQ(range.high, kPi);
}

TEST(Range, IsATenthWiderThanWhereTheTrajectoriesWent) {
  const Trajectory a = through({0, 3, 1}), b = through({-7, 2});
  const Interval range = range_of(kPendulum[1], {&a, &b});
  EXPECT_DOUBLE_EQ(range.low, -8);
  EXPECT_DOUBLE_EQ(range.high, 4);
}

TEST(Range, OfWhatNeverMovedIsNotEmpty) {
  const Trajectory still = through({5, 5, 5}), far = through({1e9});
  EXPECT_LT(range_of(kPendulum[1], {&still}).low, 5);
  EXPECT_GT(range_of(kPendulum[1], {&still}).high, 5);
  EXPECT_LT(range_of(kPendulum[1], {&far}).low, 1e9);
}

TEST(Range, OfNoTrajectoriesIsSomething) {
  const Interval range = range_of(kPendulum[1], {});
  EXPECT_LT(range.low, range.high);
}

}  // namespace
}  // namespace rhc
