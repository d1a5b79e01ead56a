#include "rhc/evaluate/validation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "rhc/core/error.h"
#include "rhc/core/random.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

// A model that is sure of its weights and has no features but the inputs themselves:
// o' = o + W z + noise.
DynamicsModel known_linear(const Matrix& W, Index observed, Index acted, Index history,
                           const Vector& noise) {
  const Index n = W.cols();
  FourierFeatures features{Matrix(0, n), Vector(0), Vector::Ones(n), Vector::Zero(n),
                           Vector::Ones(n)};
  BayesianLinearModel posterior(features, {Vector::Ones(n), 1, noise, 1},
                                {Vector::Zero(observed), Vector::Ones(observed)});
  posterior.weights.topRows(n) = W.transpose();
  posterior.factor *= 1e9;
  return {posterior,
          {.observed = observed,
           .acted = acted,
           .history = history,
           .action_at_rest = Vector::Zero(acted)}};
}

// A damped mass that is pushed.
const double kStep[2][2] = {{1.0, 0.1}, {-0.2, 0.95}}, kPush[2] = {0.0, 0.1},
             kProcess[2] = {0.01, 0.03}, kSensor[2] = {0.02, 0.05};

DynamicsModel mass_model() {
  Matrix W(2, 3);
  W << kStep[0][0] - 1, kStep[0][1], kPush[0], kStep[1][0], kStep[1][1] - 1, kPush[1];
  DynamicsModel model = known_linear(W, 2, 1, 1, Eigen::Vector2d(kProcess[0], kProcess[1]));
  model.noise = NoiseSplit{Eigen::Vector2d(kSensor[0], kSensor[1]),
                           Eigen::Vector2d(kProcess[0], kProcess[1])};
  return model;
}

// What it does and how it is measured, with the library's random numbers nowhere.
Trajectory mass_log(Index steps, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  Trajectory log{Matrix(2, steps + 1), Matrix(1, steps)};
  double x[2] = {0.3, -0.1};
  for (Index t = 0; t <= steps; ++t) {
    for (int i = 0; i < 2; ++i) log.observations(i, t) = x[i] + kSensor[i] * normal(generator);
    if (t == steps) break;
    log.actions(0, t) = normal(generator);
    double next[2];
    for (int i = 0; i < 2; ++i)
      next[i] = kStep[i][0] * x[0] + kStep[i][1] * x[1] + kPush[i] * log.actions(0, t) +
                kProcess[i] * normal(generator);
    std::copy(next, next + 2, x);
  }
  return log;
}

// Error and coverage of a free run by hand: the covariance of what will be measured is that of the
// measured start carried through the dynamics, with both noises.
struct ByHand {
  double rmse[2], coverage[2];
};

ByHand by_hand(const Trajectory& log, int steps) {
  ByHand result{};
  int count = 0;
  for (Index from = 0; from + steps <= log.steps(); ++from, ++count) {
    double x[2] = {log.observations(0, from), log.observations(1, from)};
    double P[2][2] = {{kSensor[0] * kSensor[0], 0}, {0, kSensor[1] * kSensor[1]}};
    for (int s = 0; s < steps; ++s) {
      double next[2], Q[2][2] = {{0, 0}, {0, 0}};
      for (int i = 0; i < 2; ++i) {
        next[i] = kStep[i][0] * x[0] + kStep[i][1] * x[1] + kPush[i] * log.actions(0, from + s);
        for (int j = 0; j < 2; ++j) {
          for (int k = 0; k < 2; ++k)
            for (int l = 0; l < 2; ++l) Q[i][j] += kStep[i][k] * P[k][l] * kStep[j][l];
          if (i == j) Q[i][j] += kProcess[i] * kProcess[i];
        }
      }
      std::copy(next, next + 2, x);
      std::copy(&Q[0][0], &Q[0][0] + 4, &P[0][0]);
    }
    for (int i = 0; i < 2; ++i) {
      const double off = log.observations(i, from + steps) - x[i];
      result.rmse[i] += off * off;
      result.coverage[i] +=
          std::abs(off) <= 1.959964 * std::sqrt(P[i][i] + kSensor[i] * kSensor[i]);
    }
  }
  for (int i = 0; i < 2; ++i) {
    result.rmse[i] = std::sqrt(result.rmse[i] / count);
    result.coverage[i] /= count;
  }
  return result;
}

