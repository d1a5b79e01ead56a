#include "rhc/model/maximize_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rhc/core/error.h"
#include "rhc/format/csv_table.h"
#include "rhc/model/fit_regression.h"
#include "tests/every_system.h"
#include "tests/model/random_exploration.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

// y = sin(2 x1) + noise; the second input says nothing.
Transitions wave(Index count, double noise, std::uint64_t seed) {
  RandomStream r(seed, "wave");
  Transitions data{Matrix(2, count), Matrix(1, count)};
  for (Index t = 0; t < count; ++t) {
    data.inputs.col(t) << r.uniform(-2, 2), r.uniform(-2, 2);
    data.outputs(0, t) = std::sin(2 * data.inputs(0, t)) + noise * r.normal();
  }
  return data;
}

EvidenceFit fit(const Transitions& data, const EvidenceSettings& settings = {},
                Index features = 60) {
  const FourierFeatures draw =
      draw_features(features, data.inputs.rows(), RandomStream(1, "features"));
  return maximize_evidence(draw, data, standardization_of(data.outputs), settings);
}

TEST(MaximizeEvidence, FindsTheNoise) {
  const Transitions data = wave(400, 0.1, 1);
  const double scale = standardization_of(data.outputs).scale[0];
  EXPECT_NEAR(fit(data).hyperparameters.noise[0] * scale, 0.1, 0.015);
}

TEST(MaximizeEvidence, TellsTheInputThatMattersFromTheOther) {
  const Hyperparameters h = fit(wave(400, 0.1, 2)).hyperparameters;
  EXPECT_GT(h.bandwidth[1], 10 * h.bandwidth[0]);
}

TEST(MaximizeEvidence, ReportsParametersAtABound) {
  const EvidenceFit noise_free = fit(wave(200, 0, 3));
  EXPECT_NE(std::find(noise_free.at_bound.begin(), noise_free.at_bound.end(), "noise[0]"),
            noise_free.at_bound.end());
  EXPECT_DOUBLE_EQ(noise_free.hyperparameters.noise[0], EvidenceSettings{}.noise_floor);
  const EvidenceFit noisy = fit(wave(200, 0.2, 3));
  EXPECT_EQ(noisy.at_bound, std::vector<std::string>{"bandwidth[1]"})
      << "the input that says nothing";
}

TEST(MaximizeEvidence, CanKeepTheMeanDistances) {
  const Transitions data = wave(100, 0.1, 4);
  const EvidenceFit kept = fit(data, {.bandwidth = BandwidthRule::mean_distance});
  EXPECT_LT((kept.hyperparameters.bandwidth - mean_pairwise_distance(data.inputs)).norm(), 1e-12);
  EXPECT_TRUE(kept.at_bound.empty()) << "a fixed bandwidth is not at a bound";
  EXPECT_LT(kept.log_evidence, fit(data).log_evidence);
}

TEST(MaximizeEvidence, IsTheSameOnAnyNumberOfThreads) {
  const Transitions data = wave(150, 0.05, 5);
  const EvidenceFit one = fit(data, {.threads = 1}), four = fit(data, {.threads = 4});
  EXPECT_EQ(one.hyperparameters.bandwidth, four.hyperparameters.bandwidth);
  EXPECT_EQ(one.hyperparameters.prior_precision, four.hyperparameters.prior_precision);
  EXPECT_EQ(one.log_evidence, four.log_evidence);
}

// Evidence is reported in the units of the observations: scaling the outputs by c shifts it by N
// log c.
TEST(MaximizeEvidence, CountsInTheUnitsOfTheObservations) {
  const Transitions data = wave(100, 0.1, 6);
  Transitions scaled = data;
  scaled.outputs *= 1000;
  EXPECT_NEAR(fit(data).log_evidence - fit(scaled).log_evidence, 100 * std::log(1000.0), 1e-2);
}

TEST(MaximizeEvidence, NeverEndsBelowThePreviousFit) {
  const Transitions data = explore_at_random(make_system("pendulum"), {}, 2, 3);
  const FourierFeatures draw = draw_features(60, 4, RandomStream(3, "features"));
  const Standardization standardization = standardization_of(data.outputs);
  const EvidenceFit good = maximize_evidence(draw, data, standardization, {.starts = 64});
  const EvidenceSettings careless{.starts = 1, .seed = 8};
  const EvidenceFit again =
      maximize_evidence(draw, data, standardization, careless, good.hyperparameters);
  EXPECT_GE(again.objective, good.objective - 1e-6 * std::abs(good.objective));
}

