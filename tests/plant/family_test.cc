#include "rhc/plant/family.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rhc {
namespace {

// A child with an orphan in a session of its own, whose number comes through the pipe; then the
// child does `then` and ends with its result.
int child_with_orphan(pid_t& orphan, int (*then)()) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    adopt_orphans();
    const pid_t between = ::fork();
    if (between == 0) {
      ::setsid();
      const pid_t lost = ::fork();
      if (lost == 0)
        for (;;) ::pause();
      (void)!::write(ends[1], &lost, sizeof lost);
      ::_exit(0);
    }
    ::waitpid(between, nullptr, 0);
    ::_exit(then());
  }
  EXPECT_EQ(::read(ends[0], &orphan, sizeof orphan), static_cast<ssize_t>(sizeof orphan));
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  return WEXITSTATUS(status);
}

TEST(Family, HasThoseWhoLeftItsSession) {
  pid_t orphan = 0;
  EXPECT_EQ(child_with_orphan(orphan, [] { return signal_descendants(::getpid(), 0); }), 1);
  EXPECT_EQ(::kill(orphan, SIGKILL), 0) << "nothing was done to it";
}

TEST(Family, EndsAsAWhole) {
  pid_t orphan = 0;
  const int left = child_with_orphan(orphan, [] {
    end_descendants();
    return signal_descendants(::getpid(), 0);
  });
  EXPECT_EQ(left, 0);
  EXPECT_NE(::kill(orphan, 0), 0);
}

}  // namespace
}  // namespace rhc
