#include "rhc/report/reproduce_report.h"

#include <gtest/gtest.h>

#include "rhc/core/version.h"
#include "rhc/report/belief_maps.h"
#include "rhc/report/compact.h"
#include "rhc/report/compare_report.h"
#include "rhc/study/aggregate.h"
#include "tests/report/many_runs.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

Json data_of_runs(const std::vector<RunSummary>& runs) {
  return reproduce_report_data(runs, std::nullopt, 1);
}

// A run of 20 episodes that comes to the limit after `first` of them.
RunSummary twenty(const std::string& system, const std::string& method, std::uint64_t seed,
                  int first) {
  std::vector<double> costs(20, 300);
  for (std::size_t k = static_cast<std::size_t>(first) - 1; k < 20; ++k) costs[k] = 100;
  return run_with_costs(system, method, seed, costs);
}

TEST(ReproduceReport, SaysWhatItIs) {
  const Json data = data_of_runs({});
  EXPECT_EQ(data["kind"], "reproduce");
  EXPECT_EQ(data["version"], version());
  for (const char* key : {"warnings", "systems", "to_limit", "run_times"})
    EXPECT_TRUE(data[key].empty()) << key;
  EXPECT_EQ(data["made"]["runs"], 0);
}

TEST(ReproduceReport, PutsSystemsAndMethodsInThePapersOrder) {
  std::vector<RunSummary> runs;
  for (const char* system : {"cartpole", "mine", "mountain-car", "pendulum"})
    for (const char* method : {"max", "random", "rhc-evr", "rhc-info", "rhc-us", "sac-ig"})
      runs.push_back(run_with_costs(system, method, 1, {500, 100}));
  const Json data = data_of_runs(runs);
  std::vector<std::string> systems, methods;
  for (const Json& system : data["systems"]) systems.push_back(system["name"]);
  for (const Json& group : data["systems"][1]["groups"]) methods.push_back(group["method"]);
  EXPECT_EQ(systems, (std::vector<std::string>{"mountain-car", "pendulum", "cartpole", "mine"}));
  EXPECT_EQ(methods,
            (std::vector<std::string>{"rhc-evr", "rhc-info", "rhc-us", "max", "sac-ig", "random"}));
}

TEST(ReproduceReport, HasTheCurvesAndWarningsOfAComparison) {
  std::vector<RunSummary> runs = {run_with_costs("pendulum", "rhc-us", 1, {500, 100}),
                                  run_with_costs("pendulum", "rhc-us", 2, {300, 120})};
  runs[0].manifest.status = "interrupted";
  runs[1].damaged = {"runs/x/metrics.jsonl:3: not valid JSON"};
  const Json data = data_of_runs(runs), comparison = compare_report_data(runs);
  EXPECT_EQ(data["systems"], comparison["systems"]);
  EXPECT_EQ(data["warnings"], comparison["warnings"]);
  EXPECT_EQ(data["warnings"].size(), 2u);
}

TEST(ReproduceReport, HasTheLikelihoodAsThePaperMeasuresIt) {
  const Json data = data_of_runs({run_with_costs("pendulum", "rhc-us", 1, {500, 100})});
  EXPECT_EQ(data["systems"][0]["groups"][0]["curves"]["log_likelihood_paper"]["median"].dump(),
            "[-1000.0,-200.0]");
}

TEST(ReproduceReport, HasEpisodesUntilTheLimitWithDeciles) {
  // First times 2, 4 and 6, so the deciles are 2.4 and 5.6.
  const Json data =
      data_of_runs({twenty("pendulum", "rhc-us", 1, 2), twenty("pendulum", "rhc-us", 2, 6),
                    twenty("pendulum", "rhc-us", 3, 4)});
  EXPECT_EQ(data["to_limit"].dump(),
            R"([{"system":"pendulum","label":"rhc-us","median":4.0,"decile1":2.4,"decile9":5.6,)"
            R"("arrived":3,"runs":3,"episodes":20}])");
}

