#include "rhc/explore/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "rhc/core/error.h"

namespace rhc {

namespace {

constexpr int kFewestFeatures = 32;  // below them a model is of no use

struct Size {
  double observations, actions, history, horizon, features, output_features, test_trajectories,
      test_steps;
  bool plans, limits_rates;

  double bytes() const {
    const double inputs = history * (observations + actions);
    // Of the posterior that all share, and of one for each output.
    const double model = features * (2 * features + inputs + observations) +
                         observations * output_features * (2 * output_features + inputs + 1);
    const double test = test_trajectories * (test_steps + 1) * (observations + actions);
    return 8 * (model + test + (plans ? planning() : 0));
  }

  // First and second derivatives of the features, and those of every step (plan/mean_dynamics.h and
  // plan/lq/riccati.h).
  double planning() const {
    const double before = std::max(history - 1, limits_rates ? 1.0 : 0.0);
    const double states = history * observations + before * actions, all = states + actions;
    const double first = states * all, second = all * (all + 1) / 2;
    const double most = std::max(features, observations * output_features);
    return most * (first + second) + horizon * (std::max(first, second) + first + all * all);
  }
};

Size size_of(const Config& config, const SystemSpec& spec) {
  return {.observations = static_cast<double>(spec.outputs()),
          .actions = static_cast<double>(spec.action.size()),
          .history = static_cast<double>(spec.history),
          .horizon = static_cast<double>(spec.horizon),
          .features = static_cast<double>(features_for(config, spec)),
          .output_features = fits_each_output(config, spec)
                                 ? static_cast<double>(output_features_for(config, spec))
                                 : 0.0,
          .test_trajectories = static_cast<double>(config.judge.test_trajectories),
          .test_steps = static_cast<double>(config.judge.test_steps),
          .plans = config.method.starts_with("rhc") || config.judge.task,
          .limits_rates = spec.safety.rate.size() > 0};
}

// The largest value of a part with which all fits; below `least` where none does.
int largest_that_fits(Size size, double Size::*part, int least) {
  int low = least - 1, high = static_cast<int>(size.*part);
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    size.*part = middle;
    (size.bytes() <= kMostBytes ? low : high) = middle;
  }
  return low;
}

std::string what_fits(const Size& size, const SystemSpec& spec) {
  if (const int fits = largest_that_fits(size, &Size::features, kFewestFeatures);
      fits >= kFewestFeatures)
    return fmt::format("features={} fits", fits);
  if (const int fits = largest_that_fits(size, &Size::test_trajectories, 1); fits >= 1)
    return fmt::format("test_trajectories={} fits", fits);
  if (const int fits = largest_that_fits(size, &Size::observations, 1); fits >= 1)
    return fmt::format("{} observations fit", fits);
  return fmt::format("describe '{}' with less", spec.name);
}

}  // namespace

double needed_bytes(const Config& config, const SystemSpec& spec) {
  return size_of(config, spec).bytes();
}

void check_memory(const Config& config, const SystemSpec& spec) {
  const Size size = size_of(config, spec);
  const auto gib = [](double bytes) { return bytes / (1 << 30); };
  if (size.bytes() > kMostBytes)
    throw InputError(fmt::format(
        "'{}' is too large: {} observations, {} action{}, {} steps and {} features would take "
        "{:.1f} "
        "GiB of memory, and rhc takes {:.0f} GiB at most; {}",
        spec.name, spec.outputs(), spec.action.size(), spec.action.size() == 1 ? "" : "s",
        spec.horizon, size.features, gib(size.bytes()), gib(kMostBytes), what_fits(size, spec)));
}

}  // namespace rhc
