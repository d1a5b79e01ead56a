#include "rhc/store/lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "rhc/core/error.h"
#include "tests/repeats.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

// Another process: it does `work`, says so, and waits until it is killed.
class Neighbour {
 public:
  explicit Neighbour(const std::function<void()>& work) {
    int ready[2];
    if (pipe(ready) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) {
      try {
        work();
        (void)!write(ready[1], "y", 1);
      } catch (const std::exception&) {
        (void)!write(ready[1], "n", 1);
      }
      while (true) pause();
    }
    close(ready[1]);
    char answer = '?';
    (void)!read(ready[0], &answer, 1);
    close(ready[0]);
    worked_ = answer == 'y';
  }
  ~Neighbour() { end(); }

  pid_t pid() const { return child_; }
  bool worked() const { return worked_; }

  void end() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  pid_t child_;
  bool worked_;
};

// Left on purpose: only the kernel may let go of it.
void take(const std::filesystem::path& directory) { new Lock(directory); }

TEST(Lock, RefusesASecondOwnerInTheSameProcess) {
  const TemporaryDirectory dir;
  const Lock first(dir.path());
  const std::string message = message_of<IoError>([&] { Lock second(dir.path()); });
  EXPECT_NE(message.find("is being written by process " + std::to_string(getpid())),
            std::string::npos)
      << message;
}

TEST(Lock, NamesTheProcessThatHoldsIt) {
  const TemporaryDirectory dir;
  const Neighbour owner([&] { take(dir.path()); });
  ASSERT_TRUE(owner.worked());
  const std::string message = message_of<IoError>([&] { Lock second(dir.path()); });
  EXPECT_TRUE(message.starts_with("'" + dir.path().string() + "' is being written by process " +
                                  std::to_string(owner.pid()) + " on "))
      << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(Lock, IsFreeAfterItsOwnerWasKilled) {
  const TemporaryDirectory dir;
  for (int i = 0; i < repeats(20, 500); ++i) {
    Neighbour owner([&] { take(dir.path()); });
    ASSERT_TRUE(owner.worked());
    owner.end();
    EXPECT_EQ(lock_owner(dir.path()), std::nullopt);
    EXPECT_NO_THROW(Lock{dir.path()});
  }
}

TEST(Lock, LeavesNoFileBehind) {
  const TemporaryDirectory dir;
  { const Lock lock(dir.path()); }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(Lock, ThatIsRefusedLeavesTheOwnersFile) {
  const TemporaryDirectory dir;
  const Lock first(dir.path());
  const std::string before = slurp(dir.path() / "lock");
  EXPECT_THROW(Lock{dir.path()}, IoError);
  EXPECT_EQ(slurp(dir.path() / "lock"), before);
  EXPECT_TRUE(lock_owner(dir.path()).has_value());
}

TEST(Lock, MovesWithItsObject) {
  const TemporaryDirectory dir;
  {
    Lock first(dir.path());
    const Lock second(std::move(first));
    EXPECT_THROW(Lock{dir.path()}, IoError);
  }
  EXPECT_NO_THROW(Lock{dir.path()});
}

TEST(LockOwner, AsksWithoutTaking) {
  const TemporaryDirectory dir;
  EXPECT_EQ(lock_owner(dir.path()), std::nullopt);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path())) << "asking left a file";
  const Lock lock(dir.path());
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(lock_owner(dir.path())
                    .value_or("")
                    .starts_with("process " + std::to_string(getpid()) + " on "));
}

TEST(LockOwner, IsSeenFromAnotherProcess) {
  const TemporaryDirectory dir;
  const Neighbour owner([&] { take(dir.path()); });
  ASSERT_TRUE(owner.worked());
  EXPECT_TRUE(lock_owner(dir.path())
                  .value_or("")
                  .starts_with("process " + std::to_string(owner.pid()) + " on "));
}

// Many processes take it in turns; a number that only the owner may raise is never lost.
TEST(Lock, LetsInOneAtATime) {
  const TemporaryDirectory dir;
  dir.write("number", "0");
  const int processes = 4, rounds = repeats(50, 2000);
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < rounds;) {
        try {
          const Lock lock(dir.path());
          const int number = std::stoi(slurp(dir.path() / "number"));
          dir.write("number", std::to_string(number + 1));
          ++i;
        } catch (const IoError&) {
          usleep(100);
        }
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(slurp(dir.path() / "number"), std::to_string(processes * rounds));
}

TEST(Lock, SaysWhenTheDirectoryIsNotThere) {
  const TemporaryDirectory dir;
  EXPECT_NE(message_of<IoError>([&] {
              Lock lock(dir.path() / "none");
            }).find("cannot lock '" + (dir.path() / "none").string() + "': No such file"),
            std::string::npos);
}

TEST(Lock, KnowsItsOwnProcess) {
  const TemporaryDirectory dir;
  const Lock lock(dir.path());
  EXPECT_TRUE(is_this_process(*lock_owner(dir.path())));
  EXPECT_FALSE(is_this_process("process 1 on elsewhere since 2026-01-01T00:00:00Z"));
}

// Whose opening would wait for a writer.
TEST(Lock, HasNoOwnerWhereItIsAPipe) {
  const TemporaryDirectory dir;
  ASSERT_EQ(mkfifo((dir.path() / "lock").c_str(), 0644), 0);
  EXPECT_EQ(lock_owner(dir.path()), std::nullopt);
}

}  // namespace
}  // namespace rhc
