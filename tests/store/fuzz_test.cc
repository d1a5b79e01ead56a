// Files that were damaged at random are read, or refused with an InputError. Nothing else happens.
#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/describe/config_file.h"
#include "rhc/explore/config.h"
#include "rhc/store/model_file.h"
#include "rhc/store/run_record.h"
#include "rhc/store/trajectory_csv.h"
#include "rhc/system/pendulum.h"
#include "tests/damage.h"
#include "tests/repeats.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

template <class Read>
void survives(const std::string& text, std::uint64_t seed, const Read& read) {
  const TemporaryDirectory dir;
  RandomStream randomness(seed, "fuzz");
  int refused = 0;
  const int count = repeats(300, 30000);
  for (int i = 0; i < count; ++i) {
    const std::string file = dir.write("file", damaged(text, randomness));
    try {
      read(file);
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, count / 20) << "damage was hardly ever noticed, seed " << seed;
}

TEST(Fuzz, TrajectoryFiles) {
  const SystemSpec spec = Pendulum{}.spec();
  const Trajectory t{Matrix::Random(3, 6), Matrix::Random(1, 5)};
  survives(trajectory_csv(spec, t), 1, [&](const std::string& f) { read_trajectory(f, spec); });
  survives(trajectory_csv(spec, t), 2, [&](const std::string& f) { read_actions(f, spec); });
}

TEST(Fuzz, ConfigFiles) {
  survives(config_toml(Config{}), 3, [](const std::string& f) {
    Config config;
    read_config(config, f);
  });
}

TEST(Fuzz, ModelFiles) {
  const BayesianLinearModel model(draw_features(5, 2, RandomStream(1, "features")),
                                  {Vector::Ones(2), 0.1, Vector::Ones(2)},
                                  {Vector::Zero(2), Vector::Ones(2)});
  survives(model_json(model), 4, [](const std::string& f) { read_model(f); });
}

TEST(Fuzz, RunDirectories) {
  const TemporaryDirectory dir;
  copy_sample_run(dir.path() / "run");
  const int count = repeats(40, 4000);
  for (const char* file : {"manifest.json", "config.toml", "metrics.jsonl", "beliefs.jsonl",
                           "best_achievable.json", "checkpoint", "episodes/0002.csv"}) {
    const std::string whole = slurp(dir.path() / "run" / file);
    RandomStream randomness(5, file);
    int noticed = 0;
    for (int i = 0; i < count; ++i) {
      dir.write(std::string("run/") + file, damaged(whole, randomness));
      try {
        const RunRecord run = read_run(dir.path() / "run");
        noticed += !run.damaged.empty() || !run.recovered.empty();
      } catch (const InputError&) {
        ++noticed;
      }
    }
    dir.write(std::string("run/") + file, whole);
    EXPECT_GT(noticed, count / 20) << file;
  }
}

}  // namespace
}  // namespace rhc
