#include "rhc/plant/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/temporary_directory.h"

namespace rhc {
namespace {

ProcessResult shell(const std::string& script) { return run_process({"sh", "-c", script}); }

std::size_t open_files() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

TEST(Process, GivesWhatWasPrintedAndTheExitCode) {
  const ProcessResult result = shell("echo one; echo two >&2; exit 7");
  EXPECT_EQ(result.code, 7);
  EXPECT_EQ(result.out, "one\n");
  EXPECT_EQ(result.err, "two\n");
}

TEST(Process, TakesWordsAsTheyAre) {
  const std::vector<std::string> words = {"a b", "", "'", "\"", "$HOME", "*", "\\", "a\nb", "ä"};
  std::vector<std::string> command = {"printf", "[%s]"};
  command.insert(command.end(), words.begin(), words.end());
  std::string expected;
  for (const std::string& word : words) expected += "[" + word + "]";
  EXPECT_EQ(run_process(command).out, expected);
}

TEST(Process, ThatIsNotThereHasTheShellsCode) {
  EXPECT_EQ(run_process({"no-such-program-at-all"}).code, 127);
  EXPECT_EQ(run_process({"/no/such/program"}).code, 127);
}

TEST(Process, EndedByASignalHasTheShellsCode) {
  EXPECT_EQ(shell("kill -TERM $$").code, 128 + SIGTERM);
  EXPECT_EQ(shell("kill -KILL $$").code, 128 + SIGKILL);
}

TEST(Process, IsKilledWhenItsTimeIsOver) {
  const ProcessResult late = run_process({"sh", "-c", "sleep 1000 & wait"}, 0.5);
  EXPECT_TRUE(late.out_of_time);
  EXPECT_EQ(late.code, 128 + SIGKILL);
  // One that closed what it prints to is no better.
  EXPECT_TRUE(run_process({"sh", "-c", "exec sleep 1000 >&- 2>&-"}, 0.5).out_of_time);
  const ProcessResult quick = run_process({"echo", "done"}, 1000);
  EXPECT_FALSE(quick.out_of_time);
  EXPECT_EQ(quick.out, "done\n");
  EXPECT_EQ(quick.code, 0);
}

TEST(Process, HasNothingToRead) { EXPECT_EQ(run_process({"cat"}).out, ""); }

// A pipe holds 64 KiB: who reads one to its end before the other waits for ever.
TEST(Process, MayPrintMuchOnBothSidesAtOnce) {
  const ProcessResult result = shell(
      "i=0; while [ $i -lt 4000 ]; do echo 0123456789012345678901234567890123456789012345;"
      " echo 0123456789012345678901234567890123456789012345 >&2; i=$((i+1)); done");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out.size(), 4000u * 47);
  EXPECT_EQ(result.err, result.out);
}

TEST(Process, MayPrintAnyBytes) {
  EXPECT_EQ(shell("printf 'a\\000b\\377'").out, std::string("a\0b\xff", 4));
}

TEST(Process, MayCloseItsOutputBeforeItEnds) {
  EXPECT_EQ(shell("echo x; exec 1>&- 2>&-; exit 3").code, 3);
}

TEST(Process, LeavesNoFilesOpenAndNoChild) {
  const std::size_t before = open_files();
  for (int i = 0; i < 20; ++i) shell("echo x");
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was not waited for";
}

TEST(Process, DoesNotInheritOurPipes) {
  // What this test was itself given is passed on to both.
  const std::string command = "ls /proc/self/fd | wc -l";
  const TemporaryDirectory dir;
  const std::string file = (dir.path() / "count").string();
  ASSERT_EQ(std::system((command + " > " + file).c_str()), 0);
  EXPECT_EQ(shell(command).out, slurp(file));
}

TEST(Process, GoesOnAfterASignalThatWeCatch) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  sigaction(SIGALRM, &action, &before);
  ualarm(20000, 20000);
  const ProcessResult result = shell("echo begun; sleep 0.3; echo ended; exit 5");
  ualarm(0, 0);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(result.code, 5);
  EXPECT_EQ(result.out, "begun\nended\n");
}

TEST(OwnProgram, IsThePathOfThisTest) {
  const std::filesystem::path path = own_program();
  EXPECT_TRUE(path.is_absolute());
  EXPECT_EQ(path.filename(), "test_plant");
  EXPECT_TRUE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace rhc
