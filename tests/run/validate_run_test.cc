#include "rhc/run/validate_run.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/run/laboratory.h"
#include "rhc/store/trajectory_csv.h"
#include "tests/rig.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

std::string words_of(const auto& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ValidateRun, ReadsEpisodesOfABundledSystem) {
  const TemporaryDirectory dir;
  copy_sample_run(dir.path() / "run");
  const RunRecord run = read_run(dir.path() / "run");
  explore(dir.path() / "other", [] {
    Config config = without_evaluation(tiny_config("pendulum", 1));
    config.seed = 5;
    return config;
  }());
  const ValidationLog log = read_validation_log(run, dir.path() / "other/episodes/0001.csv", {});
  const Trajectory expected =
      read_trajectory(dir.path() / "other/episodes/0001.csv", Pendulum{}.spec());
  EXPECT_EQ(log.trajectory.observations, expected.observations);
  EXPECT_EQ(log.trajectory.actions, expected.actions);
  EXPECT_TRUE(log.remarks.empty());
  const ValidationRecord found = validate_run(run, {log}, {.steps = 4});
  EXPECT_EQ(found.validation.points, expected.steps() + 1 - 4);
  EXPECT_EQ(found.observations, (std::vector<std::string>{"cos", "sin", "thetadot"}));
  EXPECT_EQ(found.transitions, run.rows.back().transitions);
  EXPECT_LT(found.validation.rmse(0, 0), found.validation.nothing_moves(0, 0));
}

TEST(ValidateRun, SaysWhichLogWasLearnedFrom) {
  const TemporaryDirectory dir;
  copy_sample_run(dir.path() / "run");
  const RunRecord run = read_run(dir.path() / "run");
  const ValidationLog log = read_validation_log(run, run.path / "episodes/0002.csv", {});
  ASSERT_EQ(log.remarks.size(), 1u);
  EXPECT_NE(log.remarks[0].find("learned from it, as episode 2"), std::string::npos);
}

TEST(ValidateRun, ReadsLogsOfALaboratoryAsTheyAreTold) {
  const TemporaryDirectory dir;
  const auto lab = dir.path() / "lab";
  Laboratory::create(lab, rig(), tiny_config("rig", 0));
  const auto long_log = dir.path() / "long.csv", told = dir.path() / "told.csv";
  dir.write("long.csv", rig_log(Matrix::Random(1, 60)));
  const auto validated = [&](const std::filesystem::path& file, const ValidationSettings& how) {
    const RunRecord run = read_run(lab);
    return validate_run(run, {read_validation_log(run, file, {})}, how);
  };
  EXPECT_NE(words_of([&] { validated(long_log, {}); }).find("has learned nothing yet"),
            std::string::npos);
  dir.write("told.csv", rig_log(Matrix::Random(1, 20)));
  Laboratory(lab, 1).tell(told, {.import = true});
  const ValidationRecord found = validated(long_log, {.steps = 5, .every = 2});
  EXPECT_EQ(found.validation.points, 28);
  EXPECT_EQ(found.observations, (std::vector<std::string>{"cos_theta", "sin_theta", "thetadot"}));
  // Its own file is known by its bytes, also where it is read in another way.
  const RunRecord run = read_run(lab);
  const std::vector<std::string> remarks =
      read_validation_log(run, told, {.resample = true}).remarks;
  ASSERT_EQ(remarks.size(), 2u);
  EXPECT_NE(remarks[1].find("learned from it, as episode 1"), std::string::npos);
  EXPECT_EQ(words_of([&] { validated(told, {.steps = 30}); }),
            told.string() +
                ": 21 rows are too few to forecast 30 steps: at least 31 are needed; give a longer "
                "log, or forecast fewer steps");
}

TEST(ValidateRun, SaysWhereALogIsOutsideTheLimits) {
  const TemporaryDirectory dir;
  const auto lab = dir.path() / "lab";
  Laboratory::create(lab,
                     rig(with(kRig, "range = [-8, 8]", "range = [-8, 8]\nlimits = [-0.2, 0.2]")),
                     tiny_config("rig", 0));
  dir.write("fast.csv", rig_log(Matrix::Constant(1, 20, 1)));
  const ValidationLog log = read_validation_log(read_run(lab), dir.path() / "fast.csv", {});
  ASSERT_EQ(log.remarks.size(), 1u);
  EXPECT_NE(log.remarks[0].find("'thetadot' is outside its limits [-0.2, 0.2] at step"),
            std::string::npos);
}

}  // namespace
}  // namespace rhc
