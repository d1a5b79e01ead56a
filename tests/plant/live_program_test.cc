#include "rhc/plant/live_program.h"

#include <gtest/gtest.h>

#include <optional>

#include "rhc/core/error.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/pendulum.h"
#include "rhc/system/plant.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

// A plant of tests/plants/live.py in a folder of its own.
struct Asked {
  explicit Asked(const std::string& mode, double overdue = 30)
      : plant({.command = "cd '" + dir.path().string() +
                          "' && exec python3 " RHC_TEST_PLANTS "/live.py " + mode,
               .start_timeout = 60,
               .timeout = 5,
               .overdue = overdue},
              Pendulum{}, [] {}) {}

  void begin() { plant.begin(Pendulum{}.spec().start); }
  bool send(double torque = 0.5) { return plant.send(Vector::Constant(1, torque)); }
  Heard wait(double seconds = 30) { return plant.wait(live_now() + live_seconds(seconds), seen); }
  // Reset and so many steps, each of which is measured.
  void go(int steps) {
    begin();
    ASSERT_EQ(wait().kind, Heard::measured);
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(send());
      ASSERT_EQ(wait().kind, Heard::measured);
    }
  }

  TemporaryDirectory dir;
  LiveProgram plant;
  Vector seen;
};

Vector after(int steps) {
  Vector state = Pendulum{}.spec().start;
  for (int i = 0; i < steps; ++i) state = Pendulum{}.step(state, Vector::Constant(1, 0.5));
  return Pendulum{}.observe(state);
}

TEST(LiveProgram, IsSentAnActionAndMeasuredLater) {
  Asked asked("none");
  asked.begin();
  EXPECT_EQ(asked.wait().kind, Heard::measured);
  EXPECT_EQ(asked.seen, after(0));
  for (int i = 1; i < 4; ++i) {
    EXPECT_TRUE(asked.send());
    EXPECT_EQ(asked.wait().kind, Heard::measured);
    EXPECT_LT((asked.seen - after(i)).norm(), 1e-9);
    EXPECT_EQ(asked.plant.wait(0, asked.seen).kind, Heard::nothing);
  }
  asked.plant.rest(Vector::Zero(1));
  asked.plant.close();
  EXPECT_EQ(slurp(asked.dir.path() / "actions"), "reset\n0.5\n0.5\n0.5\n0.0\nclose\n");
}

TEST(LiveProgram, IsAskedOneQuestionAtATime) {
  Asked asked("slow 1 1000");
  asked.go(0);
  EXPECT_TRUE(asked.send());
  EXPECT_FALSE(asked.send()) << "the last one is not answered yet";
  EXPECT_EQ(asked.wait().kind, Heard::measured);
  EXPECT_TRUE(asked.send());
}

TEST(LiveProgram, GivesAQuestionUpThatIsOverdue) {
  Asked asked("lost 2", 0);
  asked.go(1);
  EXPECT_TRUE(asked.send());
  EXPECT_EQ(asked.wait(0.01).kind, Heard::nothing);
  EXPECT_TRUE(asked.send());
  EXPECT_EQ(asked.plant.dropped().lost, 1u);
  EXPECT_EQ(asked.wait().kind, Heard::measured);
  EXPECT_LT((asked.seen - after(3)).norm(), 1e-9) << "it moved all the same";
}

TEST(LiveProgram, NeverTakesALateAnswerForTheNewest) {
  Asked asked("late 2", 0);
  asked.go(1);
  EXPECT_TRUE(asked.send());
  EXPECT_TRUE(asked.send());
  EXPECT_EQ(asked.wait().kind, Heard::measured);
  EXPECT_LT((asked.seen - after(3)).norm(), 1e-9);
  EXPECT_TRUE(asked.send());
  EXPECT_EQ(asked.wait().kind, Heard::measured);
  EXPECT_LT((asked.seen - after(4)).norm(), 1e-9);
  EXPECT_EQ(asked.plant.dropped().late, 1u);
}

