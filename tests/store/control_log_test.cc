#include "rhc/store/control_log.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/system/pendulum.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

ControlStep some_step(Index number) {
  ControlStep step;
  step.step = number;
  step.action = Vector::Constant(1, 0.5);
  step.source = ActionSource::plan;
  step.measurement = Eigen::Vector3d(1, 0, -2);
  step.estimate = Eigen::Vector3d(1, 0.25, -2.5);
  return step;
}

TEST(ControlLog, HasARowForEachStep) {
  const TemporaryDirectory run;
  ControlLog log(run.path(), Pendulum{}.spec());
  EXPECT_EQ(log.file(".csv"), run.path() / "control" / "0001.csv");
  ControlTick tick;
  tick.time = 0.08;
  tick.act = 0.0000504;
  tick.prepare = 0.002;
  tick.left = 0.0001;
  log.add(tick, some_step(1), Eigen::Vector3d(0, 0, 3));
  ControlStep blind = some_step(2);
  blind.measurement.setConstant(std::nan(""));
  blind.measured = MeasuredAs::lost;
  blind.source = ActionSource::rest;
  blind.fall = Fall::blind;
  tick.trouble = kNoMeasurement | kBehind | kLeftLate;
  tick.missed = 7;
  tick.late = 0.02;
  log.add(tick, blind, Vector());
  log.finish();
  EXPECT_EQ(log.failure(), "");
  EXPECT_EQ(slurp(log.file(".csv")),
            "step,time,cos,sin,thetadot,cos_estimated,sin_estimated,thetadot_estimated,cos_planned,"
            "sin_planned,thetadot_planned,action,source,trouble,late_ms,sent_ms,act_ms,prepare_ms,"
            "missed\n"
            "1,0.08,1,0,-2,1,0.25,-2.5,0,0,3,0.5,plan,,0.000,0.100,0.050,2.000,0\n"
            "2,0.08,,,,1,0.25,-2.5,,,,0.5,rest,behind+no measurement+blind+sent late,20.000,0.100,"
            "0.050,2.000,7\n");
}

TEST(ControlLog, WritesEveryRowThatItDoesNotCountAsLost) {
  const TemporaryDirectory run;
  ControlLog log(run.path(), Pendulum{}.spec());
  constexpr int kRows = 30000;
  for (int i = 0; i < kRows; ++i) log.add({}, some_step(i), Vector());
  log.finish();
  const std::string text = slurp(log.file(".csv"));
  const auto lines = std::count(text.begin(), text.end(), '\n');
  EXPECT_EQ(lines - 1 + static_cast<long>(log.lost()), kRows);
}

TEST(ControlLog, TakesTheNextNumberAlsoBesideAnother) {
  const TemporaryDirectory run;
  const ControlLog one(run.path(), Pendulum{}.spec()), other(run.path(), Pendulum{}.spec());
  EXPECT_EQ(one.number(), 1);
  EXPECT_EQ(other.number(), 2);
  run.write("control/0007.json", "{}");
  run.write("control/what.csv", "");
  EXPECT_EQ(ControlLog(run.path(), Pendulum{}.spec()).number(), 8);
}

TEST(ControlLog, CannotBeMadeWhereNothingCanBeWritten) {
  const TemporaryDirectory run;
  run.write("control", "a file");
  EXPECT_THROW(ControlLog(run.path(), Pendulum{}.spec()), IoError);
}

TEST(ControlRuns, KnowWhetherTheirFilesWereChanged) {
  const TemporaryDirectory run;
  ControlLog log(run.path(), Pendulum{}.spec());
  for (int i = 0; i < 100; ++i) log.add({}, some_step(i), Vector());
  log.finish();
  Json summary = {{"format", "rhc-control"}, {"format_version", 1}, {"cost", 1.5}};
  seal_control(summary, log);
  seal_control(summary, log);  // again, as after something was added
  const std::string text = summary.dump(), table = slurp(log.file(".csv"));
  run.write("control/0001.json", text);
  EXPECT_TRUE(damaged_control_files(run.path()).empty());

  std::string other = table;
  other[other.find("50,")] = '1';
  run.write("control/0001.csv", other);
  ASSERT_EQ(damaged_control_files(run.path()).size(), 1u);
  EXPECT_NE(damaged_control_files(run.path())[0].find(
                "control/0001.csv: the file was changed after it was written"),
            std::string::npos);
  EXPECT_EQ(control_runs(run.path())[0].damage, "") << "tables are read only where that is wanted";
  std::filesystem::remove(log.file(".csv"));
  EXPECT_TRUE(damaged_control_files(run.path()).empty()) << "somebody wanted it gone";

  run.write("control/0001.csv", table);
  std::string cheaper = text;
  cheaper[cheaper.find("1.5")] = '0';
  run.write("control/0001.json", cheaper);
  ASSERT_EQ(damaged_control_files(run.path()).size(), 1u);
  EXPECT_NE(damaged_control_files(run.path())[0].find("control/0001.json"), std::string::npos);
}

TEST(ControlRuns, AreListedWithTheirSummaries) {
  const TemporaryDirectory run;
  EXPECT_TRUE(control_runs(run.path()).empty());
  std::filesystem::create_directory(run.path() / "control");
  run.write("control/0002.csv", "step\n");
  run.write("control/0001.csv", "step\n");
  run.write("control/0001.json",
            R"({"format": "rhc-control", "format_version": 1, "ending": "done"})");
  run.write("control/0003.json", "{\"format\": \"rhc-co");
  run.write("control/0003.log", "");
  const auto runs = control_runs(run.path());
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].summary["ending"], "done");
  EXPECT_TRUE(runs[1].summary.is_null());
  EXPECT_EQ(runs[1].damage, "");
  EXPECT_NE(runs[2].damage.find("0003.json"), std::string::npos);
}

}  // namespace
}  // namespace rhc
