#include "rhc/report/pictures.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

// A browser that does what a script says.
class Pictures : public testing::Test {
 protected:
  void browser(const std::string& script) const {
    const std::string program = dir_.write("browser", "#!/bin/sh\n" + script);
    ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
    ::setenv("CHROMIUM", program.c_str(), 1);
  }
  ~Pictures() override { ::unsetenv("CHROMIUM"); }

  TemporaryDirectory dir_;
};

TEST_F(Pictures, AreSavedUnderTheirNames) {
  browser(
      "echo '<script type=\"application/json\" id=\"pictures\">"
      "{\"one\":\"data:image/png;base64,YWJj\"}</script>'\n");
  const auto files = save_pictures(dir_.write("page.html", ""), dir_.path() / "pictures");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0], dir_.path() / "pictures/one.png");
  EXPECT_EQ(slurp(files[0]), "abc");
}

TEST_F(Pictures, AreNotWaitedForInVain) {
  // It has a child, as a browser does, which holds its pipes.
  browser("sleep 1000 &\necho $! > '" + (dir_.path() / "child").string() + "'\nwait\n");
  const std::string page = dir_.write("page.html", "");
  const std::string message =
      message_of<IoError>([&] { save_pictures(page, dir_.path() / "pictures", 2); });
  EXPECT_NE(message.find("did not draw the pictures of '" + page + "' within 2 seconds"),
            std::string::npos)
      << message;
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "pictures"));
  const std::string child = slurp(dir_.path() / "child");
  if (child.empty()) return;  // it was ended before it had one
  // A child whose parent is gone may stay for a moment until it is collected.
  const auto gone = [&] {
    const std::string state = slurp("/proc/" + child.substr(0, child.find('\n')) + "/stat");
    return state.empty() || state.find(") Z ") != std::string::npos;
  };
  for (int i = 0; i < 6000 && !gone(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(gone());
}

TEST_F(Pictures, NeedAPageThatIsAFile) {
  const std::string message =
      message_of<InputError>([&] { save_pictures("/dev/null", dir_.path() / "pictures"); });
  EXPECT_EQ(message, "pictures are drawn from a page, and '/dev/null' is not a file");
}

}  // namespace
}  // namespace rhc
