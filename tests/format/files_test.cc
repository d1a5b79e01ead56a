#include "rhc/format/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

TEST(WriteAtomically, ReplacesTheContentAndLeavesNothingElse) {
  const TemporaryDirectory dir;
  const auto path = dir.path() / "file";
  write_atomically(path, "one");
  write_atomically(path, std::string(300000, 'x'));
  EXPECT_EQ(slurp(path), std::string(300000, 'x'));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(WriteAtomically, NamesTheFileItCannotCreate) {
  const TemporaryDirectory dir;
  const std::string message =
      message_of<IoError>([&] { write_atomically(dir.path() / "missing" / "file", "x"); });
  EXPECT_NE(message.find("missing/file"), std::string::npos) << message;
  EXPECT_NE(message.find("No such file or directory"), std::string::npos) << message;
}

TEST(WriteAtomically, RefusesADirectoryAndLeavesNothing) {
  const TemporaryDirectory dir;
  std::filesystem::create_directory(dir.path() / "folder");
  EXPECT_EQ(
      message_of<IoError>([&] { write_atomically(dir.path() / "folder", "x"); }),
      "cannot write '" + (dir.path() / "folder").string() + "': it is a directory; name a file");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

// A file size limit stands for a full disk: the same write fails in the same place.
TEST(WriteAtomically, KeepsTheOldContentWhereTheDiskIsFull) {
  const TemporaryDirectory dir;
  const auto path = dir.path() / "file";
  write_atomically(path, "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message =
      message_of<IoError>([&] { write_atomically(path, std::string(5000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("cannot write"), std::string::npos) << message;
  EXPECT_NE(message.find("free some space"), std::string::npos) << message;
  EXPECT_EQ(slurp(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1)
      << "no leftovers";
}

TEST(ReadText, SaysWhyItCannotRead) {
  const std::string message = message_of<InputError>([] { read_text("/nowhere/at/all"); });
  EXPECT_EQ(message, "cannot open '/nowhere/at/all': No such file or directory");
}

TEST(MakeDirectories, SaysWhyItCannot) {
  const TemporaryDirectory dir;
  dir.write("file", "");
  EXPECT_NE(message_of<IoError>([&] { make_directories(dir.path() / "file" / "below"); }), "");
}

}  // namespace
}  // namespace rhc
