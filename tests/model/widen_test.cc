#include "rhc/model/widen.h"

#include <gtest/gtest.h>

#include "rhc/system/pendulum.h"
#include "tests/model/random_exploration.h"

namespace rhc {
namespace {

FeatureDraws drawn(Index shared, Index by_output, const char* purpose) {
  FeatureDraws draws{draw_features(shared, 4, RandomStream(1, purpose))};
  for (std::uint64_t j = 0; j < 3; ++j)
    draws.by_output.push_back(draw_features(by_output, 4, RandomStream(2 + j, purpose)));
  return draws;
}

EvidenceSettings quick() {
  EvidenceSettings settings;
  settings.starts = 4;
  return settings;
}

// Far from what was learned from: half a turn away, and fast.
Matrix far_away() {
  Matrix z(4, 2);
  z << 1, 0.6, 0, 0.8, 9, -9, 1, -1;
  return z;
}

TEST(Widened, ExplainsTheDataAsWell) {
  const Transitions data = explore_at_random(Pendulum{}, {}, 2, 3);
  const FeatureDraws draws = drawn(80, 40, "features");
  for (const Sharing kind : {Sharing::shared, Sharing::separate}) {
    const Regression fitted = fit_regression(draws, data, kind, quick()).regression;
    const Regression wide = widened(fitted, drawn(300, 200, "wide features"), data);
    const Matrix error = wide.predict(data.inputs).mean - data.outputs;
    const Vector scale = standardization_of(data.outputs).scale;
    for (Index j = 0; j < 3; ++j)
      EXPECT_LT(std::sqrt(error.row(j).squaredNorm() / static_cast<double>(data.count())),
                0.02 * scale[j])
          << j;
  }
}

// 20 features that follow 200 transitions leave no doubt anywhere.
TEST(Widened, DoubtsWhereFewFeaturesDoNot) {
  const Transitions data = explore_at_random(Pendulum{}, {}, 2, 3);
  const Regression fitted =
      fit_regression(drawn(20, 10, "features"), data, Sharing::shared, quick()).regression;
  const Regression wide = widened(fitted, drawn(400, 10, "wide features"), data);
  const Matrix few = fitted.predict(far_away()).epistemic,
               many = wide.predict(far_away()).epistemic;
  EXPECT_GT((many.array() / few.array()).minCoeff(), 2);
}

TEST(PossibleFits, AreBothKindsAndMoreWhereDataAreFew) {
  const FeatureDraws draws = drawn(40, 20, "features"), wide = drawn(200, 200, "wide features");
  const auto count_for = [&](int episodes) {
    const Transitions data = explore_at_random(Pendulum{}, {}, episodes, 3);
    const FittedRegression shared = fit_regression(draws, data, Sharing::shared, quick());
    const FittedRegression separate = fit_regression(draws, data, Sharing::separate, quick());
    const LastFits both{shared.last.shared, separate.last.by_output};
    return possible_fits(both, draws, wide, data, quick()).size();
  };
  EXPECT_EQ(count_for(1), 8u);
  EXPECT_EQ(count_for(6), 2u);
}

TEST(PossibleFits, OfFewDataDiffer) {
  const FeatureDraws draws = drawn(40, 20, "features"), wide = drawn(200, 200, "wide features");
  const Transitions data = explore_at_random(Pendulum{}, {}, 1, 4);
  const LastFits fits = fit_regression(draws, data, Sharing::shared, quick()).last;
  const auto all = possible_fits(fits, draws, wide, data, quick());
  ASSERT_EQ(all.size(), 4u);
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_NE(all[i]->groups[0].posterior.features.bandwidth,
              all[0]->groups[0].posterior.features.bandwidth);
}

}  // namespace
}  // namespace rhc
