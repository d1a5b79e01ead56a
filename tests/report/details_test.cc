#include "rhc/report/details.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/report/compact.h"
#include "rhc/report/plane.h"
#include "rhc/store/model_file.h"
#include "rhc/store/trajectory_csv.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

// One run of every kind, made once.
class Details : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TemporaryDirectory;
    explored(dir_->path() / "pendulum", small_config("pendulum", 3));
    explored(dir_->path() / "cartpole", without_evaluation(small_config("cartpole", 2)));
  }
  static void TearDownTestSuite() { delete dir_; }

  static std::filesystem::path path(const std::string& name) { return dir_->path() / name; }

  static Json details(const std::string& name, const ReportSettings& settings = {}) {
    const RunRecord run = read_run(path(name));
    Json data = {{"problems", Json::array()}};
    put_details(run, make_system(run.config.system), settings, data);
    return data;
  }

  // A copy of a run that may be damaged.
  static std::filesystem::path copy(const std::string& name) {
    const auto to = path(name + "-copy");
    std::filesystem::remove_all(to);
    std::filesystem::copy(path(name), to, std::filesystem::copy_options::recursive);
    return to;
  }

  static void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file) << text;
  }

  static inline TemporaryDirectory* dir_;
};

// Rows of numbers with six digits.
void expect_rows(const Json& rows, const Matrix& expected) {
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(expected.rows()));
  for (Index i = 0; i < expected.rows(); ++i) {
    const Json& row = rows[static_cast<std::size_t>(i)];
    ASSERT_EQ(row.size(), static_cast<std::size_t>(expected.cols()));
    for (Index t = 0; t < expected.cols(); ++t)
      EXPECT_NEAR(row[static_cast<std::size_t>(t)].get<double>(), expected(i, t),
                  6e-6 * std::abs(expected(i, t)));
  }
}

std::vector<int> episodes_in(const Json& list) {
  std::vector<int> episodes;
  for (const Json& entry : list) episodes.push_back(entry["episode"]);
  return episodes;
}

TEST_F(Details, ShowTheEpisodesAsTheyLieInTheirFiles) {
  const Json data = details("pendulum");
  ASSERT_EQ(episodes_in(data["episodes"]), (std::vector{1, 2, 3}));
  const SystemSpec spec = make_system("pendulum").spec();
  for (const Json& shown : data["episodes"]) {
    const Trajectory file =
        read_trajectory(path("pendulum") / "episodes" / episode_file(shown["episode"]), spec);
    expect_rows(shown["observations"], file.observations);
    expect_rows(shown["actions"], file.actions);
  }
}

TEST_F(Details, ShowThePredictionsAsTheyLieInTheirFiles) {
  const Json data = details("pendulum");
  ASSERT_EQ(episodes_in(data["predictions"]), (std::vector{2, 3}));
  const SystemSpec spec = make_system("pendulum").spec();
  for (const Json& shown : data["predictions"]) {
    const Forecast file =
        read_forecast(path("pendulum") / "predictions" / episode_file(shown["episode"]), spec);
    EXPECT_EQ(shown["planned"], true);
    expect_rows(shown["mean"], file.mean);
    expect_rows(shown["sd"], file.deviation);
    expect_rows(shown["actions"], file.actions);
  }
}

TEST_F(Details, ShowTheTasksWithTheirCosts) {
  const Json data = details("pendulum");
  ASSERT_EQ(episodes_in(data["tasks"]), (std::vector{1, 2, 3}));
  const RunRecord run = read_run(path("pendulum"));
  for (const Json& shown : data["tasks"]) {
    const auto episode = shown["episode"].get<std::size_t>();
    const double cost = run.rows[episode].task_cost.value();
    EXPECT_NEAR(shown["cost"].get<double>(), cost, 6e-6 * cost);
    const Trajectory file =
        read_trajectory(run.path / "tasks" / episode_file(shown["episode"]), run.spec);
    expect_rows(shown["observations"], file.observations);
    expect_rows(shown["actions"], file.actions);
  }
}

// The last belief is in model.json, bit for bit.
TEST_F(Details, HaveMapsOfTheEntropyInSteps) {
  for (const std::string name : {"pendulum", "cartpole"}) {
    const Json data = details(name);
    const RunRecord run = read_run(path(name));
    const Regression model = read_model(run.path / "model.json");
    const Vector around = make_system(name).observe(run.spec.start);
    const auto coordinates = coordinates_of(run.spec);
    ASSERT_FALSE(data["planes"].empty());
    for (const Json& plane : data["planes"]) {
      const Json& map = plane["maps"].back();
      EXPECT_EQ(map["episode"], run.episodes_done());
      const std::string cells = from_base64(map["cells"].get<std::string>());
      const Index size = plane["columns"];
      ASSERT_EQ(static_cast<Index>(cells.size()), size * size);
      const auto range = [&](const char* key) {
        return Interval{plane[key][0].get<double>(), plane[key][1].get<double>()};
      };
      const Matrix expected =
          entropy_map(model, run.spec, coordinates,
                      {plane["x"], plane["y"], range("x_range"), range("y_range")}, around, size);
      const double low = map["low"], high = map["high"], step = (high - low) / 255;
      EXPECT_NEAR(low, expected.minCoeff(), 1e-3);
      EXPECT_NEAR(high, expected.maxCoeff(), 1e-3);
      for (Index row = 0; row < size; ++row)
        for (Index column = 0; column < size; ++column) {
          const auto byte =
              static_cast<unsigned char>(cells[static_cast<std::size_t>(row * size + column)]);
          EXPECT_NEAR(low + step * byte, expected(row, column), 0.51 * step + 1e-3);
        }
    }
  }
}

