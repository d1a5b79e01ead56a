#include <nlohmann/json.hpp>

#include "tests/apps/small_run.h"
#include "tests/sealed.h"

namespace rhc {
namespace {

TEST(Inspect, TellsWhatAFinishedRunIs) {
  const TemporaryDirectory dir;
  small_run(dir, {"--seed", "7"});
  const Outcome shown = run({"inspect", "run"}, dir);
  EXPECT_EQ(shown.code, 0) << shown.err;
  for (const char* part :
       {"system      pendulum", "method      rhc-evr", "seed        7", "status      finished",
        "episodes    2 of 2, 200 transitions", "task cost", "belief after episode 2", "thetadot"})
    EXPECT_TRUE(contains(shown.out, part)) << part << "\n" << shown.out;
  EXPECT_FALSE(contains(shown.out, "resume") || contains(shown.out, "damaged")) << shown.out;
}

TEST(Inspect, TellsAllOfItAsOneObject) {
  const TemporaryDirectory dir;
  const auto path = small_run(dir);
  const Outcome shown = run({"inspect", "run", "--json"}, dir);
  EXPECT_EQ(shown.code, 0);
  const nlohmann::json told = nlohmann::json::parse(shown.out);
  EXPECT_EQ(told["status"], "finished");
  EXPECT_EQ(told["episodes_done"], 2);
  EXPECT_EQ(told["metrics"].size(), 3u);
  EXPECT_EQ(told["belief"]["episode"], 2);
  EXPECT_EQ(told["belief"]["bandwidth"].size(), 4u);
  EXPECT_TRUE(told["belief"]["noise"].contains("thetadot"));
  EXPECT_TRUE(told["belief"]["sensor_noise"].contains("thetadot"));
  EXPECT_TRUE(told["belief"]["process_noise"].contains("thetadot"));
  EXPECT_EQ(told["go_on"], nullptr);
  EXPECT_EQ(told["damaged"], nlohmann::json::array());
  EXPECT_EQ(told["best_achievable"]["rmse"],
            nlohmann::json::parse(slurp(path / "best_achievable.json"))["rmse"]);
}

TEST(Inspect, NamesWhoIsRunningIt) {
  const TemporaryDirectory dir, elsewhere;
  const Program program(explore_small("pendulum", "run", {"--episodes", "100000"}), dir);
  ASSERT_TRUE(appears(dir.path() / "run/episodes/0002.csv"));
  const Outcome shown = run({"inspect", dir.path() / "run"}, elsewhere);
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait().code, 130);
  EXPECT_EQ(shown.code, 0) << shown.out << shown.err;
  EXPECT_TRUE(contains(shown.out, "status      running now, by process ")) << shown.out;
  EXPECT_FALSE(contains(shown.out, "resume")) << shown.out;
}

TEST(Inspect, TellsHowToGoOnWithARunThatWasStopped) {
  const TemporaryDirectory dir;
  for (const int signal : {SIGINT, SIGKILL}) {
    const std::string name = "run" + std::to_string(signal);
    const Program program(explore_small("pendulum", name, {"--episodes", "100000"}), dir);
    ASSERT_TRUE(appears(dir.path() / name / "episodes/0002.csv"));
    program.signal(signal);
    program.wait();
    const Outcome shown = run({"inspect", name}, dir);
    EXPECT_EQ(shown.code, 0) << shown.out;
    const std::string status = signal == SIGINT ? "interrupted" : "killed";
    EXPECT_TRUE(contains(shown.out, "status      " + status)) << shown.out;
    EXPECT_TRUE(contains(shown.out, "go on by    rhc resume " + name + "\n")) << shown.out;
    EXPECT_TRUE(contains(shown.out, " of 100000,")) << shown.out;
  }
}

TEST(Inspect, TellsWhyARunFailed) {
  const TemporaryDirectory dir;
  Program(explore_small("pendulum", "run", {"--episodes", "3", "features=60"}), dir, [] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{30000, 30000};
    setrlimit(RLIMIT_FSIZE, &limit);
  }).wait();
  const Outcome shown = run({"inspect", "run"}, dir);
  EXPECT_EQ(shown.code, 0) << shown.out;
  EXPECT_TRUE(contains(shown.out, "status      failed: cannot write 'run/model.json'"));
  EXPECT_TRUE(contains(shown.out, "go on by    rhc resume run\n")) << shown.out;
}