TEST(Validation, OfALinearSystemIsWhatIsFoundByHand) {
  const Trajectory log = mass_log(repeats(1500, 6000), 1);
  const Validation found = validate(mass_model(), {log}, {.steps = 8});
  EXPECT_EQ(found.points, log.steps() + 1 - 8);
  EXPECT_EQ(found.steps(), 8);
  for (const int steps : {1, 3, 8}) {
    const ByHand expected = by_hand(log, steps);
    // Fewer steps leave a few more starts.
    const double few = steps == 8 ? 1e-9 : 0.01;
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(found.rmse(i, steps - 1), expected.rmse[i], few * expected.rmse[i]) << steps;
      EXPECT_NEAR(found.coverage(i, steps - 1), expected.coverage[i], 0.03) << steps;
      EXPECT_NEAR(expected.coverage[i], 0.95, 0.03) << "the logs are what the model says";
    }
  }
}

TEST(Validation, OfTooSmallANoiseFindsTheBandsTooNarrow) {
  DynamicsModel sure = mass_model();
  sure.noise->sensor /= 3;
  sure.noise->process /= 3;
  const Trajectory log = mass_log(1000, 2);
  const Validation narrow = validate(sure, {log}, {.steps = 5}),
                   right = validate(mass_model(), {log}, {.steps = 5});
  EXPECT_TRUE(narrow.rmse.isApprox(right.rmse, 1e-9));
  // 1.96 / 3 deviations hold a half.
  for (const double share : narrow.coverage.reshaped()) EXPECT_NEAR(share, 0.49, 0.06);
  sure.band_scale = Vector::Constant(2, 3);
  const Validation mended = validate(sure, {log}, {.steps = 5});
  EXPECT_LT((mended.coverage - right.coverage).cwiseAbs().maxCoeff(), 1e-9) << "the scale is used";
}

TEST(Validation, OfAModelThatNothingMovesIsThatYardstick) {
  const DynamicsModel frozen = known_linear(Matrix::Zero(2, 3), 2, 1, 1, Vector::Constant(2, 0.1));
  const Trajectory log = mass_log(200, 3);
  const Validation found = validate(frozen, {log}, {.steps = 4});
  EXPECT_LT((found.rmse - found.nothing_moves).cwiseAbs().maxCoeff(), 1e-12);
  double sum = 0;
  for (Index t = 0; t + 4 <= log.steps(); ++t)
    sum += std::pow(log.observations(1, t + 4) - log.observations(1, t), 2);
  EXPECT_NEAR(found.nothing_moves(1, 3), std::sqrt(sum / static_cast<double>(found.points)), 1e-12);
}

// A model that is in doubt about its weights, and systems that it holds possible.
TEST(Validation, OfSystemsDrawnFromTheModelIsAsAnnounced) {
  RandomStream randomness(5, "validation");
  Transitions data{Matrix(2, 12), Matrix(1, 12)};
  for (double& z : data.inputs.reshaped()) z = randomness.uniform(-1, 1);
  data.outputs = -0.3 * data.inputs.row(0) + 0.2 * data.inputs.row(1);
  BayesianLinearModel posterior(draw_features(15, 2, RandomStream(5, "features")),
                                {Vector::Constant(2, 2), 0.1, Vector::Constant(1, 0.2), 1},
                                standardization_of(data.outputs));
  posterior.learn(data);
  const DynamicsModel model(posterior,
                            {.observed = 1, .acted = 1, .action_at_rest = Vector::Zero(1)});
  Vector inside = Vector::Zero(6);
  const int systems = repeats(100, 1000);
  for (int s = 0; s < systems; ++s) {
    const Regression truth = model.drawn(randomness).regression;
    Trajectory log{Matrix(1, 13), Matrix(1, 12)};
    log.observations(0, 0) = randomness.uniform(-1, 1);
    for (Index t = 0; t < 12; ++t) {
      log.actions(0, t) = randomness.uniform(-1, 1);
      const Vector z = Eigen::Vector2d(log.observations(0, t), log.actions(0, t));
      const Prediction next = truth.predict(z);
      log.observations(0, t + 1) =
          z[0] + next.mean(0, 0) + std::sqrt(next.noise[0]) * randomness.normal();
    }
    inside += validate(model, {log}, {.steps = 6, .every = 6}).coverage.row(0);
  }
  for (const double share : inside) EXPECT_NEAR(share / systems, 0.95, 0.05);
}

