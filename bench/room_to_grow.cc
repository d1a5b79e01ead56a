// Whether larger models than usual can be fitted, stopped and asked.
//   room_to_grow FOLDER [rows=4000] [features=200]   HalfCheetah-v5 of bench/gymnasium, with one
//     and two threads
//   room_to_grow large [outputs=30] [rows=30000] [features=2000] [threads=2]   a made-up system of
//     34 inputs; fewer outputs take their share of the time
//   room_to_grow predictions   what one costs in few and in many rows
// A fit is all of Learner::learn, with the settings of `rhc explore`. `silence` is the longest time
// during which nobody is asked whether to stop, and what the thread that asks computed meanwhile:
// where others keep the machine busy, that is what it would be without them. `memory` is the most
// that the process ever held.
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "bench/arguments.h"
#include "bench/gymnasium_rows.h"
#include "rhc/core/parallel.h"
#include "rhc/core/stopwatch.h"
#include "rhc/describe/settings.h"
#include "rhc/explore/learner.h"

namespace {

using namespace rhc;

struct Used {
  double seconds;  // of all threads
  double gigabytes;
};

Used used() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime),
          1e-6 * static_cast<double>(usage.ru_maxrss)};
}

// Of the thread that calls.
double computed() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void fit(const std::string& name, const Transitions& data, int features, int threads) {
  const System system = bench::environment(name, data.inputs, data.outputs.rows());
  Config config = preset("default", system.spec());
  config.model.posterior = Sharing::separate;
  config.model.output_features = features;
  Learner learner(config, system, threads);
  double silence = 0, asked_at = 0, computing = 0, computed_at = computed();
  const double before = used().seconds;
  const Stopwatch watch;
  const auto ask = [&] {
    silence = std::max(silence, watch.seconds() - asked_at);
    computing = std::max(computing, computed() - computed_at);
    asked_at = watch.seconds();
    computed_at = computed();
    return false;
  };
  learner.learn(data, StopSignal(ask));
  ask();
  fmt::print(
      "{} {} rows {} outputs {} features {} threads: {:.1f} s, {:.1f} CPU s, silence {:.2f} s "
      "({:.2f} CPU s), memory {:.2f} GB\n",
      name, data.count(), data.outputs.rows(), features, threads, watch.seconds(),
      used().seconds - before, silence, computing, used().gigabytes);
  std::fflush(stdout);
}

// Observations that move each other through saturations, pushed by held actions.
Transitions made_up(Index outputs, Index rows) {
  constexpr Index kInputs = 34, kHeld = 5;
  const Index actions = kInputs - outputs;
  RandomStream randomness(1, "made-up system");
  const auto normal = [&](Index r, Index c) {
    Matrix m(r, c);
    for (double& value : m.reshaped()) value = randomness.normal();
    return m;
  };
  const Matrix among = 1.5 * normal(outputs, outputs) / std::sqrt(static_cast<double>(outputs));
  const Matrix pushed = 2 * normal(outputs, actions) / std::sqrt(static_cast<double>(actions));
  Transitions data{Matrix(kInputs, rows), Matrix(outputs, rows)};
  Vector state = Vector::Zero(outputs), action;
  for (Index t = 0; t < rows; ++t) {
    if (t % kHeld == 0) action = normal(actions, 1);
    const Vector change =
        0.1 * ((among * state).array().tanh().matrix() + pushed * action - state) +
        0.01 * normal(outputs, 1);
    data.inputs.col(t) << state, action;
    data.outputs.col(t) = change;
    state += change;
  }
  return data;
}

double microseconds_of_row(const BayesianLinearModel& model, const Matrix& inputs, int times) {
  PredictionWorkspace workspace;
  Matrix mean;
  Vector leverage;
  const double before = used().seconds;
  for (int i = 0; i < times; ++i) model.predict(inputs, false, workspace, mean, leverage);
  return 1e6 * (used().seconds - before) / static_cast<double>(times * inputs.cols());
}

void predict(Index features, const Matrix& inputs) {
  constexpr Index kFew = 100;
  const Matrix few = inputs.leftCols(kFew);
  const Index n = inputs.rows();
  const BayesianLinearModel model(draw_features(features, n, RandomStream(1, "features")),
                                  {Vector::Ones(n), 1, Vector::Ones(1)},
                                  {Vector::Zero(1), Vector::Ones(1)});
  double of_few = kInfinity, of_many = kInfinity;
  for (int i = 0; i < 3; ++i) {
    of_few = std::min(of_few, microseconds_of_row(model, few, 20));
    of_many = std::min(of_many, microseconds_of_row(model, inputs, 1));
  }
  fmt::print("{} features: {:.1f} us a row of {}, {:.1f} us a row of {}\n", features, of_few, kFew,
             of_many, inputs.cols());
}

}  // namespace

int main(int argc, char** argv) {
  int rows = 0, features = 0, outputs = 30, threads = 2;
  const auto [names, settings] = bench::read_arguments(
      argc, argv,
      {{"rows", &rows}, {"features", &features}, {"outputs", &outputs}, {"threads", &threads}});
  if (names.size() != 1 || !settings.empty() || outputs > 30) {
    fmt::print(
        stderr,
        "room_to_grow FOLDER|large|predictions [rows=N] [features=N] [outputs=N] [threads=N]\n");
    return 2;
  }
  const auto or_else = [](int given, int usual) { return given > 0 ? given : usual; };
  try {
    if (names[0] == "large") {
      fit("made-up", made_up(outputs, or_else(rows, 30000)), or_else(features, 2000), threads);
      return 0;
    }
    if (names[0] == "predictions") {
      const Matrix inputs = made_up(30, 10000).inputs;
      for (const Index of : {Index{500}, Index{2000}}) predict(of, inputs);
      return 0;
    }
    const std::string name = "HalfCheetah-v5";
    const Matrix all = bench::read_rows(std::filesystem::path(names[0]) / (name + ".npy"));
    const Index observed = bench::outputs_of(name),
                count = std::min<Index>(or_else(rows, 4000), all.cols());
    const Transitions data{all.topLeftCorner(all.rows() - observed, count),
                           all.bottomLeftCorner(observed, count)};
    for (const int with : {1, 2}) fit(name, data, or_else(features, 200), with);
  } catch (const InputError& error) {
    fmt::print(stderr, "room_to_grow: {}\n", error.what());
    return 2;
  }
}