TEST(MaximizeEvidence, TakesAnythingFiniteWithoutFailing) {
  for (const Index count : {1, 2, 3}) EXPECT_NO_THROW(fit(wave(count, 0, 7))) << count;
  Transitions constant = wave(20, 0, 7);
  constant.inputs.setConstant(0.5);
  constant.outputs.setZero();
  const EvidenceFit got = fit(constant);
  EXPECT_TRUE(std::isfinite(got.log_evidence));
  Transitions huge = wave(20, 0.1, 8);
  huge.inputs *= 1e9;
  huge.outputs *= 1e-9;
  EXPECT_TRUE(std::isfinite(fit(huge).log_evidence));
}

TEST(MaximizeEvidence, RefusesNothingAndNan) {
  EXPECT_THROW(fit({Matrix(2, 0), Matrix(1, 0)}), InputError);
  Transitions bad = wave(10, 0.1, 9);
  bad.inputs(1, 4) = std::nan("");
  EXPECT_THROW(fit(bad), InputError);
}

class EverySystem : public testing::TestWithParam<std::string> {};

// Best of 50 starts of scipy's L-BFGS-B on the same function, as `bench/peers/evidence.py` found
// them. A single start was seen to end a whole nat below.
TEST_P(EverySystem, NeverEndsBelowTheBestOfFiftyStarts) {
  const System system = make_system(GetParam());
  const CsvTable table(std::filesystem::path(RHC_TEST_DATA) /
                       ("evidence_best_of_50_" + GetParam() + ".csv"));
  const Matrix rows = table.numbers({"episodes", "features", "seed", "objective"});
  ASSERT_GE(rows.rows(), 20);
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto seed = static_cast<std::uint64_t>(rows(i, 2));
    const Transitions data = explore_at_random(system, {}, static_cast<int>(rows(i, 0)), seed);
    const FourierFeatures draw = draw_features(
        static_cast<Index>(rows(i, 1)), system.spec().inputs(), RandomStream(seed, "features"));
    const EvidenceSettings settings{.region = sample_region(system, 64, RandomStream(0, "region")),
                                    .seed = seed};
    const EvidenceFit got =
        maximize_evidence(draw, data, standardization_of(data.outputs), settings);
    const double values = static_cast<double>(data.count() * data.outputs.rows());
    EXPECT_GT(got.objective / values, rows(i, 3) / values - 0.02)
        << GetParam() << ", seed " << seed;
  }
}

RHC_FOR_EVERY_PAPER_SYSTEM(EverySystem);

// Two bend the output, one moves it a little; the rest says nothing.
Transitions wave_in_many_inputs(Index inputs, Index count, double noise, std::uint64_t seed) {
  RandomStream r(seed, "many inputs");
  Transitions data{Matrix(inputs, count), Matrix(1, count)};
  for (double& v : data.inputs.reshaped()) v = r.uniform(-2, 2);
  for (Index t = 0; t < count; ++t)
    data.outputs(0, t) = std::sin(2 * data.inputs(0, t)) + 0.2 * data.inputs(1, t) +
                         0.5 * std::cos(1.5 * data.inputs(2, t)) + noise * r.normal();
  return data;
}

TEST(MaximizeEvidence, TellsWhatMattersInManyInputs) {
  for (const Index inputs : {11, 30}) {
    const Transitions data = wave_in_many_inputs(inputs, 600, 0.05, 3);
    const FourierFeatures draw =
        with_affine_part(draw_features(200, inputs, RandomStream(3, "features")), data.inputs);
    const Hyperparameters found =
        maximize_evidence(draw, data, standardization_of(data.outputs), {}).hyperparameters;
    const double least = found.bandwidth.tail(inputs - 3).minCoeff();
    for (const Index j : {0, 2})
      EXPECT_LT(found.bandwidth[j], 0.3 * least) << inputs << " inputs, " << j;
    EXPECT_LT(found.noise[0] * standardization_of(data.outputs).scale[0], 0.2) << inputs;
  }
}

