// What is printed and written where the person wants it, and what is read from there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "rhc/report/page.h"
#include "tests/apps/small_run.h"
#include "tests/rig.h"

namespace rhc {
namespace {

namespace fs = std::filesystem;

mode_t type_of(const fs::path& path) {
  struct stat there {};
  return ::lstat(path.c_str(), &there) == 0 ? there.st_mode & S_IFMT : 0;
}

// In the child: its standard output goes there.
std::function<void()> printing_to(const char* file) {
  return [file] {
    const int opened = ::open(file, O_WRONLY);
    if (opened < 0 || ::dup2(opened, STDOUT_FILENO) < 0) ::_exit(97);
  };
}

// In the child: nobody reads its standard output.
void print_to_nobody() {
  int ends[2];
  if (::pipe(ends) != 0 || ::dup2(ends[1], STDOUT_FILENO) < 0) ::_exit(97);
  ::close(ends[0]);
  ::close(ends[1]);
}

// In the child: this comes through a pipe, as from `cat FILE |`.
std::function<void()> piped(const std::string& text) {
  return [text] {
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(97);
    if (::fork() == 0) {
      ::close(ends[0]);
      std::string_view rest = text;
      while (!rest.empty()) {
        const ssize_t sent = ::write(ends[1], rest.data(), rest.size());
        if (sent < 0) break;
        rest.remove_prefix(static_cast<std::size_t>(sent));
      }
      ::_exit(0);
    }
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
  };
}

class Outputs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TemporaryDirectory;
    small_run(*dir_, {"--dump-problem", "2"});
    dir_->write("actions.csv", "action\n1\n-1\n");
    dir_->write("rig.toml", kRig);
    dir_->write("measured.csv", rig_log(Matrix::Random(1, 20)));
    for (const Words& words :
         {Words{"new", "rig.toml", "--out", "lab", "features=20", "evidence_starts=2",
                "plan_starts=2", "task_starts=2", "task_hops=0", "task_draws=0"},
          {"ask", "lab"},
          {"tell", "lab", "measured.csv"},
          {"ask", "lab"}}) {
      const Outcome outcome = run(words, *dir_);
      ASSERT_EQ(outcome.code, 0) << words[0] << ": " << outcome.err;
    }
  }
  static void TearDownTestSuite() { delete dir_; }

  static fs::path file(const std::string& name) { return dir_->path() / name; }

  // Those that print their result.
  static std::vector<Words> printing() {
    return {{"--help"},
            {"--version"},
            {"systems"},
            {"config", "show"},
            {"simulate", "pendulum", "--actions", "actions.csv"},
            {"plan", "run/problem-0002.json", "--starts", "1"},
            {"export", "run"},
            {"inspect", "run"},
            {"evaluate", "run"},
            {"validate", "run", "run/episodes/0002.csv"},
            {"ask", "lab"},
            {"solve", "lab"}};
  }

  // Those that write a file of the person's choice.
  static std::vector<Words> writing() {
    std::vector<Words> commands = {{"export", "run"}, {"ask", "lab"}, {"solve", "lab"}};
    if (pages_available()) {
      commands.push_back({"report", "run"});
      commands.push_back({"compare", "run"});
    }
    return commands;
  }

  static Outcome run_with_out(Words words, const std::string& out) {
    words.insert(words.end(), {"--out", out});
    return run(words, *dir_);
  }

  static TemporaryDirectory* dir_;
};

TemporaryDirectory* Outputs::dir_ = nullptr;

TEST_F(Outputs, ThatDoNotFitFailEveryCommandThatPrints) {
  for (const Words& words : printing()) {
    const Outcome failed = run(words, *dir_, printing_to("/dev/full"));
    EXPECT_EQ(failed.code, 1) << words[0];
    EXPECT_TRUE(contains(failed.err, "rhc: cannot write to standard output: "))
        << words[0] << ": " << failed.err;
  }
}

