#include "rhc/format/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace {

// Of every directory that was synced, its path.
std::vector<std::string> synced_directories;

}  // namespace

// In the place of the C library's: what reaches the disk cannot be seen otherwise.
extern "C" int fsync(int file) {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), error);
  if (std::filesystem::is_directory(path, error)) synced_directories.push_back(path.string());
  return static_cast<int>(::syscall(SYS_fsync, file));
}

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
  fs::create_symlink(victim, dir.path() / ("file.1" + std::string(kHalfWritten)));
  fs::create_hard_link(victim, dir.path() / ("file.2" + std::string(kHalfWritten)));
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
  // The next one that writes it clears up.
  write_atomically(path, "new");
  EXPECT_EQ(slurp(path), "new");
  EXPECT_EQ(entries_in(dir.path()), 1);
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

TEST(WriteOutput, ReplacesAFileAndKeepsItsPermissions) {
  const TemporaryDirectory dir;
  const auto path = dir.write("file", "a longer text that was there before");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  const std::ifstream reader(path);
  write_output(path, "new");
  EXPECT_EQ(slurp(path), "new");
  EXPECT_EQ(mode_of(path), S_IFREG | 0600u);
  std::ostringstream seen;
  seen << reader.rdbuf();
  EXPECT_EQ(seen.str(), "a longer text that was there before") << "whoever reads has a whole one";
  EXPECT_EQ(entries_in(dir.path()), 1);
}

TEST(WriteOutput, ReplacesWhatALinkLeadsToAndLeavesTheLink) {
  const TemporaryDirectory dir;
  fs::create_directory(dir.path() / "there");
  dir.write("there/file", "old");
  fs::create_symlink("there/second", dir.path() / "first");
  fs::create_symlink(dir.path() / "there/file", dir.path() / "there/second");
  write_output(dir.path() / "first", "new");
  EXPECT_TRUE(S_ISREG(mode_of(dir.path() / "there/file")));
  EXPECT_EQ(slurp(dir.path() / "there/file"), "new");
  EXPECT_TRUE(S_ISLNK(mode_of(dir.path() / "first")));
  EXPECT_TRUE(S_ISLNK(mode_of(dir.path() / "there/second")));
  EXPECT_EQ(entries_in(dir.path()), 2);
  EXPECT_EQ(entries_in(dir.path() / "there"), 2);
}

TEST(WriteOutput, CreatesWhatALinkLeadsToWhereItIsNotThere) {
  const TemporaryDirectory dir;
  fs::create_directory(dir.path() / "there");
  fs::create_symlink("there/new", dir.path() / "link");
  write_output(dir.path() / "link", "x");
  EXPECT_TRUE(S_ISLNK(mode_of(dir.path() / "link")));
  EXPECT_EQ(slurp(dir.path() / "there/new"), "x");
}

TEST(WriteOutput, SaysThatLinksLeadInACircle) {
  const TemporaryDirectory dir;
  fs::create_symlink("b", dir.path() / "a");
  fs::create_symlink("a", dir.path() / "b");
  const std::string message = message_of<IoError>([&] { write_output(dir.path() / "a", "x"); });
  EXPECT_EQ(message, "cannot write '" + (dir.path() / "a").string() +
                         "': its symbolic links lead in a circle or too far");
  EXPECT_TRUE(S_ISLNK(mode_of(dir.path() / "a")));
}

TEST(WriteOutput, WritesIntoAPipe) {
  const TemporaryDirectory dir;
  make_pipe(dir.path() / "pipe");
  fs::create_symlink("pipe", dir.path() / "link");
  for (const char* name : {"pipe", "link"}) {
    const std::string sent(300000, 'x');
    std::string got;
    std::thread reader([&] { got = slurp(dir.path() / "pipe"); });
    write_output(dir.path() / name, sent);
    reader.join();
    EXPECT_EQ(got, sent);
    EXPECT_TRUE(S_ISFIFO(mode_of(dir.path() / "pipe")));
  }
}

TEST(WriteOutput, WritesToATerminal) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(master, 0);
  ASSERT_EQ(::grantpt(master), 0);
  ASSERT_EQ(::unlockpt(master), 0);
  const std::string terminal = ::ptsname(master);
  // Held open, for what was written is lost when the last one closes it.
  const int held = ::open(terminal.c_str(), O_RDWR | O_NOCTTY);
  write_output(terminal, "seen");
  char text[16] = "";
  EXPECT_EQ(::read(master, text, 4), 4);
  EXPECT_STREQ(text, "seen");
  EXPECT_TRUE(S_ISCHR(mode_of(terminal)));
  ::close(held);
  ::close(master);
}

