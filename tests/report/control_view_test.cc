#include "rhc/report/control_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "rhc/format/files.h"
#include "rhc/run/control_summary.h"
#include "rhc/store/control_log.h"
#include "rhc/system/pendulum.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

const SystemSpec& swinging() {
  static const SystemSpec spec = Pendulum{}.spec();
  return spec;
}

// Steps of 0.1 s whose numbers tell where they belong; every fourth measurement was lost.
void log_steps(const std::filesystem::path& run, int steps) {
  ControlLog log(run, swinging());
  for (int t = 0; t < steps; ++t) {
    ControlTick tick;
    tick.time = 0.1 * t;
    ControlStep step;
    step.step = t;
    step.action = Vector::Constant(1, 0.25 * t);
    step.source = ActionSource::plan;
    step.measurement = Eigen::Vector3d(t, t + 0.1, t + 0.2);
    step.estimate = Eigen::Vector3d(t, t + 0.1, t + 0.3);
    if (t % 4 == 3) {
      step.measured = MeasuredAs::lost;
      tick.trouble = kNoMeasurement;
      step.measurement.setConstant(std::nan(""));
    }
    log.add(tick, step, Eigen::Vector3d(t, t + 0.1, t + 0.4));
  }
  log.finish();
}

TEST(ControlView, IsNullWhereNothingWasControlled) {
  const TemporaryDirectory dir;
  EXPECT_TRUE(control_view(dir.path(), swinging()).is_null());
}

TEST(ControlView, ShowsWhatTheLogHolds) {
  const TemporaryDirectory dir;
  log_steps(dir.path(), 8);
  const Json view = control_view(dir.path(), swinging());
  ASSERT_EQ(view["time"].size(), 8U);
  EXPECT_DOUBLE_EQ(view["time"][5], 0.5);
  const Json& speed = view["observations"][2];
  EXPECT_DOUBLE_EQ(speed["measured"][5], 5.2);
  EXPECT_DOUBLE_EQ(speed["estimated"][5], 5.3);
  EXPECT_DOUBLE_EQ(speed["planned"][5], 5.4);
  EXPECT_TRUE(speed["measured"][3].is_null());
  EXPECT_DOUBLE_EQ(view["actions"][0][4], 1);
  EXPECT_EQ(view["trouble"], Json({0.3, 0.7}));
  // The same trouble twice is said once.
  ASSERT_EQ(view["troubles"].size(), 1U);
  EXPECT_EQ(view["troubles"][0][0], 0.3);
  EXPECT_NE(view["troubles"][0][1].get<std::string>().find("no measurement"), std::string::npos);
}

TEST(ControlView, IsOfTheNewestRunAndListsAll) {
  const TemporaryDirectory dir;
  log_steps(dir.path(), 5);
  log_steps(dir.path(), 3);
  const Json view = control_view(dir.path(), swinging());
  EXPECT_EQ(view["time"].size(), 3U);
  ASSERT_EQ(view["runs"].size(), 2U);
  EXPECT_EQ(view["runs"][1]["number"], 2);
  EXPECT_EQ(view["runs"][1]["status"], "goes on, or was killed");
}

TEST(ControlView, SaysHowARunEnded) {
  const TemporaryDirectory dir;
  log_steps(dir.path(), 3);
  ControlSummary summary;
  summary.ending = ControlEnding::stopped;
  summary.why = "button";
  summary.steps = 3;
  write_atomically(dir.path() / "control/0001.json", control_json(summary).dump());
  const Json run = control_view(dir.path(), swinging())["runs"][0];
  EXPECT_EQ(run["status"], "stopped: button");
  EXPECT_EQ(run["steps"], 3);
  EXPECT_EQ(run["missed"], 0);
}

TEST(ControlView, LeavesOutARowThatIsStillWritten) {
  const TemporaryDirectory dir;
  log_steps(dir.path(), 5);
  const std::filesystem::path file = dir.path() / "control/0001.csv";
  const std::string text = read_text(file);
  std::filesystem::resize_file(file, text.size() - 4);
  EXPECT_EQ(control_view(dir.path(), swinging())["time"].size(), 4U);
}

TEST(ControlView, OfALongLogIsShortAndEndsWhereItEnds) {
  const TemporaryDirectory dir;
  log_steps(dir.path(), 4000);
  const std::filesystem::path file = dir.path() / "control/0001.csv";
  const std::string text = read_text(file), rows = text.substr(text.find('\n') + 1);
  std::ofstream more(file, std::ios::app);
  for (int i = 0; i < 10; ++i) more << rows;
  more.close();
  ASSERT_GT(std::filesystem::file_size(file), 2 * kControlTail);
  const Json view = control_view(dir.path(), swinging());
  EXPECT_LE(view["time"].size(), static_cast<std::size_t>(kControlPoints));
  EXPECT_GT(view["time"].size(), static_cast<std::size_t>(kControlPoints) / 2);
  EXPECT_DOUBLE_EQ(view["time"].back(), 399.9);
}

}  // namespace
}  // namespace rhc
