#include "rhc/plant/channel_plant.h"

#include <gtest/gtest.h>

#include <thread>

#include "rhc/core/error.h"
#include "rhc/system/pendulum.h"
#include "rhc/system/plant.h"
#include "tests/plant/channel_peer.h"

namespace rhc {
namespace {

constexpr double kStep = 0.02;
constexpr LiveTime kPatience = live_seconds(30);

// A pendulum at the other end: two numbers are measured, three are observed.
struct Connected {
  Connected() {
    std::thread other([this] {
      hello = peer.meet().shape;
      peer.hello({2, 1, kStep});
    });
    plant = std::make_unique<ChannelPlant>(peer.path(), Pendulum{}, kStep, 30, [] {});
    other.join();
  }
  Heard wait() { return plant->wait(live_now() + kPatience, seen); }
  Heard look() { return plant->wait(0, seen); }

  ChannelPeer peer;
  ChannelShape hello;
  std::unique_ptr<ChannelPlant> plant;
  Vector seen;
};

TEST(ChannelPlant, GreetsMeasuresAndActs) {
  Connected two;
  EXPECT_EQ(two.hello.observations, 2);
  EXPECT_EQ(two.hello.actions, 1);
  EXPECT_EQ(two.hello.time_step, kStep);
  EXPECT_EQ(two.look().kind, Heard::nothing);
  two.peer.measure(1, {0.5, -1});
  const Heard heard = two.wait();
  EXPECT_EQ(heard.kind, Heard::measured);
  EXPECT_FALSE(heard.ended);
  EXPECT_EQ(two.seen, Pendulum{}.observe(Eigen::Vector2d(0.5, -1)));
  ASSERT_TRUE(two.plant->send(Vector::Constant(1, 0.25)));
  const Frame action = two.peer.receive();
  EXPECT_EQ(action.header.kind, FrameKind::action);
  EXPECT_EQ(action.header.number, 1u);
  EXPECT_EQ(action.header.answers, 1u) << "the measurement that it is for";
  EXPECT_EQ(action.header.flags, 0u);
  ASSERT_EQ(action.count(), 1u);
  EXPECT_EQ(action.value(0), 0.25);
}

TEST(ChannelPlant, TakesTheNewestAndCountsTheRest) {
  Connected two;
  two.peer.measure(1, {0.1, 0});
  two.peer.measure(2, {0.2, 0});
  two.peer.measure(2, {0.3, 0});
  two.peer.measure(1, {0.4, 0});
  two.peer.measure(6, {0.6, 0});
  EXPECT_EQ(two.wait().kind, Heard::measured);
  EXPECT_EQ(two.seen, Pendulum{}.observe(Eigen::Vector2d(0.6, 0)));
  const Dropped& dropped = two.plant->dropped();
  EXPECT_EQ(dropped.superseded, 2u);
  EXPECT_EQ(dropped.doubled, 1u);
  EXPECT_EQ(dropped.late, 1u);
  EXPECT_EQ(dropped.lost, 3u);
  EXPECT_EQ(two.look().kind, Heard::nothing) << "everything is heard once";
  two.peer.measure(5, {0.5, 0});
  EXPECT_EQ(two.look().kind, Heard::nothing) << "an older one is never the newest";
}

TEST(ChannelPlant, ForgetsWhatWasMeasuredBeforeItBegan) {
  Connected two;
  two.peer.measure(1, {0.1, 0});
  two.peer.measure(2, {0.2, 0});
  two.plant->begin(Vector());
  EXPECT_EQ(two.look().kind, Heard::nothing);
  two.peer.measure(3, {0.3, 0});
  EXPECT_EQ(two.wait().kind, Heard::measured);
  EXPECT_EQ(two.plant->dropped().lost, 0u);
}

TEST(ChannelPlant, RemembersAStopThatWasSaidBeforeItBegan) {
  Connected two;
  two.peer.measure(1, {0.1, 0});
  two.peer.measure(2, {0.2, 0}, kFrameStop, "the door is open");
  two.peer.measure(3, {0.3, 0});
  two.plant->begin(Vector());
  const Heard heard = two.wait();
  EXPECT_EQ(heard.kind, Heard::stopped);
  EXPECT_EQ(heard.why, "the door is open");
}

TEST(ChannelPlant, HearsAnEndAndAStop) {
  Connected two;
  two.peer.measure(1, {0.1, 0}, kFrameEnded);
  Heard heard = two.wait();
  EXPECT_EQ(heard.kind, Heard::measured);
  EXPECT_TRUE(heard.ended);
  two.peer.measure(2, {0.1, 0}, kFrameStop, "the door is open");
  heard = two.wait();
  EXPECT_EQ(heard.kind, Heard::stopped);
  EXPECT_EQ(heard.why, "the door is open");
}

// Whatever else is wrong with the frame, and also without a reason.
TEST(ChannelPlant, TakesWhoSaysStopAtItsWord) {
  for (const std::vector<double>& values :
       {std::vector<double>{}, {1}, {std::nan(""), 0}, {1e300, 0}}) {
    Connected two;
    two.peer.measure(1, {0.1, 0});
    two.peer.measure(2, values, kFrameStop);
    two.peer.measure(3, {0.1, 0});
    const Heard heard = two.wait();
    EXPECT_EQ(heard.kind, Heard::stopped);
    EXPECT_EQ(heard.why, "it does not say why");
  }
}

TEST(ChannelPlant, CallsNonsenseWhatIsNoMeasurement) {
  struct Wrong {
    std::function<void(ChannelPeer&)> say;
    const char* words;
  };
  const Wrong all[] = {
      {[](auto& p) {
         p.measure(1, {std::nan(""), 0});
       },
       "a value that is not a finite number"},
      {[](auto& p) {
         p.measure(1, {1e300, 0});
       },
       "it measured theta = 1e+300, far beyond its range of"},
      {[](auto& p) {
         p.measure(1, {1, 2, 3});
       },
       "it measured 3 numbers instead of 2"},
      {[](auto& p) { p.say("hello, world"); }, "something that is no frame of the fast channel"},
      {[](auto& p) { p.say("rhcF"); }, "a frame that ends too early"},
      {[](auto& p) { p.say(std::string(100000, 'x')); }, "a frame that is too long"},
      {[](auto& p) { p.say(""); }, "a frame that ends too early"},
      {[](auto& p) {
         p.hello({2, 1, kStep});
       },
       "a kind that only a controller sends"},
      {[](auto& p) {
         p.measure(1, {0, 0}, 0, "", live_now() + live_seconds(1000));
       },
       "its clock jumped"},
  };
  for (const Wrong& wrong : all) {
    Connected two;
    wrong.say(two.peer);
    Heard heard = two.wait();
    EXPECT_EQ(heard.kind, Heard::nonsense) << wrong.words;
    EXPECT_NE(heard.why.find(wrong.words), std::string::npos) << heard.why;
    EXPECT_EQ(two.plant->dropped().nonsense, 1u);
    // It goes on, and what was whole beside it counts.
    wrong.say(two.peer);
    two.peer.measure(7, {0.5, 0});
    wrong.say(two.peer);
    heard = two.wait();
    EXPECT_EQ(heard.kind, Heard::measured) << wrong.words;
    EXPECT_EQ(two.seen, Pendulum{}.observe(Eigen::Vector2d(0.5, 0)));
  }
}

TEST(ChannelPlant, NoticesThatThePlantIsGone) {
  Connected two;
  two.peer.measure(1, {0.5, 0});
  two.peer.hang_up();
  const Heard heard = two.wait();
  EXPECT_EQ(heard.kind, Heard::gone) << "nobody needs an action for its last measurement";
  EXPECT_EQ(heard.why, "it hung up");
  EXPECT_FALSE(two.plant->send(Vector::Zero(1)));
  two.plant->rest(Vector::Zero(1));
  EXPECT_EQ(two.wait().kind, Heard::gone);
}

// It has not read the action, which the kernel tells before what it said.
TEST(ChannelPlant, HearsTheLastWordsOfAPlantThatHangsUp) {
  Connected two;
  two.plant->send(Vector::Ones(1));
  two.peer.measure(1, {0.5, 0}, kFrameStop, "the door is open");
  two.peer.hang_up();
  const Heard heard = two.wait();
  EXPECT_EQ(heard.kind, Heard::stopped);
  EXPECT_EQ(heard.why, "the door is open");
}

TEST(ChannelPlant, NoticesThatThePlantHasFailed) {
  Connected two;
  two.peer.measure(1, {0.5, 0}, kFrameFailed, "the motor\nis hot");
  const Heard heard = two.wait();
  EXPECT_EQ(heard.kind, Heard::gone);
  EXPECT_EQ(heard.why, "it failed: the motor\\nis hot");
}

TEST(ChannelPlant, NeverWaitsForAPlantThatReadsNothing) {
  Connected two;
  int taken = 0;
  while (taken < 100000 && two.plant->send(Vector::Zero(1))) ++taken;
  EXPECT_LT(taken, 100000);
  two.plant->rest(Vector::Zero(1));
  two.peer.measure(1, {0.5, 0});
  EXPECT_EQ(two.wait().kind, Heard::measured);
}

TEST(ChannelPlant, SaysRestWithItsLastAction) {
  Connected two;
  two.plant->send(Vector::Constant(1, 1));
  two.plant->rest(Vector::Zero(1));
  two.plant->close();
  EXPECT_EQ(two.peer.receive().value(0), 1);
  const Frame last = two.peer.receive();
  EXPECT_EQ(last.value(0), 0);
  EXPECT_EQ(last.header.flags, kFrameRest);
  EXPECT_EQ(last.header.number, 2u);
}

// How a plant answers hello, and what is said about it.
template <class Error>
std::string greeted_with(const std::function<void(ChannelPeer&)>& answer, double seconds = 30) {
  ChannelPeer peer;
  std::thread other([&] {
    peer.meet();
    answer(peer);
  });
  const std::string message =
      message_of<Error>([&] { ChannelPlant(peer.path(), Pendulum{}, kStep, seconds, [] {}); });
  other.join();
  return message;
}

TEST(ChannelPlant, RefusesAnotherPlant) {
  EXPECT_NE(greeted_with<InputError>([](auto& p) {
              p.hello({3, 1, kStep});
            }).find("it measures 3 numbers, not 2"),
            std::string::npos);
  EXPECT_NE(greeted_with<InputError>([](auto& p) {
              p.hello({2, 4, kStep});
            }).find("it takes 4 actions, not 1"),
            std::string::npos);
  for (const double other : {0.0, -0.02, 0.04, 1e300})
    EXPECT_NE(greeted_with<InputError>([&](auto& p) {
                p.hello({2, 1, other});
              }).find("its time step is "),
              std::string::npos);
}

TEST(ChannelPlant, SaysWhatIsWrongWithAHello) {
  EXPECT_NE(greeted_with<IoError>([](auto& p) {
              p.say(std::string("rhcF\x02\0\x01\0", 8) + std::string(40, '\0'));
            }).find("speaks version 2 of the fast channel, this program speaks version 1"),
            std::string::npos);
  EXPECT_NE(greeted_with<IoError>([](auto& p) {
              p.say("SSH-2.0-OpenSSH");
            }).find("answered hello with something that is no frame of the fast channel"),
            std::string::npos);
  EXPECT_NE(greeted_with<IoError>([](auto& p) { p.hang_up(); }).find("hung up instead"),
            std::string::npos);
  EXPECT_NE(greeted_with<IoError>([](auto& p) {
              p.measure(1, {0, 0});
            }).find("did not begin with hello"),
            std::string::npos);
  EXPECT_NE(greeted_with<IoError>([](auto& p) {
              p.hello({2, 1, std::nan("")});
            }).find("a value that is not a finite number"),
            std::string::npos);
  EXPECT_NE(greeted_with<IoError>([](auto& p) {
              p.hello({2, 1, kStep}, 5);
            }).find("by another clock than this machine's CLOCK_MONOTONIC"),
            std::string::npos);
  EXPECT_NE(greeted_with<IoError>([](auto&) {}, 0.05).find("did not answer hello"),
            std::string::npos);
  EXPECT_EQ(greeted_with<PlantStop>([](auto& p) { p.measure(1, {}, kFrameStop, "no power"); }),
            "no power");
}

TEST(ChannelPlant, SaysWhyItCannotConnect) {
  const auto message = [](const std::string& path) {
    const std::string io = message_of<IoError>([&] {
      try {
        ChannelPlant(path, Pendulum{}, kStep, 1, [] {});
      } catch (const InputError& error) {
        throw IoError(error.what());
      }
    });
    return io;
  };
  const TemporaryDirectory dir;
  EXPECT_NE(message((dir.path() / "none").string()).find("is the plant running?"),
            std::string::npos);
  EXPECT_NE(message(dir.write("file", "")).find("is the plant running?"), std::string::npos);
  EXPECT_NE(message(dir.path().string() + std::string(200, 'x'))
                .find("the path of a socket has 1 to 107 bytes"),
            std::string::npos);
  EXPECT_NE(message("").find("the path of a socket has"), std::string::npos);
  const ChannelPeer stream(SOCK_STREAM);
  EXPECT_NE(message(stream.path()).find("not a socket of the kind SOCK_SEQPACKET"),
            std::string::npos);
}

TEST(ChannelPlant, IsNotWaitedForByWhoWantsToStop) {
  ChannelPeer peer;  // which accepts nobody
  EXPECT_THROW(ChannelPlant(peer.path(), Pendulum{}, kStep, 1000, [] { throw Interrupted{}; }),
               Interrupted);
}

}  // namespace
}  // namespace rhc
