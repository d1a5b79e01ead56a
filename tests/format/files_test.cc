#include "rhc/format/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

namespace fs = std::filesystem;

int entries_in(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), {}));
}

mode_t mode_of(const fs::path& file) {
  struct stat there {};
  return ::lstat(file.c_str(), &there) == 0 ? there.st_mode : 0;
}

// What waits for a partner that never comes; the test ends all the same.
void make_pipe(const fs::path& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); }

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

TEST(WriteAtomically, LetsManyReplaceOneFileAtOnce) {
  const TemporaryDirectory dir;
  const auto path = dir.path() / "file";
  std::vector<std::thread> writers;
  for (const char letter : {'a', 'b', 'c', 'd'})
    writers.emplace_back([&path, letter] {
      for (int i = 0; i < 20; ++i) write_atomically(path, std::string(200000, letter), Sync::later);
    });
  for (std::thread& writer : writers) writer.join();
  const std::string last = slurp(path);
  EXPECT_EQ(last, std::string(200000, last.at(0)));
  EXPECT_EQ(entries_in(dir.path()), 1);
}

TEST(WriteAtomically, FollowsNoLinkThatWasPlantedUnderATemporaryName) {
  const TemporaryDirectory dir;
  const auto victim = dir.write("victim", "precious");
  fs::create_symlink(victim, dir.path() / ("file" + std::string(kHalfWritten)));
  for (int i = 0; i < 3; ++i)
    fs::create_symlink(victim, dir.path() / ("file." + std::to_string(::getpid()) + "-" +
                                             std::to_string(i) + std::string(kHalfWritten)));
  write_atomically(dir.path() / "file", "new");
  EXPECT_EQ(slurp(victim), "precious");
  EXPECT_EQ(slurp(dir.path() / "file"), "new");
}

TEST(WriteAtomically, WritesUnderTheTemporarySuffixByWhichLeftoversAreKnown) {
  const TemporaryDirectory dir;
  const auto path = dir.path() / "file";
  write_atomically(path, "old");
  // One that ends in the middle of its write leaves what it has.
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit small{1000, 1000};
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &small);
    std::signal(SIGXFSZ, SIG_DFL);
    write_atomically(path, std::string(5000, 'x'));
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(slurp(path), "old");
  EXPECT_EQ(entries_in(dir.path()), 2);
  for (const auto& entry : fs::directory_iterator(dir.path()))
    EXPECT_TRUE(entry.path() == path || entry.path().extension() == kHalfWritten) << entry.path();
}

TEST(WriteAtomically, KeepsThePermissionsOfTheFileItReplaces) {
  const TemporaryDirectory dir;
  const auto path = dir.path() / "file";
  const mode_t before = ::umask(0027);
  write_atomically(path, "new");
  ::umask(before);
  EXPECT_EQ(mode_of(path) & 07777, 0640u);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  write_atomically(path, "newer");
  EXPECT_EQ(mode_of(path) & 07777, 0600u);
}

TEST(WriteAtomically, TakesTheLongestNamesThereAre) {
  const TemporaryDirectory dir;
  for (const std::size_t length : {100u, 247u, 255u}) {
    const auto path = dir.path() / std::string(length, 'n');
    write_atomically(path, "x");
    EXPECT_EQ(slurp(path), "x") << length;
  }
}

TEST(WriteAtomically, ReplacesNothingButFiles) {
  const TemporaryDirectory dir;
  const auto victim = dir.write("victim", "precious");
  fs::create_symlink(victim, dir.path() / "link");
  make_pipe(dir.path() / "pipe");
  const std::string pipe = message_of<IoError>([&] { write_atomically(dir.path() / "pipe", "x"); });
  EXPECT_NE(pipe.find("it is a named pipe; remove it first"), std::string::npos) << pipe;
  EXPECT_TRUE(S_ISFIFO(mode_of(dir.path() / "pipe")));
  const std::string link = message_of<IoError>([&] { write_atomically(dir.path() / "link", "x"); });
  EXPECT_NE(link.find("it is a symbolic link; remove it first"), std::string::npos) << link;
  EXPECT_TRUE(S_ISLNK(mode_of(dir.path() / "link")));
  EXPECT_EQ(slurp(victim), "precious");
  EXPECT_EQ(entries_in(dir.path()), 3);
}

TEST(ReadText, SaysWhyItCannotRead) {
  const std::string message = message_of<InputError>([] { read_text("/nowhere/at/all"); });
  EXPECT_EQ(message, "cannot open '/nowhere/at/all': No such file or directory");
}

TEST(ReadText, WaitsForNothingThatIsNotAFile) {
  const TemporaryDirectory dir;
  make_pipe(dir.path() / "pipe");
  fs::create_symlink("pipe", dir.path() / "link");
  fs::create_directory(dir.path() / "folder");
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string place = (dir.path() / "socket").string();
  place.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const auto refusal = [&](const char* name) {
    return message_of<InputError>([&] { read_text(dir.path() / name); });
  };
  const auto expected = [&](const std::string& name, const std::string& kind) {
    return "cannot read '" + (dir.path() / name).string() + "': it is " + kind + ", not a file";
  };
  EXPECT_EQ(refusal("pipe"), expected("pipe", "a named pipe"));
  EXPECT_EQ(refusal("link"), expected("link", "a named pipe"));
  EXPECT_EQ(refusal("folder"), expected("folder", "a directory"));
  EXPECT_EQ(refusal("socket"), expected("socket", "a socket"));
  EXPECT_NE(message_of<InputError>([] { read_text("/dev/zero"); }), "");
  ::close(listener);
}

TEST(ReadText, RefusesMoreThanItsLimitBeforeItReads) {
  const TemporaryDirectory dir;
  const auto path = dir.write("metrics.jsonl", "1234");
  EXPECT_EQ(read_text(path, 4), "1234");
  EXPECT_EQ(message_of<InputError>([&] { read_text(path, 3); }),
            "'" + path + "' is 4 bytes, more than the 3 that rhc reads of it");
  fs::resize_file(path, std::uintmax_t{3} << 30);
  EXPECT_EQ(message_of<InputError>([&] { read_text(path); }),
            "'" + path + "' is 3221225472 bytes, more than the 1073741824 that rhc reads of it");
}

TEST(ReadInput, TakesWhatComesThroughAPipe) {
  const TemporaryDirectory dir;
  make_pipe(dir.path() / "pipe");
  const std::string sent(300000, 'x');
  std::thread writer([&] { std::ofstream(dir.path() / "pipe") << sent; });
  EXPECT_EQ(read_input(dir.path() / "pipe"), sent);
  writer.join();
}

TEST(ReadInput, EndsWhereThePipeDoesNot) {
  EXPECT_EQ(message_of<InputError>([] { read_input("/dev/zero", 1000000); }),
            "'/dev/zero' is more than the 1000000 bytes that rhc reads of it");
}

TEST(MakeDirectories, SaysWhyItCannot) {
  const TemporaryDirectory dir;
  dir.write("file", "");
  EXPECT_NE(message_of<IoError>([&] { make_directories(dir.path() / "file" / "below"); }), "");
}

}  // namespace
}  // namespace rhc