TEST_F(Outputs, ThatNobodyReadsEndEveryCommandAsAShellExpects) {
  for (const Words& words : printing()) {
    EXPECT_EQ(run(words, *dir_, print_to_nobody).code, -SIGPIPE) << words[0];
    const Outcome ignored = run(words, *dir_, [] {
      ::signal(SIGPIPE, SIG_IGN);
      print_to_nobody();
    });
    EXPECT_EQ(ignored.code, 141) << words[0];
    EXPECT_FALSE(contains(ignored.err, "cannot write")) << words[0] << ": " << ignored.err;
  }
}

TEST_F(Outputs, AreNotMixedUpWhereTheStandardOutputIsClosed) {
  const std::string expected = run({"export", "run"}, *dir_).out;
  const auto closed = [] { ::close(STDOUT_FILENO); };
  const Outcome written = run({"export", "run", "--out", "closed.csv"}, *dir_, closed);
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_EQ(slurp(file("closed.csv")), expected);
  const Outcome printed = run({"export", "run"}, *dir_, closed);
  EXPECT_EQ(printed.code, 1);
  EXPECT_TRUE(contains(printed.err, "cannot write to standard output")) << printed.err;
}

TEST_F(Outputs, GoWhereALinkLeads) {
  fs::create_symlink("linked-target", file("link"));
  for (const Words& words : writing())
    for (const bool there : {false, true}) {
      if (there)
        dir_->write("linked-target", "old");
      else
        fs::remove(file("linked-target"));
      const Outcome outcome = run_with_out(words, "link");
      EXPECT_EQ(outcome.code, 0) << words[0] << ": " << outcome.err;
      EXPECT_EQ(type_of(file("link")), S_IFLNK) << words[0];
      EXPECT_EQ(type_of(file("linked-target")), S_IFREG) << words[0];
      EXPECT_GT(fs::file_size(file("linked-target")), 10u) << words[0];
    }
}

TEST_F(Outputs, LeaveDevicesInTheirPlace) {
  const fs::path null = file("null");
  if (::mknod(null.c_str(), S_IFCHR | 0666, ::makedev(1, 3)) != 0 || !std::ofstream(null))
    GTEST_SKIP() << "only root makes devices, and not on every disk";
  for (const Words& words : writing()) {
    const Outcome outcome = run_with_out(words, "null");
    EXPECT_EQ(outcome.code, 0) << words[0] << ": " << outcome.err;
    EXPECT_EQ(type_of(null), S_IFCHR) << words[0];
  }
}

TEST_F(Outputs, GoIntoAPipe) {
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  // Opened before, so that the program finds a reader; the pipe holds all of it.
  const int reader = ::open(file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  const Outcome outcome = run({"export", "run", "--metrics", "--out", "pipe"}, *dir_);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(type_of(file("pipe")), S_IFIFO);
  std::string got(100000, ' ');
  const ssize_t size = ::read(reader, got.data(), got.size());
  got.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  EXPECT_EQ(got, run({"export", "run", "--metrics"}, *dir_).out);
  ::close(reader);
}

TEST_F(Outputs, MayBeTheStandardOutputByName) {
  for (const Words& words : {Words{"export", "run"}, {"solve", "lab"}}) {
    const std::string expected = run(words, *dir_).out;
    const Outcome outcome = run_with_out(words, "/dev/stdout");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, expected) << words[0];
  }
}

TEST_F(Outputs, OfManyAtOnceAreWhole) {
  if (!pages_available()) GTEST_SKIP() << "built without pages";
  ASSERT_EQ(run({"report", "run", "--out", "alone.html"}, *dir_).code, 0);
  std::vector<TemporaryDirectory> places(4);
  std::vector<Program> programs;
  for (const TemporaryDirectory& place : places)
    programs.emplace_back(
        Words{"report", file("run").string(), "--out", file("many.html").string()}, place);
  for (const Program& program : programs) {
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
  EXPECT_EQ(slurp(file("many.html")), slurp(file("alone.html")));
}

TEST_F(Outputs, ThatLeadInACircleAreRefused) {
  fs::create_symlink("circle", file("circle"));
  const Outcome outcome = run({"export", "run", "--out", "circle"}, *dir_);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "'circle': its symbolic links lead in a circle"))
      << outcome.err;
}

