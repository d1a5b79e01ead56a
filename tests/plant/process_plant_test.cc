#include "rhc/plant/process_plant.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

// A misbehaving plant in a folder of its own.
struct Lab {
  explicit Lab(const std::string& mode, double timeout = 20, double start_timeout = 60,
               OnFailure on_failure = OnFailure::retry)
      : plant({.command = "cd '" + dir.path().string() +
                          "' && exec python3 " RHC_TEST_PLANTS "/misbehaving.py " + mode,
               .timeout = timeout,
               .start_timeout = start_timeout,
               .on_failure = on_failure,
               .restarts = 2}) {}

  void begin() {
    const SystemFile file = described_system(plant.hello());
    system = file.system;
    plant.expect(*system);
  }
  Vector reset() { return plant.reset(system->spec().start); }
  Vector step() { return plant.step(Vector::Constant(1, 0.5)); }

  TemporaryDirectory dir;
  ProcessPlant plant;
  std::optional<System> system;
};

TEST(ProcessPlant, IsResetAndStepped) {
  Lab lab("none");
  lab.begin();
  EXPECT_EQ(lab.system->spec().name, "lag");
  for (int episode = 0; episode < 3; ++episode) {
    EXPECT_EQ(lab.reset(), Eigen::Vector2d(0.5, 0));
    EXPECT_EQ(lab.step(), Eigen::Vector2d(0.5, 0.1 * (0.5 - 0.5)));
    EXPECT_EQ(lab.step(), Eigen::Vector2d(0.5, 0));
  }
}

// What a plant does wrong in the second step of its first episode, and what is said about it.
struct Wrong {
  const char *mode, *words;
  double timeout = 20;
};

class Misbehaving : public testing::TestWithParam<Wrong> {};

TEST_P(Misbehaving, FailsTheStepAndIsStartedAgain) {
  Lab lab(std::string(GetParam().mode) + " 1 2", GetParam().timeout);
  lab.begin();
  lab.reset();
  lab.step();
  std::string message;
  // One that answers twice is found out when it is asked again.
  for (int i = 0; i < 2 && message.empty(); ++i)
    message = message_of<PlantFailure>([&] { lab.step(); });
  EXPECT_NE(message.find(GetParam().words), std::string::npos) << message;
  EXPECT_NE(message.find("(2 restarts left)"), std::string::npos) << message;
  EXPECT_EQ(lab.reset(), Eigen::Vector2d(0.5, 0)) << "it was started again";
  EXPECT_NO_THROW(lab.step());
}

INSTANTIATE_TEST_SUITE_P(
    ProcessPlant, Misbehaving,
    testing::Values(
        Wrong{"slow",
              "it did not answer '{\"type\":\"step\",\"id\":4,\"action\":[0.5]}' within 1 s", 1},
        Wrong{"crash", "it ended with exit code 3"},
        Wrong{"killed", "it ended with signal 11 (Segmentation fault)"},
        Wrong{"garbage",
              "it answered with not a JSON object, but 'hello, world \xef\xbf\xbd\\x00'"},
        Wrong{"not-an-object", "not a JSON object, but '[1, 2]'"},
        Wrong{"huge", "a line of more than 1048576 bytes: 'xxxx"},
        Wrong{"nan", "NaN among its numbers"},
        Wrong{"null", "an observation that is not a finite number: 'null'"},
        Wrong{"overflow", "it answered with"},
        Wrong{"absurd", "it measured x = 1e+300, far beyond its range of -2 to 2"},
        Wrong{"wrong-size", "3 observations instead of 2"},
        Wrong{"wrong-id", "the answer to request '-1', where request 4 was waiting"},
        Wrong{"error", "it answered with an error: 'the motor is too hot'"},
        Wrong{"closes-stdout", "it closed its standard output"},
        Wrong{"half-a-line",
              "it ended with exit code 0 in the middle of a line: '{\"observation\""},
        Wrong{"speaks", "it said '{\"observation\": [0, 0]}"}),
    [](const auto& param_info) {
      std::string name = param_info.param.mode;
      std::erase(name, '-');
      return name;
    });

