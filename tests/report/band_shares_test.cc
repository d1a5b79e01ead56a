#include "rhc/report/band_shares.h"

#include <gtest/gtest.h>

#include <fstream>

#include "rhc/store/trajectory_csv.h"
#include "rhc/store/validation_file.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

TEST(AnnouncedShares, CountWhatCameInsideByTheStepsAhead) {
  const TemporaryDirectory dir;
  const Config config = without_evaluation(tiny_config("pendulum", 2));
  RunDirectory directory(dir.path() / "run", config);
  explore_run(make_system("pendulum"), directory, 1, {});
  RunRecord run = read_run(directory.path());
  // The first tenth is off by less than the band, the rest by more; the last observation never.
  Forecast announced{run.episodes[1]->observations, Matrix::Constant(3, 101, 1),
                     run.episodes[1]->actions};
  announced.mean.topRows(2).leftCols(11).array() += 1.9;
  announced.mean.topRows(2).rightCols(90).array() -= 2.0;
  std::ofstream(run.path / "predictions/0002.csv") << forecast_csv(run.spec, announced);
  const Json found = announced_shares(run);
  ASSERT_EQ(found["steps"].size(), 10u);
  EXPECT_EQ(found["steps"][0], 10);
  EXPECT_EQ(found["steps"][9], 100);
  EXPECT_EQ(found["points"][3], 10);
  EXPECT_EQ(found["inside"][0], (Json{1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}));
  for (const Json& share : found["inside"][2]) EXPECT_EQ(share, 1.0);

  // An episode that ended early has nothing to say of the later steps.
  run.episodes[1]->observations.conservativeResize(3, 16);
  run.episodes[1]->actions.conservativeResize(1, 15);
  const Json early = announced_shares(run);
  EXPECT_EQ(early["points"][1], 5);
  EXPECT_EQ(early["inside"][2][1], 1.0);
  EXPECT_TRUE(early["inside"][2][2].is_null());
}

// Steps ahead are those since the last look.
TEST(AnnouncedShares, CountFromTheLastPlanOfAnEpisodeThatIsPlannedAnew) {
  const TemporaryDirectory dir;
  Config config = without_evaluation(tiny_config("pendulum", 2));
  config.plan.replan = 25;
  const RunRecord run = read_run(explored(dir.path() / "run", config));
  const Json found = announced_shares(run);
  EXPECT_EQ(found["steps"].back(), 25);
  double points = 0;
  for (const Json& count : found["points"]) points += count.get<double>();
  EXPECT_EQ(points, 100);
  EXPECT_EQ(found["points"][9], 12) << "steps 23 to 25 of four pieces";
}

TEST(AnnouncedShares, AreNoneWhereNothingWasAnnounced) {
  const TemporaryDirectory dir;
  const RunRecord run =
      read_run(explored(dir.path() / "run", without_evaluation(tiny_config("pendulum", 1))));
  EXPECT_TRUE(announced_shares(run).is_null());
}

TEST(KeptValidation, IsWhatWasWritten) {
  const TemporaryDirectory dir;
  copy_sample_run(dir.path() / "run");
  const RunRecord run = read_run(dir.path() / "run");
  std::vector<std::string> problems;
  EXPECT_TRUE(kept_validation(run, problems).is_null());
  ValidationRecord record{
      .validation = {}, .observations = {"cos", "sin", "thetadot"}, .logs = {"a.csv"}};
  record.validation = {7, Matrix::Constant(3, 450, 0.1), Matrix::Constant(3, 450, 0.2),
                       Matrix::Constant(3, 450, 0.95)};
  std::ofstream(run.path / "validation.json") << validation_text(record);
  const Json found = kept_validation(run, problems);
  EXPECT_EQ(found["points"], 7);
  EXPECT_EQ(found["steps"].size(), 150u) << "no more than a screen can show";
  EXPECT_EQ(found["steps"][1], 4);
  EXPECT_EQ(found["coverage"][2].size(), 150u);
  EXPECT_TRUE(problems.empty());
  std::ofstream(run.path / "validation.json", std::ios::app) << "x";
  EXPECT_TRUE(kept_validation(run, problems).is_null());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("validation.json"), std::string::npos);
}

}  // namespace
}  // namespace rhc
