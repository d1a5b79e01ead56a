// How well one fit predicts the next observation of environments that nobody here wrote, from rows
// of coloured random actions (bench/gymnasium).
//   one_step FOLDER [NAME ...] [rows=1000] [features=1500] [key=value ...]  settings as `rhc
//   explore`
// More rows than those of bench/gymnasium are made by bench/gymnasium/rows.py; features that are a
// network's by network_from=1000.
// Errors are root mean squares in standard deviations of an output over the rows that were learned
// from, in the mean over outputs: on unseen rows of the same kind, and on rows of much slower
// actions; each beside those of a linear fit. `inside` is the share of unseen rows inside the 95 %
// bands of single steps, in the mean over outputs, and of the output that fares worst.
#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/gymnasium_rows.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/core/stopwatch.h"
#include "rhc/describe/settings.h"
#include "rhc/explore/learner.h"

namespace {

using namespace rhc;

constexpr Index kUnseen = 3000;  // and as many under slower actions, behind those to learn from

// In the mean over outputs, in units of `scale`.
double error_of(const Matrix& mean, const Matrix& came, const Vector& scale) {
  return (mean - came).rowwise().squaredNorm().cwiseSqrt().cwiseQuotient(scale).mean() /
         std::sqrt(static_cast<double>(came.cols()));
}

Matrix linear_fit(const Transitions& data, const Matrix& inputs) {
  const auto with_one = [](const Matrix& z) {
    Matrix result(z.rows() + 1, z.cols());
    result.topRows(z.rows()) = z;
    result.bottomRows(1).setOnes();
    return result;
  };
  const Matrix weights =
      with_one(data.inputs).transpose().colPivHouseholderQr().solve(data.outputs.transpose());
  return weights.transpose() * with_one(inputs);
}

void study(const Matrix& all, const std::string& name, Index rows, int features,
           const std::vector<std::string>& settings) {
  const Index outputs = bench::outputs_of(name);
  const auto part = [&](Index first, Index count) {
    return Transitions{all.middleCols(first, count).topRows(all.rows() - outputs),
                       all.middleCols(first, count).bottomRows(outputs)};
  };
  const Transitions data = part(0, rows), unseen = part(all.cols() - 2 * kUnseen, kUnseen),
                    other = part(all.cols() - kUnseen, kUnseen);
  const Vector scale = standardization_of(data.outputs).scale;

  const System system = bench::environment(name, data.inputs, outputs);
  Config config = preset("default", system.spec());
  config.model.posterior = Sharing::separate;
  config.model.output_features = features;
  for (const std::string& setting : settings) assign(config, setting);
  const Stopwatch watch;
  Learner learner(config, system, hardware_threads());
  learner.learn(data);
  const double seconds = watch.seconds();

  const Regression& model = learner.model()->regression;
  // Of one output.
  const Index each = model.groups[0].posterior.features.sines();
  const Prediction predicted = model.predict(unseen.inputs);
  const Matrix deviation = (predicted.epistemic.colwise() + predicted.noise).cwiseSqrt();
  const Vector inside =
      ((predicted.mean - unseen.outputs).array().abs() <= 1.959964 * deviation.array())
          .cast<double>()
          .rowwise()
          .mean();
  fmt::print(
      "{:<26} {:>5} {:>6} | {:>7.3f} {:>7.3f} | {:>7.3f} {:>7.3f} | {:.3f} {:.3f} | {:>6.1f} s\n",
      name, rows, each, error_of(predicted.mean, unseen.outputs, scale),
      error_of(linear_fit(data, unseen.inputs), unseen.outputs, scale),
      error_of(model.predict(other.inputs).mean, other.outputs, scale),
      error_of(linear_fit(data, other.inputs), other.outputs, scale), inside.mean(),
      inside.minCoeff(), seconds);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int rows = 0, features = 1500;
  auto [names, settings] =
      bench::read_arguments(argc, argv, {{"rows", &rows}, {"features", &features}});
  if (names.empty()) {
    fmt::print(stderr, "one_step FOLDER [NAME ...] [rows=1000] [features=1500] [key=value ...]\n");
    return 2;
  }
  const std::filesystem::path folder = names[0];
  names.erase(names.begin());
  if (names.empty())
    names = {"HalfCheetah-v5", "Swimmer-v5", "InvertedDoublePendulum-v5", "Reacher-v5",
             "Hopper-v5"};
  fmt::print("{:<26} {:>5} {:>6} | {:>7} {:>7} | {:>7} {:>7} | inside least |   fitted\n", "",
             "rows", "feat.", "error", "linear", "other", "linear");
  try {
    for (const std::string& name : names) {
      const Matrix all = bench::read_rows(folder / (name + ".npy"));
      const Index most = all.cols() - 2 * kUnseen;
      if (most < 1 || rows > most)
        throw InputError(fmt::format("{}.npy has {} rows to learn from", name, most));
      for (const Index count : rows > 0 ? std::vector<Index>{rows} : std::vector<Index>{1000, most})
        study(all, name, count, features, settings);
    }
  } catch (const InputError& error) {
    fmt::print(stderr, "one_step: {}\n", error.what());
    return 2;
  }
}