TEST(LiveProgram, DropsADoubledAnswer) {
  Asked asked("doubled 2 3");
  asked.go(7);
  EXPECT_LT((asked.seen - after(7)).norm(), 1e-9);
  EXPECT_EQ(asked.plant.dropped().doubled, 3u);
}

TEST(LiveProgram, NeedsNoIdFromWhoAnswersInTurn) {
  Asked asked("nameless");
  asked.go(5);
  EXPECT_LT((asked.seen - after(5)).norm(), 1e-9);
}

TEST(LiveProgram, CallsNonsenseWhatIsNoMeasurement) {
  struct Wrong {
    const char *mode, *words;
  };
  for (const Wrong& wrong :
       {Wrong{"absurd 2", "it measured theta = 1e+300, far beyond"},
        Wrong{"nan 2", "NaN among its numbers"}, Wrong{"garbage 2", ""}, Wrong{"future 2", ""}}) {
    Asked asked(wrong.mode);
    asked.go(1);
    EXPECT_TRUE(asked.send());
    Heard heard = asked.wait();
    EXPECT_EQ(asked.plant.dropped().nonsense, 1u) << wrong.mode;
    // The whole answer may come at the same time, or a moment later.
    if (std::string(wrong.words).empty() && heard.kind == Heard::nonsense) heard = asked.wait();
    if (std::string(wrong.words).empty()) {
      EXPECT_EQ(heard.kind, Heard::measured) << wrong.mode;
    } else {
      EXPECT_EQ(heard.kind, Heard::nonsense);
      EXPECT_NE(heard.why.find(wrong.words), std::string::npos) << heard.why;
    }
  }
}

TEST(LiveProgram, HearsAnEndAStopAndAFailure) {
  Asked ended("ended 1");
  ended.go(0);
  ended.send();
  EXPECT_TRUE(ended.wait().ended);
  Asked stopped("stop 1");
  stopped.go(0);
  stopped.send();
  Heard heard = stopped.wait();
  EXPECT_EQ(heard.kind, Heard::stopped);
  EXPECT_EQ(heard.why, "emergency stop pressed");
  Asked failed("error 1");
  failed.go(0);
  failed.send();
  heard = failed.wait();
  EXPECT_EQ(heard.kind, Heard::gone);
  EXPECT_NE(heard.why.find("the motor is too hot"), std::string::npos) << heard.why;
  Asked crashed("crash 1");
  crashed.go(0);
  crashed.send();
  heard = crashed.wait();
  EXPECT_EQ(heard.kind, Heard::gone);
  EXPECT_EQ(heard.why, "it ended with exit code 3");
  EXPECT_NE(crashed.plant.last_words().find("the motor is on fire"), std::string::npos);
}

TEST(LiveProgram, RefusesAPlantThatDoesNotBegin) {
  const auto begun = [](const std::string& command, const System& system) {
    LiveProgram({.command = command}, system, [] {});
  };
  EXPECT_NE(
      message_of<IoError>([&] { begun("exit 3", Pendulum{}); }).find("it ended with exit code 3"),
      std::string::npos);
  EXPECT_NE(message_of<IoError>([&] {
              begun("echo hello; sleep 100", Pendulum{});
            }).find("it answered hello with not a JSON object"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([&] {
              begun("python3 " RHC_EXAMPLES "/plant.py", Cartpole{});
            }).find("says that it is another system: its name is my-pendulum"),
            std::string::npos);
  EXPECT_EQ(message_of<PlantStop>(
                [&] { begun("python3 " RHC_TEST_PLANTS "/live.py stop-in-hello", Pendulum{}); }),
            "emergency stop pressed");
  EXPECT_THROW(LiveProgram({.command = "sleep 1000"}, Pendulum{}, [] { throw Interrupted{}; }),
               Interrupted);
}

}  // namespace
}  // namespace rhc