TEST(WriteOutput, LeavesADeviceInItsPlace) {
  const TemporaryDirectory dir;
  const auto null = dir.path() / "null", full = dir.path() / "full";
  if (::mknod(null.c_str(), S_IFCHR | 0666, ::makedev(1, 3)) != 0 ||
      ::mknod(full.c_str(), S_IFCHR | 0666, ::makedev(1, 7)) != 0)
    GTEST_SKIP() << "only root makes devices";
  if (!std::ofstream(null)) GTEST_SKIP() << "no devices on this disk";
  write_output(null, "x");
  EXPECT_TRUE(S_ISCHR(mode_of(null)));
  const std::string message = message_of<IoError>([&] { write_output(full, "x"); });
  EXPECT_NE(message.find("No space left on device"), std::string::npos) << message;
  EXPECT_TRUE(S_ISCHR(mode_of(full)));
  EXPECT_EQ(entries_in(dir.path()), 2);
}

TEST(WriteOutput, GoesOnWhereADescriptorStands) {
  const TemporaryDirectory dir;
  const auto path = dir.write("log", "");
  const int file = ::open(path.c_str(), O_WRONLY);
  ASSERT_EQ(::write(file, "one ", 4), 4);
  write_output("/dev/fd/" + std::to_string(file), "two ");
  ASSERT_EQ(::write(file, "three", 5), 5);
  ::close(file);
  EXPECT_EQ(slurp(path), "one two three");
  EXPECT_EQ(entries_in(dir.path()), 1);
}

TEST(WriteOutput, RefusesADirectory) {
  const TemporaryDirectory dir;
  fs::create_directory(dir.path() / "folder");
  fs::create_symlink("folder", dir.path() / "link");
  for (const char* name : {"folder", "link"})
    EXPECT_EQ(
        message_of<IoError>([&] { write_output(dir.path() / name, "x"); }),
        "cannot write '" + (dir.path() / "folder").string() + "': it is a directory; name a file");
}

TEST(Output, LeavesTheOldFileUnlessItIsFinished) {
  const TemporaryDirectory dir;
  const auto path = dir.write("file", "old");
  {
    Output output(path);
    output.write("half");
  }
  EXPECT_EQ(slurp(path), "old");
  EXPECT_EQ(entries_in(dir.path()), 1);
  Output output(path);
  output.write("first, ");
  output.write("second");
  output.finish();
  EXPECT_EQ(slurp(path), "first, second");
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

TEST(MakeDirectories, PutsEachNewNameOnTheDisk) {
  const TemporaryDirectory dir;
  const std::string top = fs::canonical(dir.path()).string();
  synced_directories.clear();
  make_directories(top + "/a/b/c");
  std::sort(synced_directories.begin(), synced_directories.end());
  EXPECT_EQ(synced_directories, (std::vector{top, top + "/a", top + "/a/b"}));
  synced_directories.clear();
  make_directories(top + "/a/b/c");
  EXPECT_EQ(synced_directories, std::vector<std::string>{}) << "nothing is new";
  make_directories(top + "/a/b/d", Sync::later);
  EXPECT_EQ(synced_directories, std::vector<std::string>{}) << "asked for later";
  EXPECT_TRUE(fs::is_directory(top + "/a/b/d"));
}

TEST(WriteAtomically, PutsTheNewNameOnTheDisk) {
  const TemporaryDirectory dir;
  synced_directories.clear();
  write_atomically(dir.path() / "file", "x", Sync::later);
  EXPECT_EQ(synced_directories, std::vector<std::string>{});
  write_atomically(dir.path() / "file", "x");
  EXPECT_EQ(synced_directories, std::vector{fs::canonical(dir.path()).string()});
}

TEST(MakeDirectories, SaysWhyItCannot) {
  const TemporaryDirectory dir;
  dir.write("file", "");
  EXPECT_NE(message_of<IoError>([&] { make_directories(dir.path() / "file" / "below"); }), "");
}

}  // namespace
}  // namespace rhc