TEST(ReproduceReport, HasNullsForThoseThatDidNotComeToTheLimit) {
  const Json group =
      data_of_runs({run_with_costs("pendulum", "random", 1, {300, 300}),
                    run_with_costs("pendulum", "random", 2, {100, 300})})["to_limit"][0];
  EXPECT_TRUE(group["median"].is_null());
  EXPECT_EQ(group["arrived"], 1);
  EXPECT_EQ(group["runs"], 2);
  EXPECT_EQ(group["episodes"], 2);
}

// Seeds 1, 2 and 6 take 10, 20 and 60 seconds; the paper's run takes 0.8 hours.
TEST(ReproduceReport, HasRunTimesBesideThePapers) {
  const Json time =
      data_of_runs({twenty("pendulum", "rhc-us", 1, 2), twenty("pendulum", "rhc-us", 2, 2),
                    twenty("pendulum", "rhc-us", 6, 2)})["run_times"][0];
  EXPECT_EQ(time.dump(),
            R"({"system":"pendulum","label":"rhc-us","runs":3,"episodes":20,"mean":30.0,)"
            R"("median":20.0,"paper":{"hours":0.8},"ratio":96.0})");
}

TEST(ReproduceReport, MarksWhatThePaperCouldNotRunAndWhatItDoesNotHave) {
  const Json times = data_of_runs(
      {twenty("pendulum", "rhc-evr", 1, 2), twenty("pendulum", "rhc-info", 1, 2)})["run_times"];
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0]["paper"].dump(), R"({"hours":null})");
  EXPECT_TRUE(times[1]["paper"].is_null());
  for (const Json& time : times) EXPECT_TRUE(time["ratio"].is_null());
}

TEST(ReproduceReport, HasNoRatioOfRunsThatAreNotAsThePapers) {
  std::vector<RunSummary> runs = {run_with_costs("pendulum", "rhc-us", 1, {500, 100})};
  EXPECT_TRUE(data_of_runs(runs)["run_times"][0]["ratio"].is_null()) << "two episodes";
  runs = {twenty("pendulum", "rhc-us", 1, 2)};
  runs[0].config.judge.test_trajectories = 0;
  EXPECT_TRUE(data_of_runs(runs)["run_times"][0]["ratio"].is_null()) << "not evaluated";
  runs[0].manifest.status = "interrupted";
  EXPECT_TRUE(data_of_runs(runs)["run_times"].empty()) << "not finished";
}

TEST(ReproduceReport, SaysWhatMadeTheRuns) {
  std::vector<RunSummary> runs = {run_with_costs("pendulum", "rhc-us", 1, {500, 100}),
                                  run_with_costs("cartpole", "rhc-us", 2, {500, 100})};
  runs[1].manifest.cpu = "Zuse";
  runs[1].manifest.status = "interrupted";
  const Json made = data_of_runs(runs)["made"];
  EXPECT_EQ(made["runs"], 2);
  EXPECT_EQ(made["finished"], 1);
  EXPECT_EQ(made["seconds"], 30);
  EXPECT_EQ(made["versions"].dump(), R"(["1.0"])");
  EXPECT_EQ(made["cpus"].dump(), R"(["Abacus","Zuse"])");
}

class Figure2 : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TemporaryDirectory;
    Config config = tiny_config("pendulum", 7);
    config.method = "rhc-us";
    explored(dir_->path() / "seven", config);
  }
  static void TearDownTestSuite() { delete dir_; }

  static RunRecord run() { return read_run(dir_->path() / "seven"); }
  static Json of(const std::optional<RunRecord>& run, int threads = 1) {
    return reproduce_report_data({}, run, threads)["figure2"];
  }
  static std::string why_missing(const std::optional<RunRecord>& run) {
    const Json figure = of(run);
    return figure["missing"].is_null() ? "it is there" : figure["missing"].get<std::string>();
  }

  static inline TemporaryDirectory* dir_;
};

