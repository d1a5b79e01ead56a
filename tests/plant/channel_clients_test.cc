// The clients in C and Python, and the example plants that use them, which run in a time of their
// own.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "rhc/core/error.h"
#include "rhc/describe/system_file.h"
#include "rhc/plant/channel_plant.h"
#include "rhc/plant/child_program.h"
#include "rhc/system/pendulum.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

struct Client {
  const char* name;
  std::string command;  // before the path of its socket
  System system;
  double time_step;
};

Client client(const std::string& name) {
  if (name == "c")
    return {"c", RHC_FAST_MOTOR, read_system_file(RHC_EXAMPLES "/motor.toml").system, 0.01};
  return {"python", "python3 " RHC_EXAMPLES "/fast_pendulum.py", Pendulum{}, 0.08};
}

// An example plant that listens.
struct Running {
  explicit Running(Client which)
      : about(std::move(which)),
        path((dir.path() / "s").string()),
        program("exec " + about.command + " '" + path + "'", [](std::string_view) {}) {
    for (int i = 0; i < 3000 && !std::filesystem::exists(path); ++i) ::usleep(10000);
  }

  // It may still be about to listen, or have noticed a moment later that the last one is gone.
  std::unique_ptr<ChannelPlant> connected() {
    for (int i = 0;; ++i) try {
        return std::make_unique<ChannelPlant>(path, about.system, about.time_step, 30, [] {});
      } catch (const IoError&) {
        if (i == 3000) throw;
        ::usleep(10000);
      }
  }

  TemporaryDirectory dir;
  Client about;
  std::string path;
  ChildProgram program;
};

class ChannelClients : public testing::TestWithParam<const char*> {};

Heard next(ChannelPlant& plant, Vector& seen) {
  return plant.wait(live_now() + live_seconds(30), seen);
}

// Both begin at rest: the motor at 0, the pendulum hanging.
TEST_P(ChannelClients, MoveInTheirOwnTimeAsTheyAreTold) {
  Running running(client(GetParam()));
  const auto plant = running.connected();
  plant->begin(Vector());
  Vector before, seen;
  ASSERT_EQ(next(*plant, before).kind, Heard::measured);
  ASSERT_TRUE(plant->send(Vector::Ones(1)));
  for (int i = 0; i < 5; ++i) ASSERT_EQ(next(*plant, seen).kind, Heard::measured);
  EXPECT_GT((seen - before).norm(), 1e-4) << "it moves while nothing more is said";
  EXPECT_EQ(plant->dropped().nonsense, 0u);
  EXPECT_EQ(plant->dropped().late + plant->dropped().doubled, 0u);
}

TEST_P(ChannelClients, AcceptWhoComesNext) {
  Running running(client(GetParam()));
  for (int i = 0; i < 3; ++i) {
    const auto plant = running.connected();
    Vector seen;
    ASSERT_EQ(next(*plant, seen).kind, Heard::measured);
    if (i > 0) plant->rest(Vector::Zero(1));
  }
}

TEST_P(ChannelClients, SendStrangersAway) {
  Running running(client(GetParam()));
  for (const std::string& words :
       {std::string("GET / HTTP/1.1\r\n"), std::string(100000, 'x'), std::string("rhcF"),
        std::string("rhcF\x02\0\x01\0", 8) + std::string(40, '\0')}) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, running.path.c_str());
    const int end = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    for (int i = 0;
         i < 3000 && ::connect(end, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0;
         ++i)
      ::usleep(10000);
    ASSERT_EQ(::send(end, words.data(), words.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(words.size()));
    // Its hello, and no more.
    char answer[1000];
    EXPECT_EQ(::recv(end, answer, sizeof answer, 0), 48);
    EXPECT_EQ(std::string_view(answer, 4), "rhcF");
    EXPECT_LE(::recv(end, answer, sizeof answer, 0), 0);
    ::close(end);
  }
  // Who expects another plant hears what this one is.
  EXPECT_THROW(ChannelPlant(running.path, running.about.system, 1.5, 30, [] {}), InputError);
  const auto plant = running.connected();
  Vector seen;
  EXPECT_EQ(next(*plant, seen).kind, Heard::measured);
}

TEST_P(ChannelClients, TakeThePlaceOfOneThatWasKilled) {
  const TemporaryDirectory dir;
  const std::string path = (dir.path() / "s").string();
  const Client about = client(GetParam());
  for (int i = 0; i < 2; ++i) {
    ChildProgram program("exec " + about.command + " '" + path + "'", [](std::string_view) {});
    std::unique_ptr<ChannelPlant> plant;
    for (int k = 0; !plant && k < 3000; ++k) try {
        plant = std::make_unique<ChannelPlant>(path, about.system, about.time_step, 30, [] {});
      } catch (const IoError&) {
        ::usleep(10000);
      }
    ASSERT_TRUE(plant) << i;
    program.stop();
    Vector seen;
    Heard heard;
    do heard = next(*plant, seen);
    while (heard.kind == Heard::measured);
    EXPECT_EQ(heard.kind, Heard::gone);
  }
}

INSTANTIATE_TEST_SUITE_P(Channel, ChannelClients, testing::Values("c", "python"),
                         [](const auto& param_info) { return std::string(param_info.param); });

}  // namespace
}  // namespace rhc
