#include "rhc/model/bayesian_linear_model.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "rhc/core/error.h"

namespace rhc {
namespace {

constexpr Index kFeatures = 12, kInputs = 2, kOutputs = 3;

Transitions random_data(Index count, std::uint64_t seed) {
  RandomStream randomness(seed, "data");
  Transitions data{Matrix(kInputs, count), Matrix(kOutputs, count)};
  for (double& v : data.inputs.reshaped()) v = randomness.uniform(-2, 2);
  for (double& v : data.outputs.reshaped()) v = 3 * randomness.normal();
  return data;
}

BayesianLinearModel prior(double prior_precision = 0.3) {
  return {draw_features(kFeatures, kInputs, RandomStream(1, "features")),
          {Vector::Constant(kInputs, 0.8), prior_precision, Eigen::Vector3d(0.1, 0.5, 2)},
          {Eigen::Vector3d(0, 1, -2), Eigen::Vector3d(1, 4, 0.5)}};
}

// The textbook's posterior with explicit inverses, for moderate precisions.
struct Dense {
  Matrix precision, mean;  // of the standardised weights, shared precision A

  Dense(const BayesianLinearModel& model, const Transitions& data) {
    Matrix phi;
    model.features.evaluate(data.inputs, phi);
    precision =
        phi * phi.transpose() + model.prior_precision * Matrix::Identity(kFeatures, kFeatures);
    mean = precision.inverse() * phi * model.outputs.apply(data.outputs).transpose();
  }
};

TEST(Standardization, HasZeroMeanAndUnitDeviation) {
  const Transitions data = random_data(50, 1);
  const Matrix y = standardization_of(data.outputs).apply(data.outputs);
  EXPECT_LT(y.rowwise().mean().norm(), 1e-14);
  EXPECT_LT((y.rowwise().squaredNorm() / 50 - Vector::Ones(3)).norm(), 1e-14);
}

TEST(Standardization, LeavesAConstantOutputAtScaleOne) {
  const Standardization s = standardization_of(Matrix::Constant(1, 5, 3.0));
  EXPECT_EQ(s.scale[0], 1);
  EXPECT_EQ(s.apply(Matrix::Constant(1, 5, 3.0)), Matrix::Zero(1, 5));
}

TEST(BayesianLinearModel, PredictsManyInputsAsIfTheyWereAlone) {
  BayesianLinearModel model = prior();
  model.learn(random_data(60, 2));
  const Index block = prediction_block(kFeatures);
  const Matrix inputs = random_data(2 * block + 5, 3).inputs;
  const Prediction all = model.predict(inputs);
  for (const Index t : {Index{0}, block - 1, block, 2 * block, inputs.cols() - 1}) {
    const Prediction alone = model.predict(inputs.col(t));
    EXPECT_LT((all.mean.col(t) - alone.mean).norm(), 1e-12) << t;
    EXPECT_LT((all.epistemic.col(t) - alone.epistemic).norm(), 1e-12) << t;
  }
  // Where others are in the same block, and where it stands in it, does not matter at all.
  const Prediction second = model.predict(inputs.middleCols(block, block));
  EXPECT_EQ(Matrix(all.mean.middleCols(block, block)), second.mean);
  EXPECT_EQ(Matrix(all.epistemic.middleCols(block, block)), second.epistemic);
}

TEST(BayesianLinearModel, PredictsTheSameMeanWithoutLeverages) {
  BayesianLinearModel model = prior();
  model.learn(random_data(60, 2));
  const Matrix inputs = random_data(20, 3).inputs;
  PredictionWorkspace workspace, alone;
  Matrix mean, mean_alone;
  Vector leverage;
  model.predict(inputs, true, workspace, mean, leverage);
  model.predict_mean(inputs, true, alone, mean_alone);
  EXPECT_EQ(mean_alone, mean);
  EXPECT_EQ(alone.cosine, workspace.cosine);
}

TEST(BayesianLinearModel, IsInterruptedBetweenBlocksOfAPrediction) {
  BayesianLinearModel model = prior();
  const Matrix inputs = random_data(5 * prediction_block(kFeatures), 3).inputs;
  PredictionWorkspace workspace;
  Matrix mean;
  Vector leverage;
  int asked = 0;
  const StopSignal stop([&] { return ++asked == 3; });
  EXPECT_THROW(model.predict(inputs, false, workspace, mean, leverage, stop), Interrupted);
}

TEST(BayesianLinearModel, LearnsManyTransitionsAsInParts) {
  const Index block = learning_block(kFeatures);
  const Transitions data = random_data(2 * block + 7, 4);
  BayesianLinearModel whole = prior(), parts = prior();
  whole.learn(data);
  for (Index first = 0; first < data.count(); first += 1000) {
    const auto part = Eigen::seqN(first, std::min<Index>(1000, data.count() - first));
    parts.learn({data.inputs(Eigen::all, part), data.outputs(Eigen::all, part)});
  }
  EXPECT_EQ(whole.count, data.count());
  EXPECT_LT((whole.factor - parts.factor).norm(), 1e-10 * parts.factor.norm());
  EXPECT_LT((whole.weights - parts.weights).norm(), 1e-10 * parts.weights.norm());
}

TEST(BayesianLinearModel, IsAsItWasWhereLearningIsInterrupted) {
  for (const Index count : {Index{5}, 3 * learning_block(kFeatures)}) {
    BayesianLinearModel model = prior();
    model.learn(random_data(60, 2));
    const BayesianLinearModel before = model;
    int asked = 0;
    const StopSignal stop([&] { return ++asked == (count > 5 ? 3 : 1); });
    EXPECT_THROW(model.learn(random_data(count, 5), stop), Interrupted);
    EXPECT_EQ(model.factor, before.factor);
    EXPECT_EQ(model.moment, before.moment);
    EXPECT_EQ(model.weights, before.weights);
    EXPECT_EQ(model.count, before.count);
  }
}

// Both ways of learning: rank-one updates (few) and one factorisation (many).
TEST(BayesianLinearModel, PosteriorIsTheTextbooks) {
  for (const Index count : {1, 5, 11, 12, 60}) {
    const Transitions data = random_data(count, 2);
    BayesianLinearModel model = prior();
    model.learn(data);
    const Dense dense(model, data);
    EXPECT_LT((model.factor * model.factor.transpose() - dense.precision).norm(), 1e-11) << count;
    EXPECT_LT((model.weights - dense.mean).norm(), 1e-10) << count;
    EXPECT_EQ(model.count, count);
  }
}

TEST(BayesianLinearModel, LearningInPiecesEqualsLearningAtOnce) {
  const Transitions a = random_data(7, 3), b = random_data(40, 4);
  BayesianLinearModel pieces = prior(), whole = prior();
  pieces.learn(a);
  pieces.learn(b);
  whole.learn(concatenate({a, b}));
  EXPECT_LT((pieces.weights - whole.weights).norm(), 1e-11);
  EXPECT_LT((pieces.factor - whole.factor).norm(), 1e-11);
  EXPECT_EQ(pieces.count, whole.count);
}

TEST(BayesianLinearModel, PredictionIsTheTextbooks) {
  const Transitions data = random_data(20, 5), at = random_data(6, 6);
  BayesianLinearModel model = prior();
  model.learn(data);
  const Prediction got = model.predict(at.inputs);
  const Dense dense(model, data);
  Matrix phi;
  model.features.evaluate(at.inputs, phi);
  for (Index j = 0; j < kOutputs; ++j) {
    const double unit = model.outputs.scale[j], s = model.noise[j];
    EXPECT_NEAR(got.noise[j], s * s * unit * unit, 1e-14);
    for (Index t = 0; t < 6; ++t) {
      const double variance = s * s * phi.col(t).dot(dense.precision.inverse() * phi.col(t));
      EXPECT_NEAR(got.epistemic(j, t), variance * unit * unit, 1e-11);
      EXPECT_NEAR(got.mean(j, t), model.outputs.mean[j] + unit * phi.col(t).dot(dense.mean.col(j)),
                  1e-10);
    }
  }
}

// What so many features cannot follow grows with their doubt, and makes the weights no less
// certain.
TEST(BayesianLinearModel, PredictsNoBetterThanItsErrorAwayFromTheData) {
  const Transitions data = random_data(20, 5), at = random_data(6, 6);
  BayesianLinearModel plain = prior();
  BayesianLinearModel off(plain.features, with_model_error(plain.hyperparameters(), 0.3),
                          plain.outputs);
  plain.learn(data);
  off.learn(data);
  const Prediction expected = plain.predict(at.inputs), got = off.predict(at.inputs);
  EXPECT_EQ(got.mean, expected.mean);
  EXPECT_NEAR(got.noise[0], 0.3 * 0.3, 1e-15) << "which has a noise of 0.1";
  EXPECT_LT((got.epistemic.row(0) - 9 * expected.epistemic.row(0)).norm(), 1e-12);
  EXPECT_EQ(got.noise.tail(2), expected.noise.tail(2));
  EXPECT_EQ(got.epistemic.bottomRows(2), expected.epistemic.bottomRows(2));
  EXPECT_EQ(off.parameter_entropy(), plain.parameter_entropy());
  RandomStream one(1, "weights"), other(1, "weights");
  EXPECT_EQ(off.sample_weights(one), plain.sample_weights(other));
}

// Runs whose noise has a floor as large stay the same to the last bit.
TEST(BayesianLinearModel, PredictsWithTheNoiseThatIsAtAFloorAsLarge) {
  Hyperparameters h = prior().hyperparameters();
  h.noise[0] = 0.3 * (1 - 1e-15);
  EXPECT_TRUE(predicts_with_noise_alone(with_model_error(h, 0.3)));
  EXPECT_FALSE(predicts_with_noise_alone(with_model_error(h, 0.31)));
}

TEST(BayesianLinearModel, DataNeverRaisesTheEpistemicVariance) {
  BayesianLinearModel model = prior();
  const Matrix at = random_data(30, 7).inputs;
  Matrix before = model.predict(at).epistemic;
  for (std::uint64_t seed = 8; seed < 14; ++seed) {
    model.learn(random_data(5, seed));
    const Matrix after = model.predict(at).epistemic;
    EXPECT_LE((after - before).maxCoeff(), 1e-12) << "seed " << seed;
    before = after;
  }
}

TEST(BayesianLinearModel, EntropyIsThatOfAllWeights) {
  BayesianLinearModel model = prior();
  const Transitions data = random_data(20, 9);
  model.learn(data);
  const Matrix A_inverse = Dense(model, data).precision.inverse();
  double expected = 0;
  for (Index j = 0; j < kOutputs; ++j) {
    const Matrix covariance = model.noise[j] * model.noise[j] * A_inverse;
    expected += 0.5 * std::log((2 * std::numbers::pi * std::numbers::e * covariance).determinant());
  }
  EXPECT_NEAR(model.parameter_entropy(), expected, 1e-9);
}

// n_outputs * 1/2 log det(I + Phi A^-1 Phi'), the information of an experiment.
TEST(BayesianLinearModel, EntropyFallsByTheInformationOfTheData) {
  BayesianLinearModel model = prior();
  model.learn(random_data(9, 10));
  const Transitions more = random_data(6, 11);
  Matrix phi;
  model.features.evaluate(more.inputs, phi);
  const Matrix A = model.factor * model.factor.transpose();
  const Matrix gram = Matrix::Identity(6, 6) + phi.transpose() * A.inverse() * phi;
  const double before = model.parameter_entropy();
  model.learn(more);
  EXPECT_NEAR(before - model.parameter_entropy(), kOutputs * 0.5 * std::log(gram.determinant()),
              1e-10);
}

TEST(BayesianLinearModel, SamplesHaveThePosteriorsMoments) {
  BayesianLinearModel model = prior();
  const Transitions data = random_data(15, 12);
  model.learn(data);
  RandomStream randomness(13, "samples");
  const int count = 20000;
  Vector sum = Vector::Zero(kFeatures);
  Matrix square = Matrix::Zero(kFeatures, kFeatures);
  for (int i = 0; i < count; ++i) {
    const Vector w = model.sample_weights(randomness).col(1);
    sum += w;
    square += (w - model.weights.col(1)) * (w - model.weights.col(1)).transpose();
  }
  const Matrix covariance =
      model.noise[1] * model.noise[1] * Dense(model, data).precision.inverse();
  EXPECT_LT((square / count - covariance).norm(), 0.05 * covariance.norm()) << "seed 13";
  const double deviation = std::sqrt(covariance.trace() / count);
  EXPECT_LT((sum / count - model.weights.col(1)).norm(), 3 * deviation) << "seed 13";
}

TEST(BayesianLinearModel, RefusesNanAndStaysAsItWas) {
  BayesianLinearModel model = prior();
  model.learn(random_data(5, 14));
  const BayesianLinearModel before = model;
  Transitions bad = random_data(4, 15);
  bad.outputs(2, 3) = std::nan("");
  try {
    model.learn(bad);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "transition 3: output 2 is nan; nothing was learned from these 4 transitions");
  }
  bad = random_data(4, 15);
  bad.inputs(0, 1) = kInfinity;
  EXPECT_THROW(model.learn(bad), InputError);
  EXPECT_THROW(model.learn({Matrix::Zero(kInputs + 1, 2), Matrix::Zero(kOutputs, 2)}), InputError);
  EXPECT_EQ(model.factor, before.factor);
  EXPECT_EQ(model.weights, before.weights);
  EXPECT_EQ(model.moment, before.moment);
  EXPECT_EQ(model.count, before.count);
}

TEST(BayesianLinearModel, LearnsNothingFromNothing) {
  BayesianLinearModel model = prior();
  model.learn({Matrix(kInputs, 0), Matrix(kOutputs, 0)});
  EXPECT_EQ(model.count, 0);
  EXPECT_EQ(model.weights, Matrix::Zero(kFeatures, kOutputs));
}

// Condition number about 1e15: a sum of squares would be indefinite, the belief must not be.
TEST(BayesianLinearModel, SurvivesAnAlmostFlatPrior) {
  BayesianLinearModel model = prior(1e-14);
  const Transitions data = random_data(3, 16);
  for (int i = 0; i < 50; ++i) model.learn(concatenate({data, data, data, data, data}));
  const Prediction at_data = model.predict(data.inputs);
  EXPECT_GT(model.factor.diagonal().minCoeff(), 0);
  EXPECT_TRUE(at_data.mean.allFinite());
  // 250 repetitions of each point: variance s^2 / 250 there, huge elsewhere.
  EXPECT_NEAR(at_data.epistemic(0, 0) / at_data.noise[0] * 250, 1, 0.2);
  EXPECT_GT(model.predict(Matrix::Constant(kInputs, 1, 30.0)).epistemic(0, 0), 1e3);
}

}  // namespace
}  // namespace rhc