TEST_P(Misbehaving, EndsAllUnlessARetryIsWanted) {
  Lab lab(std::string(GetParam().mode) + " 1 2", GetParam().timeout, 60, OnFailure::stop);
  lab.begin();
  lab.reset();
  lab.step();
  std::string message;
  for (int i = 0; i < 2 && message.empty(); ++i)
    message = message_of<PlantGivenUp>([&] { lab.step(); });
  EXPECT_NE(message.find(GetParam().words), std::string::npos) << message;
  EXPECT_EQ(message.find("restart"), std::string::npos) << message;
}

// Where it says so, and who asked.
TEST(ProcessPlant, ThatStopsIsClosedInOrder) {
  for (const char* mode : {"stop 1 0", "stop 1 1", "stop 1 2", "stop-unasked 1 1"}) {
    Lab lab(mode);
    lab.begin();
    const std::string why = message_of<PlantStop>([&] {
      lab.reset();
      for (int i = 0; i < 3; ++i) lab.step();
    });
    EXPECT_EQ(why, "emergency stop pressed") << mode;
    EXPECT_TRUE(std::filesystem::exists(lab.dir.path() / "closed")) << mode;
  }
}

TEST(ProcessPlant, ThatStopsInItsFirstWordsDoesNotBegin) {
  Lab lab("stop-in-hello");
  EXPECT_EQ(message_of<PlantStop>([&] { lab.plant.hello(); }), "emergency stop pressed");
}

TEST(ProcessPlant, ThatStopsWhileItFailsIsNotStartedAgain) {
  Lab lab("stop-at-the-end 1 1", 1);
  lab.begin();
  lab.reset();
  EXPECT_EQ(message_of<PlantStop>([&] { lab.step(); }), "emergency stop pressed");
}

TEST(ProcessPlant, IsNotStartedForEver) {
  Lab lab("crash");
  lab.begin();
  for (int i = 0; i < 3; ++i) EXPECT_THROW(lab.reset(), PlantFailure);
  const std::string message = message_of<IoError>([&] { lab.reset(); });
  EXPECT_NE(message.find("failed and was started again 2 times already (plant_restarts = 2); at "
                         "last: it ended with exit code 3\nIts last words:\n     the motor is on "
                         "fire"),
            std::string::npos)
      << message;
}

TEST(ProcessPlant, ThatDoesNotBeginSaysWhy) {
  const auto reason = [](const std::string& mode, double start_timeout) {
    Lab lab(mode, 20, start_timeout);
    return message_of<IoError>([&] { lab.plant.hello(); });
  };
  EXPECT_NE(reason("exits", 60).find("it ended with exit code 5"), std::string::npos);
  EXPECT_NE(reason("exits", 60).find("Its last words:\n     no such port"), std::string::npos);
  EXPECT_EQ(reason("exits", 60).find("restarts left"), std::string::npos) << "it is not restarted";
  EXPECT_NE(reason("mute", 0.2).find("it did not answer '{\"type\":\"hello\""), std::string::npos);
  EXPECT_NE(reason("speaks-first", 60).find("Welcome!"), std::string::npos);
  ProcessPlant nothing({.command = "no-such-program-here"});
  const std::string message = message_of<IoError>([&] { nothing.hello(); });
  EXPECT_NE(message.find("it ended with exit code 127"), std::string::npos) << message;
  EXPECT_NE(message.find("not found"), std::string::npos) << message;
}

TEST(ProcessPlant, ThatComesBackAsAnotherIsRefused) {
  Lab lab("changes");
  lab.begin();
  lab.reset();
  // Its first process is taken away.
  ProcessPlant second({.command = "cd '" + lab.dir.path().string() +
                                  "' && python3 " RHC_TEST_PLANTS "/misbehaving.py changes"});
  second.expect(*lab.system);
  const std::string message =
      message_of<InputError>([&] { second.reset(lab.system->spec().start); });
  EXPECT_NE(message.find("says that it is another system: its horizon is 30, not 20"),
            std::string::npos)
      << message;
}