// A floor that does not bind is no part of the question.
TEST(MaximizeEvidence, FindsTheSameWhateverTheFloorBelowTheNoise) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(repeats(1, 12)); ++seed) {
    const Index inputs = 9 + static_cast<Index>(seed % 4) * 3;
    const Transitions data = wave_in_many_inputs(inputs, 400, 0.1, seed);
    const FourierFeatures draw =
        with_affine_part(draw_features(120, inputs, RandomStream(seed, "features")), data.inputs);
    double most = -kInfinity;
    std::vector<double> found;
    for (const double floor : {1e-4, 1e-3, 1e-2, 3e-2}) {
      const EvidenceFit fit = maximize_evidence(draw, data, standardization_of(data.outputs),
                                                {.noise_floor = floor, .seed = seed});
      ASSERT_GT(fit.hyperparameters.noise[0], 3e-2) << "else it binds";
      found.push_back(fit.log_evidence);
      most = std::max(most, fit.log_evidence);
    }
    EXPECT_GT(found[0], most - 0.02 * static_cast<double>(data.count())) << seed;
  }
}

// A tenth of them moves far more than the rest: features that explain it would be sure of too much.
TEST(MaximizeEvidence, IsNotSurerOfManyInputsThanItMayBe) {
  const auto data = [](std::uint64_t seed) {
    Transitions made = wave_in_many_inputs(10, 1000, 0.05, seed);
    RandomStream r(seed, "kicks");
    for (Index t = 0; t < made.count(); ++t)
      if (r.uniform(0, 1) < 0.1) made.outputs(0, t) += 2 * r.normal();
    return made;
  };
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(repeats(1, 10)); ++seed) {
    const Transitions seen = data(seed), unseen = data(seed + 100);
    const FourierFeatures draw =
        with_affine_part(draw_features(400, 10, RandomStream(seed, "features")), seen.inputs);
    const Standardization scale = standardization_of(seen.outputs);
    BayesianLinearModel model(
        draw, maximize_evidence(draw, seen, scale, {.seed = seed}).hyperparameters, scale);
    model.learn(seen);
    const Prediction there = model.predict(unseen.inputs);
    const Matrix deviation = (there.epistemic.array() + there.noise[0]).sqrt();
    const double squares = (unseen.outputs - there.mean).cwiseQuotient(deviation).squaredNorm() /
                           static_cast<double>(unseen.count());
    EXPECT_GT(squares, 0.7) << seed;
    EXPECT_LT(squares, 1.4) << seed;
  }
}

TEST(MaximizeEvidence, EndsAtTheNextEvaluationWhenAskedTo) {
  for (const Index inputs : {2, 10}) {
    Transitions data = wave(100, 0.1, 5);
    data.inputs.conservativeResize(inputs, Eigen::NoChange);
    RandomStream r(5, "other inputs");
    for (double& v : data.inputs.bottomRows(inputs - 2).reshaped()) v = r.normal();
    int asked = 0;
    const auto fit_until = [&](int last) {
      asked = 0;
      return fit(data, {.starts = 8, .stop = StopSignal([&asked, last] { return ++asked > last; })},
                 40);
    };
    fit_until(1 << 30);
    const int all = asked;
    ASSERT_GT(all, 50) << "a question an evaluation";
    for (const int last : {0, 1, all / 3, all / 2, all - 1}) {
      EXPECT_THROW(fit_until(last), Interrupted) << inputs << " " << last;
      EXPECT_EQ(asked, last + 1) << inputs;
    }
  }
}

// The floor comes back through a square root, with a rounding error of its own.
TEST(MaximizeEvidence, ReportsANoiseAtItsFloorWhateverTheNumberOfTransitions) {
  for (Index N = 20; N < 40; ++N) {
    Transitions data{Matrix(1, N), Matrix(1, N)};
    data.inputs.row(0) = Vector::LinSpaced(N, -1, 1).transpose();
    data.outputs = 0.3 * data.inputs;
    const auto fit = maximize_evidence(draw_features(20, 1, RandomStream(1, "features")), data,
                                       standardization_of(data.outputs), {.starts = 4});
    ASSERT_LE(fit.hyperparameters.noise[0], 1e-4 * (1 + 1e-6)) << "else this shows nothing";
    EXPECT_NE(std::find(fit.at_bound.begin(), fit.at_bound.end(), "noise[0]"), fit.at_bound.end())
        << N << " transitions";
  }
}

}  // namespace
}  // namespace rhc
