#include <gtest/gtest.h>

#include "rhc/format/csv_table.h"
#include "rhc/store/trajectory_csv.h"
#include "rhc/system/cartpole.h"
#include "tests/apps/program.h"

namespace rhc {
namespace {

const std::string kRecording = std::string(RHC_TEST_DATA) + "/cartpole_20ms.csv";

// The actions of one recorded trajectory, and what was seen.
struct Recorded {
  std::string actions = "action\n", start;
  Matrix next;

  explicit Recorded(int trajectory) {
    const CsvTable table{kRecording};
    const Matrix columns = table.numbers({"traj", "action", "q_x", "q_th", "v_x", "v_th"});
    const Matrix seen =
        table.numbers({"next_x", "next_cos", "next_sin", "next_xdot", "next_thdot"});
    std::vector<Index> rows;
    for (Index i = 0; i < columns.rows(); ++i)
      if (columns(i, 0) == trajectory) rows.push_back(i);
    for (const Index i : rows) actions += fmt(columns(i, 1)) + "\n";
    for (Index k = 2; k < 6; ++k) start += (k > 2 ? "," : "") + fmt(columns(rows[0], k));
    next = seen(rows, Eigen::all);
  }

  static std::string fmt(double v) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", v);
    return text;
  }
};

TEST(Simulate, ReproducesARecordedTrajectory) {
  const TemporaryDirectory dir;
  const Recorded recorded(0);
  const Outcome outcome = run({"simulate", "cartpole", "--start", recorded.start, "--actions",
                               dir.write("a.csv", recorded.actions), "--no-end"},
                              dir);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Trajectory got = read_trajectory(dir.path() / "out.txt", Cartpole{}.spec());
  ASSERT_EQ(got.steps(), 100);
  EXPECT_LT((got.observations.rightCols(100).transpose() - recorded.next).cwiseAbs().maxCoeff(),
            1e-10);
  EXPECT_EQ(outcome.err, "");
}

TEST(Simulate, EndsAtTheLimitsUnlessToldNotTo) {
  const TemporaryDirectory dir;
  const std::string actions = dir.write("a.csv", "action\n1\n1\n1\n1\n1\n");
  const std::vector<std::string> command = {"simulate",  "cartpole",  "--start",
                                            "1.7,0,2,0", "--actions", actions};
  const Outcome ended = run(command, dir);
  EXPECT_EQ(ended.code, 0);
  EXPECT_LT(read_trajectory(dir.path() / "out.txt", Cartpole{}.spec()).steps(), 5);
  EXPECT_NE(ended.err.find("is outside [-1.8, 1.8]"), std::string::npos) << ended.err;

  std::vector<std::string> on = command;
  on.push_back("--no-end");
  EXPECT_EQ(run(on, dir).code, 0);
  EXPECT_EQ(read_trajectory(dir.path() / "out.txt", Cartpole{}.spec()).steps(), 5);
}

TEST(Simulate, StartsWhereTheSystemStartsByDefault) {
  const TemporaryDirectory dir;
  const Outcome outcome =
      run({"simulate", "mountaincar", "--actions", dir.write("a.csv", "0.5\n")}, dir);
  EXPECT_TRUE(outcome.out.starts_with("step,position,velocity,action\n0,-0.5236,0,0.5\n1,"))
      << outcome.out;
}

TEST(Simulate, WarnsOnceOfActionsOutsideTheirBounds) {
  const TemporaryDirectory dir;
  const Outcome outcome =
      run({"simulate", "pendulum", "--actions", dir.write("a.csv", "1\n0.5\n-7\n8\n")}, dir);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err,
            "rhc: step 2: action = -7 is outside its bounds [-1, 1]; the system moves as with the "
            "nearest bound, there and wherever else\n");
}

TEST(Simulate, ExplainsBadFilesAndStarts) {
  const TemporaryDirectory dir;
  const auto error = [&](const std::string& content, const std::string& start) {
    const Outcome outcome = run(
        {"simulate", "pendulum", "--actions", dir.write("a.csv", content), "--start", start}, dir);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_NE(error("action\n0.1\nabc\n", "0,0")
                .find("a.csv:3: column 'action': 'abc' is not a finite number"),
            std::string::npos);
  EXPECT_NE(error("action\nnan\n", "0,0").find("a.csv:2: column 'action'"), std::string::npos);
  EXPECT_NE(error("force\n1\n", "0,0").find("column 'action' is missing; the file has: force"),
            std::string::npos);
  EXPECT_NE(
      error("action\n1\n", "0").find("--start has 1 values; pendulum takes 2 (theta,thetadot)"),
      std::string::npos);
  EXPECT_NE(error("action\n1\n", "0,x").find("value 2 (thetadot): 'x' is not a finite number"),
            std::string::npos);
}

}  // namespace
}  // namespace rhc