TEST(Inspect, SaysThatTheClockWentBackwards) {
  const TemporaryDirectory dir;
  const auto path = small_run(dir);
  nlohmann::json manifest = nlohmann::json::parse(unsealed(slurp(path / "manifest.json")));
  manifest["started"] = "2999-01-01T00:00:00Z";
  std::ofstream(path / "manifest.json") << manifest;
  EXPECT_TRUE(contains(run({"inspect", "run"}, dir).out,
                       "ended       not known: the clock went backwards"));
  EXPECT_EQ(nlohmann::json::parse(run({"inspect", "run", "--json"}, dir).out)["clock_went_back"],
            true);
}

TEST(Inspect, NamesWhatIsDamagedAndExitsWithOne) {
  const TemporaryDirectory dir;
  const auto path = small_run(dir);
  const std::string episode = slurp(path / "episodes/0002.csv");
  std::ofstream(path / "episodes/0002.csv") << episode.substr(0, episode.size() / 2);
  std::ofstream(path / "tasks/0001.csv") << "step\n";
  const Outcome shown = run({"inspect", "run"}, dir);
  EXPECT_EQ(shown.code, 1);
  EXPECT_TRUE(contains(shown.out, "run/episodes/0002.csv")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "run/tasks/0001.csv")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "rhc resume run --repair")) << shown.out;
  const Outcome told = run({"inspect", "run", "--json"}, dir);
  EXPECT_EQ(told.code, 1);
  EXPECT_GE(nlohmann::json::parse(told.out)["damaged"].size(), 2u);
}

TEST(Inspect, NamesWhatWasRecovered) {
  const TemporaryDirectory dir;
  const auto path = small_run(dir);
  const std::string metrics = slurp(path / "metrics.jsonl");
  std::ofstream(path / "metrics.jsonl") << metrics.substr(0, metrics.size() - 20);
  const Outcome shown = run({"inspect", "run"}, dir);
  EXPECT_EQ(shown.code, 0);
  EXPECT_TRUE(contains(shown.out, "recovered:\n  metrics.jsonl: its last line was cut off"))
      << shown.out;
}

TEST(Inspect, NamesFilesThatANewerProgramWrote) {
  const TemporaryDirectory dir;
  const auto path = small_run(dir);
  replace_in(path / "model.json", "\"format_version\":1", "\"format_version\":99");
  const Outcome model = run({"inspect", "run"}, dir);
  EXPECT_EQ(model.code, 1);
  EXPECT_TRUE(contains(model.out, "run/model.json: written in format 99")) << model.out;

  replace_in(path / "manifest.json", "\"format_version\": 1", "\"format_version\": 99");
  const Outcome manifest = run({"inspect", "run"}, dir);
  EXPECT_EQ(manifest.code, 2);
  EXPECT_TRUE(contains(manifest.err, "run/manifest.json: written in format 99")) << manifest.err;
  EXPECT_TRUE(contains(manifest.err, "use a newer rhc")) << manifest.err;
}

TEST(Inspect, RefusesWhatIsNoRun) {
  const TemporaryDirectory dir;
  dir.write("file", "");
  std::filesystem::create_directory(dir.path() / "empty");
  for (const char* command : {"inspect", "evaluate", "export"})
    for (const char* place : {"nowhere", "file", "empty"}) {
      const Outcome refused = run({command, place}, dir);
      EXPECT_EQ(refused.code, 2) << command << " " << place;
      EXPECT_TRUE(contains(refused.err, "name a run directory, such as those that `rhc explore`"))
          << refused.err;
      EXPECT_EQ(refused.out, "");
    }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path() / "empty"));
}

}  // namespace
}  // namespace rhc