TEST_F(Figure2, HasTheMapsBeforeAndAfterItsEpisodes) {
  const Json figure = of(run());
  EXPECT_TRUE(figure["missing"].is_null());
  EXPECT_EQ(figure["run"], "seven");
  EXPECT_EQ(figure["method"], "rhc-us");
  EXPECT_EQ(figure["shown"].dump(), "[2,3,6]");
  std::vector<int> episodes;
  for (const Json& map : figure["plane"]["maps"]) episodes.push_back(map["episode"]);
  EXPECT_EQ(episodes, (std::vector{1, 2, 3, 5, 6}));
}

TEST_F(Figure2, IsOverAngleAndSpeed) {
  const Json figure = of(run());
  EXPECT_EQ(figure["coordinates"][figure["plane"]["x"].get<std::size_t>()]["name"], "angle");
  EXPECT_EQ(figure["coordinates"][figure["plane"]["y"].get<std::size_t>()]["name"], "thetadot");
  EXPECT_NEAR(figure["plane"]["x_range"][1].get<double>(), 3.14159, 1e-5);
}

// The map itself is tested with plane.h: here it is that of the right belief.
TEST_F(Figure2, IsOfTheBeliefAfterTheEpisode) {
  const RunRecord record = run();
  const Json figure = of(record);
  const auto coordinates = coordinates_of(record.spec);
  const auto range = [&](const char* key) {
    const Json& ends = figure["plane"][key];
    return Interval{ends[0].get<double>(), ends[1].get<double>()};
  };
  const Plane plane{0, 1, range("x_range"), range("y_range")};
  const Vector around = make_system("pendulum").observe(record.spec.start);
  for (const Json& map : figure["plane"]["maps"]) {
    const auto belief = belief_after(record, map["episode"].get<int>());
    const Matrix expected =
        entropy_map(belief->regression, record.spec, coordinates, plane, around, kMapCells);
    EXPECT_NEAR(map["low"].get<double>(), expected.minCoeff(), 1e-4);
    EXPECT_NEAR(map["high"].get<double>(), expected.maxCoeff(), 1e-4);
  }
}

TEST_F(Figure2, HasTheTrajectoriesOfAllEpisodesUntilTheLast) {
  const RunRecord record = run();
  const Json figure = of(record);
  ASSERT_EQ(figure["episodes"].size(), 6u);
  for (std::size_t e = 0; e < 6; ++e) {
    EXPECT_EQ(figure["episodes"][e]["episode"], e + 1);
    EXPECT_EQ(figure["episodes"][e]["observations"],
              rounded_rows(record.episodes[e]->observations, 1));
  }
}

TEST_F(Figure2, DoesNotDependOnTheNumberOfThreads) { EXPECT_EQ(of(run(), 3), of(run(), 1)); }

TEST_F(Figure2, SaysWhyItIsMissing) {
  EXPECT_EQ(why_missing(std::nullopt), "There is no run of the pendulum to draw it from.");
  RunRecord other = run();
  other.config.system = "cartpole";
  EXPECT_EQ(why_missing(other), "It is of the pendulum, and seven is a run of cartpole.");
  RunRecord damaged = run();
  damaged.episodes[3].reset();
  EXPECT_EQ(why_missing(damaged), "Episode 4 of the run seven is missing or damaged.");
  damaged = run();
  std::erase_if(damaged.beliefs, [](const BeliefRecord& b) { return b.episode == 5; });
  EXPECT_EQ(why_missing(damaged), "The belief after episode 5 of the run seven is missing.");
  damaged = run();
  for (BeliefRecord& belief : damaged.beliefs) belief.posteriors[0].hyperparameters.noise.resize(9);
  EXPECT_EQ(why_missing(damaged), "the belief after episode 1 is not one about 'pendulum'");
}

TEST_F(Figure2, NeedsSixEpisodes) {
  const auto path = explored(dir_->path() / "five", tiny_config("pendulum", 5));
  EXPECT_EQ(why_missing(read_run(path)), "It needs 6 episodes, and the run five has 5.");
}

}  // namespace
}  // namespace rhc
