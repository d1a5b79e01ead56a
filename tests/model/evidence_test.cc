#include "rhc/model/evidence.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

namespace rhc {
namespace {

struct Case {
  FourierFeatures draw;
  Matrix inputs, outputs, region;
  Vector log_bandwidth, noise;
  double log_prior, log_affine;
  Vector root_weights{};
};

Case random_case(std::uint64_t seed) {
  RandomStream r(seed, "case");
  const Index M = 3 + static_cast<Index>(r.below(20)), n = 1 + static_cast<Index>(r.below(4));
  const Index D = 1 + static_cast<Index>(r.below(3)), N = 2 + static_cast<Index>(r.below(30));
  Case c{draw_features(M, n, RandomStream(seed, "features")),
         Matrix(n, N),
         Matrix(D, N),
         Matrix(n, 7),
         Vector(n),
         Vector(D),
         r.uniform(-4, 1),
         r.uniform(-3, 3)};
  // Every other one has affine features.
  if (seed % 2 == 0) {
    c.draw.centre = r.normals(n);
    c.draw.scale = r.normals(n).cwiseAbs() + Vector::Constant(n, 0.1);
  }
  for (double& v : c.inputs.reshaped()) v = r.uniform(-2, 2);
  for (double& v : c.outputs.reshaped()) v = r.normal();
  for (double& v : c.region.reshaped()) v = r.uniform(-6, 6);
  for (double& v : c.log_bandwidth) v = r.uniform(-1, 1);
  for (double& v : c.noise) v = std::exp(r.uniform(-2, 1));
  // Every third one has weights, by which the outputs are weighed already.
  if (seed % 3 == 0) {
    RandomStream weights(seed, "weights");
    c.root_weights.resize(N);
    for (double& v : c.root_weights) v = weights.uniform(0.1, 1);
  }
  return c;
}

double value_at(const Case& c, double caution = 0) {
  Evidence evidence(c.draw, c.inputs, c.outputs, c.region, c.root_weights);
  EXPECT_TRUE(evidence.set(c.log_bandwidth, c.log_prior, c.log_affine));
  return evidence.value(c.noise) + caution * evidence.uncertainty();
}

// With so many features that their slope is taken in pieces, and a last piece that is not full.
Case case_of_many_features(std::uint64_t seed) {
  Case c = random_case(seed);
  c.draw.P = draw_features(700, c.draw.inputs(), RandomStream(seed, "many features")).P;
  c.draw.phase = draw_features(700, c.draw.inputs(), RandomStream(seed, "many features")).phase;
  c.inputs = c.inputs.replicate(1, 40).eval();
  c.outputs = c.outputs.replicate(1, 40).eval();
  c.root_weights = c.root_weights.replicate(40, 1).eval();
  return c;
}

// log N(y; 0, K) of a Gaussian process with kernel s^2 (phi phi' / lambda + delta), the N x N way.
// A weight w makes delta / w of delta; a likelihood to the power of w lacks the width of that
// noise.
double dense_gaussian_process(const Case& c) {
  const Index N = c.inputs.cols();
  Matrix kernel(N, N);
  const auto root_weight = [&](Index a) {
    return c.root_weights.size() > 0 ? c.root_weights[a] : 1;
  };
  for (Index a = 0; a < N; ++a)
    for (Index b = 0; b < N; ++b) {
      double sum = 0;
      for (Index i = 0; i < c.draw.sines(); ++i) {
        double at_a = c.draw.phase[i], at_b = c.draw.phase[i];
        for (Index j = 0; j < c.inputs.rows(); ++j) {
          at_a += c.draw.P(i, j) * c.inputs(j, a) / std::exp(c.log_bandwidth[j]);
          at_b += c.draw.P(i, j) * c.inputs(j, b) / std::exp(c.log_bandwidth[j]);
        }
        sum += std::sin(at_a) * std::sin(at_b);
      }
      double affine = 1;
      for (Index j = 0; j < c.draw.centre.size(); ++j)
        affine += (c.inputs(j, a) - c.draw.centre[j]) * (c.inputs(j, b) - c.draw.centre[j]) /
                  (c.draw.scale[j] * c.draw.scale[j]);
      kernel(a, b) = sum / std::exp(c.log_prior) + (a == b ? 1 / std::pow(root_weight(a), 2) : 0);
      if (c.draw.affine() > 0) kernel(a, b) += affine / std::exp(c.log_affine);
    }
  double total = 0;
  for (Index j = 0; j < c.outputs.rows(); ++j) {
    const Eigen::LLT<Matrix> llt(c.noise[j] * c.noise[j] * kernel);
    Vector y = c.outputs.row(j).transpose();
    for (Index a = 0; a < N; ++a) {
      const double w = std::pow(root_weight(a), 2), variance = c.noise[j] * c.noise[j];
      y[a] /= root_weight(a);
      total += 0.5 * std::log(2 * std::numbers::pi * variance / w) -
               0.5 * w * std::log(2 * std::numbers::pi * variance);
    }
    const Matrix L = llt.matrixL();
    total += -0.5 * y.dot(llt.solve(y)) - L.diagonal().array().log().sum() -
             0.5 * static_cast<double>(N) * std::log(2 * std::numbers::pi);
  }
  return total;
}

class RandomCases : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomCases, EvidenceIsThatOfTheDenseGaussianProcess) {
  const Case c = random_case(GetParam());
  const double dense = dense_gaussian_process(c);
  EXPECT_NEAR(value_at(c), dense, 1e-9 * std::max(1.0, std::abs(dense))) << "seed " << GetParam();
}

void expect_gradient_of_finite_differences(const Case& c, double caution, std::uint64_t seed) {
  Evidence evidence(c.draw, c.inputs, c.outputs, c.region, c.root_weights);
  ASSERT_TRUE(evidence.set(c.log_bandwidth, c.log_prior, c.log_affine));
  const Evidence::Gradient gradient = evidence.gradient(c.noise, caution);
  const double h = 1e-5;
  const auto difference = [&](auto change) {
    Case up = c, down = c;
    change(up, h);
    change(down, -h);
    return (value_at(up, caution) - value_at(down, caution)) / (2 * h);
  };
  const double scale = std::max(1.0, gradient.log_bandwidth.norm() + gradient.log_noise.norm());
  for (Index j = 0; j < c.log_bandwidth.size(); ++j)
    EXPECT_NEAR(gradient.log_bandwidth[j],
                difference([j](Case& x, double d) { x.log_bandwidth[j] += d; }), 1e-6 * scale)
        << "bandwidth " << j << ", seed " << seed;
  for (Index j = 0; j < c.noise.size(); ++j)
    EXPECT_NEAR(gradient.log_noise[j],
                difference([j](Case& x, double d) { x.noise[j] *= std::exp(d); }), 1e-6 * scale)
        << "noise " << j << ", seed " << seed;
  EXPECT_NEAR(gradient.log_prior, difference([](Case& x, double d) { x.log_prior += d; }),
              1e-6 * scale)
      << "prior, seed " << seed;
  EXPECT_NEAR(gradient.log_affine, difference([](Case& x, double d) { x.log_affine += d; }),
              1e-6 * scale)
      << "affine prior, seed " << seed;
}

TEST_P(RandomCases, GradientIsThatOfFiniteDifferences) {
  const double caution = static_cast<double>(GetParam() % 3) * 10;
  expect_gradient_of_finite_differences(random_case(GetParam()), caution, GetParam());
}

TEST(Evidence, GradientOfManyFeaturesIsThatOfFiniteDifferences) {
  // With an affine part and weights, without either, and with the affine part alone.
  for (const std::uint64_t seed : {6, 5, 8})
    expect_gradient_of_finite_differences(case_of_many_features(seed), 10, seed);
}

TEST_P(RandomCases, BestNoiseIsTheMaximum) {
  const Case c = random_case(GetParam());
  Evidence evidence(c.draw, c.inputs, c.outputs, c.region, c.root_weights);
  ASSERT_TRUE(evidence.set(c.log_bandwidth, c.log_prior, c.log_affine));
  const Vector best = evidence.best_noise(1e-9);
  const double top = evidence.value(best);
  for (Index j = 0; j < best.size(); ++j)
    for (const double factor : {0.9, 1.1}) {
      Vector other = best;
      other[j] *= factor;
      EXPECT_GT(top, evidence.value(other)) << "seed " << GetParam();
    }
  EXPECT_LT(evidence.gradient(best).log_noise.norm(), 1e-8 * static_cast<double>(c.inputs.cols()));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCases, testing::Range<std::uint64_t>(1, 25));

// Three blocks of transitions, of which the last is a short one.
TEST(Evidence, OfManyTransitionsIsThatOfTheDenseFormula) {
  Case c = random_case(6);
  const Index N = 2 * learning_block(c.draw.count()) + 100, n = c.inputs.rows();
  RandomStream r(6, "many transitions");
  c.inputs.resize(n, N);
  c.outputs.resize(2, N);
  c.noise = Eigen::Vector2d(0.3, 2);
  c.root_weights.resize(N);
  for (double& v : c.inputs.reshaped()) v = r.uniform(-2, 2);
  for (double& v : c.outputs.reshaped()) v = r.normal();
  for (double& v : c.root_weights) v = r.uniform(0.1, 1);

  FourierFeatures features = c.draw;
  features.bandwidth = c.log_bandwidth.array().exp();
  Matrix phi;
  features.evaluate(c.inputs, phi);
  phi *= c.root_weights.asDiagonal();
  Vector prior = Vector::Constant(features.count(), std::exp(c.log_prior));
  prior.tail(features.affine()).setConstant(std::exp(c.log_affine));
  const Matrix A = phi * phi.transpose() + Matrix(prior.asDiagonal());
  const Eigen::LLT<Matrix> llt(A);
  const Matrix factor = llt.matrixL();
  double expected = 0;
  for (Index j = 0; j < 2; ++j) {
    const Vector y = c.outputs.row(j).transpose();
    const Vector moment = phi * y;
    expected -= 0.5 * (c.root_weights.squaredNorm() *
                           std::log(2 * std::numbers::pi * std::pow(c.noise[j], 2)) +
                       2 * factor.diagonal().array().log().sum() - prior.array().log().sum() +
                       (y.squaredNorm() - moment.dot(llt.solve(moment))) / std::pow(c.noise[j], 2));
  }
  EXPECT_NEAR(value_at(c), expected, 1e-9 * std::abs(expected));

  Evidence evidence(c.draw, c.inputs, c.outputs, c.region, c.root_weights);
  ASSERT_TRUE(evidence.set(c.log_bandwidth, c.log_prior, c.log_affine));
  EXPECT_NEAR(evidence.effective_parameters(), (llt.solve(phi * phi.transpose())).trace(), 1e-6);
  const EvidenceGradient gradient = evidence.gradient(c.noise, 10);
  constexpr double h = 1e-5;
  for (Index k = 0; k < n; ++k) {
    Case up = c, down = c;
    up.log_bandwidth[k] += h;
    down.log_bandwidth[k] -= h;
    EXPECT_NEAR(gradient.log_bandwidth[k], (value_at(up, 10) - value_at(down, 10)) / (2 * h),
                1e-6 * std::abs(expected));
  }
}

TEST(Evidence, UncertaintyIsTheInformationOfOneMoreObservation) {
  const Case c = random_case(5);
  Evidence evidence(c.draw, c.inputs, c.outputs, c.region, c.root_weights);
  ASSERT_TRUE(evidence.set(c.log_bandwidth, c.log_prior, c.log_affine));
  const Hyperparameters h{c.log_bandwidth.array().exp(), std::exp(c.log_prior), Vector::Ones(1)};
  BayesianLinearModel belief(c.draw, h, {Vector::Zero(1), Vector::Ones(1)});
  belief.learn({c.inputs, Matrix::Zero(1, c.inputs.cols())});
  double sum = 0;
  for (Index k = 0; k < c.region.cols(); ++k) {
    BayesianLinearModel after = belief;
    after.learn({c.region.col(k), Matrix::Zero(1, 1)});
    sum += belief.parameter_entropy() - after.parameter_entropy();
  }
  EXPECT_NEAR(evidence.uncertainty(), sum / static_cast<double>(c.region.cols()), 1e-9);
}

TEST(Evidence, EffectiveParametersCountWhatTheDataDetermine) {
  const Case c = random_case(7);
  Evidence evidence(c.draw, c.inputs, c.outputs, c.region, c.root_weights);
  const auto most = static_cast<double>(std::min(c.draw.count(), c.inputs.cols()));
  ASSERT_TRUE(evidence.set(c.log_bandwidth, 20));
  EXPECT_LT(evidence.effective_parameters(), 1e-4) << "a strong prior leaves nothing to the data";
  ASSERT_TRUE(evidence.set(c.log_bandwidth, -20));
  EXPECT_GT(evidence.effective_parameters(), 0.9 * most);
  EXPECT_LE(evidence.effective_parameters(), most);
}

TEST(Evidence, NoiseStopsAtTheFloor) {
  Case c = random_case(3);
  c.outputs.setZero();
  Evidence evidence(c.draw, c.inputs, c.outputs, c.region, c.root_weights);
  ASSERT_TRUE(evidence.set(c.log_bandwidth, c.log_prior, c.log_affine));
  for (const double noise : evidence.best_noise(1e-4)) EXPECT_NEAR(noise, 1e-4, 1e-18);
}

TEST(Evidence, SaysWhereThePrecisionIsNumericallySingular) {
  Case c = random_case(3);
  c.draw = draw_features(60, c.inputs.rows(), RandomStream(1, "features"));
  Evidence evidence(c.draw, c.inputs, c.outputs, c.region, c.root_weights);
  EXPECT_FALSE(evidence.set(c.log_bandwidth.array() + 8, -80));
}

}  // namespace
}  // namespace rhc
