#include <fcntl.h>

#include "rhc/format/files.h"
#include "tests/apps/small_run.h"

namespace rhc {
namespace {

TEST(Export, PrintsEveryStepAsATable) {
  const TemporaryDirectory dir;
  small_run(dir);
  const Outcome csv = run({"export", "run"}, dir);
  EXPECT_EQ(csv.code, 0) << csv.err;
  EXPECT_TRUE(csv.out.starts_with("episode,step,cos,sin,thetadot,action\n1,0,")) << csv.out;
  EXPECT_EQ(lines_in(csv.out), 1u + 2 * 101);
  const Outcome jsonl = run({"export", "run", "--format", "jsonl"}, dir);
  EXPECT_EQ(jsonl.code, 0);
  EXPECT_EQ(lines_in(jsonl.out), 2u * 101);
}

TEST(Export, PrintsTheMetricsOnRequest) {
  const TemporaryDirectory dir;
  const auto path = small_run(dir);
  EXPECT_EQ(run({"export", "run", "--format", "jsonl", "--metrics"}, dir).out,
            slurp(path / "metrics.jsonl"));
  const Outcome csv = run({"export", "run", "--format", "csv", "--metrics"}, dir);
  EXPECT_TRUE(csv.out.starts_with("episode,steps,transitions,")) << csv.out;
  EXPECT_EQ(lines_in(csv.out), 4u);
}

TEST(Export, WritesTheSameIntoAFileAsIntoAPipe) {
  const TemporaryDirectory dir;
  small_run(dir);
  for (const char* format : {"csv", "jsonl", "npz"}) {
    const Outcome piped = run({"export", "run", "--format", format}, dir);
    const Outcome filed = run({"export", "run", "--format", format, "--out", "file"}, dir);
    EXPECT_EQ(filed.code, 0) << filed.err;
    EXPECT_EQ(filed.out, "");
    EXPECT_EQ(slurp(dir.path() / "file"), piped.out) << format;
    EXPECT_FALSE(std::filesystem::exists(dir.path() / ("file" + std::string(kHalfWritten))));
  }
}

TEST(Export, PrintsNoBytesOnATerminal) {
  const TemporaryDirectory dir;
  small_run(dir);
  const Program program({"export", "run", "--format", "npz"}, dir, [] {
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) _exit(97);
    const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (terminal < 0 || dup2(terminal, STDOUT_FILENO) < 0) _exit(96);
  });
  const Outcome refused = program.wait();
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "name a file with --out, or pipe it on")) << refused.err;
}

TEST(Export, LeavesDamagedEpisodesOutAndSaysSo) {
  const TemporaryDirectory dir;
  const auto path = small_run(dir);
  std::ofstream(path / "episodes/0001.csv") << "step\n";
  const Outcome outcome = run({"export", "run"}, dir);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.err, "run/episodes/0001.csv:1: column 'cos' is missing"));
  EXPECT_TRUE(contains(outcome.err, "warning: episode 1 is left out")) << outcome.err;
  EXPECT_EQ(lines_in(outcome.out), 1u + 101);
}

TEST(Export, ExplainsWhatItCannotDo) {
  const TemporaryDirectory dir;
  small_run(dir);
  const Outcome format = run({"export", "run", "--format", "xls"}, dir);
  EXPECT_EQ(format.code, 2);
  EXPECT_TRUE(contains(format.err, "csv") && contains(format.err, "npz")) << format.err;
  const Outcome both = run({"export", "run", "--format", "npz", "--metrics", "--out", "x"}, dir);
  EXPECT_EQ(both.code, 2);
  EXPECT_TRUE(contains(both.err, "holds the metrics already")) << both.err;
  const Outcome directory = run({"export", "run", "--out", "run"}, dir);
  EXPECT_EQ(directory.code, 2);
  EXPECT_TRUE(contains(directory.err, "'run' is a directory; name a file")) << directory.err;
  const Outcome nowhere = run({"export", "run", "--out", "no/where/x.csv"}, dir);
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_TRUE(contains(nowhere.err, "cannot create 'no/where/x.csv")) << nowhere.err;
}

TEST(Export, SaysWhenItsOutputIsFull) {
  const TemporaryDirectory dir;
  small_run(dir);
  const Program program({"export", "run"}, dir, [] {
    const int full = open("/dev/full", O_WRONLY);
    if (full < 0 || dup2(full, STDOUT_FILENO) < 0) _exit(97);
  });
  const Outcome failed = program.wait();
  EXPECT_EQ(failed.code, 1);
  EXPECT_TRUE(contains(failed.err, "cannot write to standard output")) << failed.err;
}

}  // namespace
}  // namespace rhc