using Inputs = Outputs;

TEST_F(Inputs, MayComeThroughAPipe) {
  const auto same = [](const Words& named, const Words& words, const std::string& text) {
    const Outcome outcome = run(words, *dir_, piped(text));
    EXPECT_EQ(outcome.code, 0) << words[0] << ": " << outcome.err;
    return outcome.out == run(named, *dir_).out;
  };
  EXPECT_TRUE(same({"simulate", "pendulum", "--actions", "actions.csv"},
                   {"simulate", "pendulum", "--actions", "/dev/stdin"},
                   slurp(file("actions.csv"))));
  const Outcome planned = run({"plan", "/dev/stdin", "--starts", "1"}, *dir_,
                              piped(slurp(file("run/problem-0002.json"))));
  EXPECT_EQ(planned.code, 0) << planned.err;
  const Outcome begun = run({"new", "/dev/stdin", "--out", "piped-lab", "features=20"}, *dir_,
                            piped(slurp(file("rig.toml"))));
  EXPECT_EQ(begun.code, 0) << begun.err;
  EXPECT_EQ(slurp(file("piped-lab/system.toml")), slurp(file("lab/system.toml")));
  const Outcome told = run({"tell", "piped-lab", "/dev/stdin", "--import"}, *dir_,
                           piped(slurp(file("measured.csv"))));
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_EQ(slurp(file("piped-lab/measured/0001.csv")), slurp(file("measured.csv")));
  const Outcome explored =
      run({"explore", "--config", "/dev/stdin", "--out", "piped-run", "--quiet"}, *dir_,
          piped(slurp(file("run/config.toml"))));
  EXPECT_EQ(explored.code, 0) << explored.err;
  EXPECT_EQ(slurp(file("piped-run/config.toml")), slurp(file("run/config.toml")));
}

TEST_F(Inputs, OfARunThatAreNotFilesKeepNobodyWaiting) {
  for (const char* name : {"manifest.json", "lock", "metrics.jsonl", "checkpoint", "config.toml",
                           "episodes/0001.csv"}) {
    const fs::path copy = file("with-pipe");
    fs::remove_all(copy);
    fs::copy(file("run"), copy, fs::copy_options::recursive);
    fs::remove(copy / name);
    ASSERT_EQ(::mkfifo((copy / name).c_str(), 0600), 0);
    const std::optional<Outcome> outcome = Program({"inspect", "with-pipe"}, *dir_).wait_a_minute();
    ASSERT_TRUE(outcome) << name << " is waited for";
    if (std::string(name) != "lock") {
      EXPECT_NE(outcome->code, 0) << name;
      EXPECT_TRUE(contains(outcome->err + outcome->out, "it is a named pipe, not a file")) << name;
    }
  }
}

TEST_F(Inputs, OfARunThatAreTooLargeAreRefused) {
  const fs::path copy = file("large");
  fs::copy(file("run"), copy, fs::copy_options::recursive);
  fs::resize_file(copy / "metrics.jsonl", std::uintmax_t{3} << 30);
  const Outcome refused = run({"inspect", "large"}, *dir_);
  EXPECT_NE(refused.code, 0);
  EXPECT_TRUE(
      contains(refused.err + refused.out, "'large/metrics.jsonl' is 3221225472 bytes, more than"))
      << refused.err;
}

TEST_F(Inputs, ThatDoNotFitIntoTheMemoryAreExplained) {
  const fs::path copy = file("hungry");
  fs::copy(file("run"), copy, fs::copy_options::recursive);
  fs::resize_file(copy / "metrics.jsonl", std::uintmax_t{1} << 30);
  const Outcome failed = run({"inspect", "hungry"}, *dir_, [] {
    const rlimit little{std::uintmax_t{1} << 29, std::uintmax_t{1} << 29};
    ::setrlimit(RLIMIT_AS, &little);
  });
  EXPECT_EQ(failed.code, 1);
  EXPECT_TRUE(contains(failed.err, "rhc: there is not enough memory for this")) << failed.err;
}

}  // namespace
}  // namespace rhc