// A mass whose velocity is not seen: o'' = 2 o' - o + what was done now and before.
Trajectory hidden_velocity_log(Index steps) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Trajectory log{Matrix(1, steps + 1), Matrix(1, steps)};
  double position = 1, velocity = 0.2;
  for (Index t = 0; t <= steps; ++t) {
    log.observations(0, t) = position;
    if (t == steps) break;
    const double push = log.actions(0, t) = uniform(generator);
    position += velocity + 0.5 * push;
    velocity += push;
  }
  return log;
}

TEST(Validation, UsesThePastOfAStart) {
  // z = (o_t, o_t-1, a_t-1, a_t)
  Matrix W(1, 4);
  W << 1, -1, 0.5, 0.5;
  const DynamicsModel model = known_linear(W, 1, 1, 2, Vector::Constant(1, 1e-3));
  const Trajectory log = hidden_velocity_log(60);
  const Validation found = validate(model, {log}, {.steps = 10});
  EXPECT_EQ(found.points, 61 - 10 - 1) << "the first row has no past";
  EXPECT_LT(found.rmse.maxCoeff(), 1e-9);
  EXPECT_EQ(found.coverage.minCoeff(), 1);
}

TEST(Validation, BeginsAtEveryKthRowOfEachLog) {
  const Trajectory log = mass_log(20, 4), shorter = mass_log(10, 5);
  EXPECT_EQ(validate(mass_model(), {log, shorter}, {.steps = 10}).points, 11 + 1);
  EXPECT_EQ(validate(mass_model(), {log, shorter}, {.steps = 10, .every = 5}).points, 3 + 1);
  // Two logs are two logs: no forecast runs from one into the other.
  const Validation both = validate(mass_model(), {log, shorter}, {.steps = 10}),
                   first = validate(mass_model(), {log}, {.steps = 10}),
                   second = validate(mass_model(), {shorter}, {.steps = 10});
  const Matrix pooled = ((11 * first.rmse.cwiseAbs2() + second.rmse.cwiseAbs2()) / 12).cwiseSqrt();
  EXPECT_LT((both.rmse - pooled).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Validation, DoesNotDependOnTheNumberOfThreads) {
  const Trajectory log = mass_log(100, 6);
  const Validation one = validate(mass_model(), {log}, {.steps = 5, .threads = 1}),
                   three = validate(mass_model(), {log}, {.steps = 5, .threads = 3});
  EXPECT_EQ(one.rmse, three.rmse);
  EXPECT_EQ(one.coverage, three.coverage);
}

TEST(Validation, RefusesWhatCannotBeValidated) {
  const auto refused = [](const std::vector<Trajectory>& logs, const ValidationSettings& settings) {
    try {
      validate(mass_model(), logs, settings);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Trajectory log = mass_log(20, 8);
  EXPECT_EQ(refused({log, mass_log(9, 8)}, {}),
            "log 2 has 10 rows, but a forecast of 10 steps needs 11");
  EXPECT_EQ(refused({}, {}), "there is no log to validate with");
  EXPECT_NE(refused({log}, {.steps = 0}).find("at least 1 step"), std::string::npos);
  EXPECT_NE(refused({log}, {.every = 0}).find("every 0"), std::string::npos);
  EXPECT_NE(refused({hidden_velocity_log(20)}, {}).find("the model has 2 and 1"),
            std::string::npos);
}

}  // namespace
}  // namespace rhc