bool gone(pid_t process) {
  for (int i = 0; i < 2000; ++i) {
    if (::kill(process, 0) != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(ProcessPlant, EndsWithAllThatItStarted) {
  for (const char* mode : {"has-children", "has-daemon"}) {
    pid_t child = 0;
    {
      Lab lab(mode);
      lab.begin();
      lab.reset();
      child = std::stoi(slurp(lab.dir.path() / "child.pid"));
      EXPECT_EQ(::kill(child, 0), 0) << mode;
    }
    EXPECT_TRUE(gone(child)) << mode;
  }
}

TEST(ProcessPlant, ThatFailsTakesWithItWhatItStarted) {
  Lab lab("has-daemon");
  lab.begin();
  lab.reset();
  const pid_t child = std::stoi(slurp(lab.dir.path() / "child.pid"));
  EXPECT_THROW(lab.plant.step(Vector()), PlantFailure) << "it cannot do without an action";
  EXPECT_TRUE(gone(child));
}

TEST(ProcessPlant, InASessionOfItsOwnIsAskedToEndAndEnds) {
  Lab lab("own-session", 0.2);
  lab.begin();
  lab.plant.close();
  EXPECT_TRUE(std::filesystem::exists(lab.dir.path() / "terminated"));
}

TEST(ProcessPlant, ThatIgnoresItsEndIsEnded) {
  Lab lab("ignores-close", 0.2);
  lab.begin();
  // That this test comes to an end is the claim.
}

TEST(ProcessPlant, WaitsNoLongerThanAPersonDoes) {
  Lab lab("slow");
  lab.begin();
  lab.plant.stop_requested = [] { return true; };
  EXPECT_THROW(lab.reset(), Interrupted);
}

TEST(ProcessPlant, LogsWhatItSaysBesides) {
  Lab lab("crash 1 1");
  lab.begin();
  lab.plant.log_to(lab.dir.path() / "plant.log");
  lab.reset();
  EXPECT_THROW(lab.step(), PlantFailure);
  EXPECT_EQ(slurp(lab.dir.path() / "plant.log"),
            "the motor is on fire\nrhc: it ended with exit code 3\n");
}

// The last of it is kept, in two files at most.
TEST(ProcessPlant, ThatSaysMuchFillsNoDisk) {
  Lab lab("chatty");
  lab.begin();
  const std::filesystem::path log = lab.dir.path() / "plant.log", before = log.string() + ".1";
  lab.plant.log_to(log);
  for (int episode = 0; episode < 2; ++episode) {
    lab.reset();
    for (int i = 0; i < 8; ++i) lab.step();
  }
  EXPECT_LE(std::filesystem::file_size(log), 5u << 20);
  EXPECT_LE(std::filesystem::file_size(before), 5u << 20);
  EXPECT_GT(std::filesystem::file_size(log) + std::filesystem::file_size(before), 5u << 20);
  EXPECT_TRUE(slurp(log).starts_with("rhc: what came before is in plant.log.1\n"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(lab.dir.path()), {}), 4)
      << "the two, resets and steps";
}

TEST(DescribedSystem, ErrorsNameNoPlaceInATextThatNobodyWrote) {
  EXPECT_EQ(
      message_of<InputError>([] { described_system("name = 'a b'\n"); }),
      "the plant's system: 'name' may hold letters, digits, - and _ only, and no more than 60");
}

TEST(DescribedSystem, IsRefusedInWordsThatFitJson) {
  const std::string message = message_of<InputError>([] {
    described_system("name = 'a'\ntime_step = 1\nhorizon = 9\n[[observations]]\nname = 'x'\n");
  });
  EXPECT_TRUE(
      message.starts_with("the plant's system: unknown key of a system 'observations'; did "
                          "you mean 'observation'?"))
      << message;
  EXPECT_EQ(
      message_of<InputError>([] { described_system("name = 'a'\ntime_step = 1\nhorizon = 9\n"); }),
      "the plant's system: a system needs 'observation'");
}

}  // namespace
}  // namespace rhc