TEST_F(Details, HaveAMapOfEveryBelief) {
  const Json data = details("pendulum");
  for (const Json& plane : data["planes"])
    EXPECT_EQ(episodes_in(plane["maps"]), (std::vector{1, 2, 3}));
}

TEST_F(Details, ShowAPositionWithItsSpeedFirst) {
  const Json data = details("cartpole");
  EXPECT_LE(data["planes"].size(), 6u);
  const Json& first = data["planes"][0];
  EXPECT_EQ(data["coordinates"][first["x"].get<std::size_t>()]["name"], "x");
  EXPECT_EQ(data["coordinates"][first["y"].get<std::size_t>()]["name"], "xdot");
}

TEST_F(Details, ShowTheOnePlaneThatWasAskedFor) {
  const Json data = details("cartpole", {.plane = {{"thetadot", "x"}}});
  ASSERT_EQ(data["planes"].size(), 1u);
  EXPECT_EQ(data["planes"][0]["x"], 3);
  EXPECT_EQ(data["planes"][0]["y"], 0);
}

TEST_F(Details, RefuseAPlaneOfVariablesThatAreNone) {
  const std::string message = message_of<InputError>([] {
    details("cartpole", {.plane = {{"x", "thetadt"}}});
  });
  EXPECT_EQ(
      message,
      "unknown variable 'thetadt'; did you mean 'thetadot'? (known: x, angle, xdot, thetadot)");
  EXPECT_NE(message_of<InputError>([] {
              details("cartpole", {.plane = {{"x", "x"}}});
            }).find("two different variables"),
            std::string::npos);
}

TEST_F(Details, AreTheSameOnAnyNumberOfThreads) {
  EXPECT_EQ(details("pendulum", {.threads = 1}), details("pendulum", {.threads = 5}));
}

TEST_F(Details, CalibrateBeliefsByTheTestSetAndByTheEpisodeThatFollows) {
  const Json calibration = details("pendulum")["calibration"];
  ASSERT_EQ(episodes_in(calibration), (std::vector{1, 2, 3}));
  for (const Json& entry : calibration) {
    const bool last = entry["episode"] == 3;
    EXPECT_EQ(entry["test"].size(), entry["level"].size());
    EXPECT_EQ(entry["next_episode"].is_null(), last);
    for (const Json& share : entry["test"]) {
      EXPECT_GE(share.get<double>(), 0);
      EXPECT_LE(share.get<double>(), 1);
    }
  }
}

TEST_F(Details, WithoutEvaluationHaveNeitherTasksNorTests) {
  const Json data = details("cartpole");
  EXPECT_TRUE(data["tasks"].empty());
  ASSERT_FALSE(data["calibration"].empty());
  for (const Json& entry : data["calibration"]) EXPECT_TRUE(entry["test"].is_null());
  EXPECT_FALSE(data["calibration"][0]["next_episode"].is_null());
}

// What cannot be read is missing and named; the rest is shown.
TEST_F(Details, OfADamagedRunNameWhatIsMissing) {
  for (const char* file : {"predictions/0002.csv", "tasks/0002.csv"})
    for (const char* text :
         {"", "step,cos\n", "\xff\xfe\x00", "step,cos,sin,thetadot,action\n0,1"}) {
      const auto run = copy("pendulum");
      write(run / file, text);
      const Json data = details("pendulum-copy");
      const std::vector<std::string> damaged = read_run(run).damaged;
      ASSERT_EQ(damaged.size(), 1u) << file << ": " << text;
      EXPECT_NE(damaged[0].find(file), std::string::npos);
      EXPECT_EQ(data["episodes"].size(), 3u);
      EXPECT_EQ(data["predictions"].size() + data["tasks"].size(), 4u);
      EXPECT_EQ(data["planes"][0]["maps"].size(), 3u);
    }
}

// Of another system, say: sizes that do not fit.
TEST_F(Details, LeaveOutBeliefsThatDoNotFitTheRun) {
  const auto run = copy("pendulum");
  std::filesystem::copy(path("cartpole") / "beliefs.jsonl", run / "beliefs.jsonl",
                        std::filesystem::copy_options::overwrite_existing);
  std::filesystem::remove(run / "checkpoint");
  const Json data = details("pendulum-copy");
  EXPECT_EQ(data["episodes"].size(), 3u);
  EXPECT_TRUE(data["calibration"].empty());
  EXPECT_FALSE(data["problems"].empty());
}

TEST_F(Details, LeaveOutBeliefsWhoseEpisodesAreGone) {
  const auto run = copy("pendulum");
  std::filesystem::remove(run / "episodes/0002.csv");
  const Json data = details("pendulum-copy");
  EXPECT_EQ(episodes_in(data["episodes"]), (std::vector{1, 3}));
  EXPECT_EQ(episodes_in(data["calibration"]), (std::vector{1}));
  EXPECT_EQ(episodes_in(data["planes"][0]["maps"]), (std::vector{1}));
}

TEST_F(Details, SurviveNumbersThatAreFarOff) {
  const auto run = copy("pendulum");
  std::filesystem::remove(run / "checkpoint");
  write(run / "episodes/0001.csv",
        "step,cos,sin,thetadot,action\n0,1,0,1e308,1\n1,1,0,-1e308,1\n2,1,0,1e308,\n");
  const Json data = details("pendulum-copy");
  EXPECT_EQ(data["episodes"].size(), 3u);
  EXPECT_FALSE(data["problems"].empty());
}

}  // namespace
}  // namespace rhc
