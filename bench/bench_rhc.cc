// What must be fast, on one core, against a real peer where there is one. Prints ratios: absolute
// times differ from machine to machine.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <map>
#include <string>

#include "rhc/core/sine_cosine.h"
#include "rhc/evaluate/scores.h"
#include "rhc/model/evidence.h"
#include "rhc/model/fit_model.h"
#include "rhc/model/online_regression.h"
#include "tests/model/random_exploration.h"

namespace rhc {
namespace {

constexpr Index kFeatures = 90, kPoints = 100;

Matrix random_inputs(Index rows, Index cols) {
  RandomStream randomness(1, "bench");
  Matrix z(rows, cols);
  for (double& v : z.reshaped()) v = randomness.uniform(-2, 2);
  return z;
}

void features_vectorised(benchmark::State& state) {
  const FourierFeatures features = draw_features(kFeatures, 4, RandomStream(1, "features"));
  const Matrix z = random_inputs(4, kPoints);
  Matrix phi, cosine;
  for (auto _ : state) {
    features.evaluate(z, phi, cosine);
    benchmark::DoNotOptimize(phi.data());
    benchmark::DoNotOptimize(cosine.data());
  }
}

// The same arguments, sine and cosine by the C library.
void features_libm(benchmark::State& state) {
  const FourierFeatures features = draw_features(kFeatures, 4, RandomStream(1, "features"));
  const Matrix z = random_inputs(4, kPoints);
  Matrix phi, cosine(kFeatures, kPoints);
  for (auto _ : state) {
    phi.resize(kFeatures, kPoints);
    phi.colwise() = features.phase;
    phi.noalias() += features.frequencies() * z;
    for (Index i = 0; i < phi.size(); ++i) {
      const double x = phi.data()[i];
      phi.data()[i] = std::sin(x);
      cosine.data()[i] = std::cos(x);
    }
    benchmark::DoNotOptimize(phi.data());
    benchmark::DoNotOptimize(cosine.data());
  }
}

void evidence_with_gradient(benchmark::State& state) {
  const Index N = state.range(0), M = state.range(1);
  const FourierFeatures features = draw_features(M, 4, RandomStream(1, "features"));
  const Matrix z = random_inputs(4, N), y = random_inputs(3, N), region(4, 0);
  Evidence evidence(features, z, y, region);
  for (auto _ : state) {
    evidence.set(Vector::Zero(4), -2);
    benchmark::DoNotOptimize(evidence.gradient(Vector::Ones(3)));
  }
}

void learn_transition(benchmark::State& state) {
  const Index M = state.range(0);
  BayesianLinearModel model(draw_features(M, 4, RandomStream(1, "features")),
                            {Vector::Ones(4), 1e-6, Vector::Constant(3, 0.1)},
                            {Vector::Zero(3), Vector::Ones(3)});
  const Transitions one{random_inputs(4, 1), random_inputs(3, 1)};
  for (auto _ : state) model.learn(one);
}

// One transition while a system moves, the weights brought up to date, after so many before it.
void learn_online(benchmark::State& state) {
  constexpr Index M = 180, kAtOnce = 1000;
  BayesianLinearModel prior(draw_features(M, 4, RandomStream(1, "features")),
                            {Vector::Ones(4), 1e-6, Vector::Constant(3, 0.1)},
                            {Vector::Zero(3), Vector::Ones(3)});
  const Matrix inputs = random_inputs(4, kAtOnce), outputs = random_inputs(3, kAtOnce);
  OnlineRegression online{Regression(prior)};
  Index count = 0;
  const auto learn = [&] {
    online.learn(inputs.col(count % kAtOnce), outputs.col(count % kAtOnce));
    ++count;
  };
  while (count < state.range(0)) learn();
  for (auto _ : state) {
    learn();
    online.solve();
  }
}

void score_10000_trajectories(benchmark::State& state) {
  const System system = make_system("pendulum");
  const FourierFeatures draw = draw_features(state.range(0), 4, RandomStream(1, "features"));
  const BayesianLinearModel model = fit_model(draw, explore_at_random(system, {}, 5, 1), {}).model;
  const TestSet set = draw_test_set(system, {}, 10000, 10, 1);
  for (auto _ : state) benchmark::DoNotOptimize(score(model, set, 1));
}

BENCHMARK(features_vectorised);
BENCHMARK(features_libm);
BENCHMARK(evidence_with_gradient)
    ->ArgsProduct({{500, 1000, 2000, 4000, 8000}, {90}})
    ->ArgsProduct({{2000}, {50, 100, 200, 400}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(learn_transition)->Arg(90)->Arg(180)->Arg(360)->Unit(benchmark::kMicrosecond);
BENCHMARK(learn_online)->Arg(100)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);
BENCHMARK(score_10000_trajectories)->Arg(90)->Arg(200)->Unit(benchmark::kMillisecond);

// Remembers the times, in nanoseconds, so that ratios can be printed at the end.
class Remembering : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      nanoseconds[run.benchmark_name()] =
          run.GetAdjustedCPUTime() * 1e9 / benchmark::GetTimeUnitMultiplier(run.time_unit);
    ConsoleReporter::ReportRuns(runs);
  }
  std::map<std::string, double> nanoseconds;
};

}  // namespace
}  // namespace rhc

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  rhc::Remembering reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  const auto& t = reporter.nanoseconds;
  const auto has = [&](const std::string& name) { return t.count(name) > 0; };
  fmt::print("\n");
  if (has("features_libm") && has("features_vectorised"))
    fmt::print("features and cosines, M 90, T 100: {:.1f} times libm (bar: 5)\n",
               t.at("features_libm") / t.at("features_vectorised"));
  for (const auto& [name, nanoseconds] : t)
    if (name.starts_with("score_10000"))
      fmt::print("{}: {:.3f} s (bar at M 90: 0.5)\n", name, nanoseconds * 1e-9);
  if (has("learn_online/100") && has("learn_online/100000"))
    fmt::print(
        "a transition learned on the way after 100,000: {:.2f} times the time of one after 100 "
        "(bar: 1.2)\n",
        t.at("learn_online/100000") / t.at("learn_online/100"));
  fmt::print("growth of an evidence evaluation, time / (N M^2 + M^3) in ns, should not rise:\n");
  for (const auto& [name, nanoseconds] : t) {
    double N = 0, M = 0;
    if (std::sscanf(name.c_str(), "evidence_with_gradient/%lf/%lf", &N, &M) == 2)
      fmt::print("  N {:>5} M {:>4}: {:.4f}\n", N, M, nanoseconds / (N * M * M + M * M * M));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("peak memory of all of the above: {:.0f} MB (bar: 100)\n",
             static_cast<double>(usage.ru_maxrss) / 1024);
}
