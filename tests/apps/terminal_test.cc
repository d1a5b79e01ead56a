// What a person sees, on a terminal and elsewhere.
#include "tests/apps/terminal.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rhc/report/page.h"
#include "rhc/store/run_record.h"

namespace rhc {
namespace {

// The run directory, and the report where there are pages.
const std::size_t kLastLines = pages_available() ? 2 : 1;

using nlohmann::ordered_json;

Words three_shown_episodes() { return tiny({"pendulum", "--episodes", "3"}); }

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

struct Size {
  unsigned short columns, rows;
};

class TerminalTest : public testing::TestWithParam<Size> {
 protected:
  TemporaryDirectory dir_;
};

TEST_P(TerminalTest, ShowsABarWhileTheRunGoesOn) {
  Terminal terminal(three_shown_episodes(), dir_, GetParam().columns, GetParam().rows);
  ASSERT_EQ(terminal.wait(), 0) << terminal.bytes();
  EXPECT_TRUE(has_bar(terminal.bytes()));
  EXPECT_NE(terminal.bytes().find("planning 2"), std::string::npos);
  EXPECT_NE(terminal.bytes().find("\r\033[K"), std::string::npos) << "it is drawn anew in place";
}

TEST_P(TerminalTest, LeavesTheTableAndNothingOfTheBar) {
  Terminal terminal(three_shown_episodes(), dir_, GetParam().columns, GetParam().rows);
  ASSERT_EQ(terminal.wait(), 0);
  const Screen screen = terminal.screen();
  EXPECT_FALSE(has_bar(screen.text())) << screen.text();
  const std::vector<std::string> lines = screen.lines();
  ASSERT_EQ(lines.size(), 1u + 1 + 1 + 1 + 4 + kLastLines + 1) << screen.text();
  EXPECT_EQ(lines[0], "exploring pendulum by method rhc-evr, 3 episodes, seed 1");
  EXPECT_TRUE(lines[1].starts_with("episode ")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("   best ")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("  limit ")) << lines[3];
  for (std::size_t episode = 0; episode <= 3; ++episode)
    EXPECT_TRUE(lines[4 + episode].starts_with("      " + std::to_string(episode)))
        << lines[4 + episode];
  EXPECT_EQ(lines[8], "run directory: r");
  EXPECT_EQ(lines.back(), "");
  EXPECT_EQ(screen.column(), 0u);
}

TEST_P(TerminalTest, NeverWritesALineThatIsTooLong) {
  Terminal terminal(three_shown_episodes(), dir_, GetParam().columns, GetParam().rows);
  ASSERT_EQ(terminal.wait(), 0);
  EXPECT_FALSE(terminal.screen().wrapped()) << terminal.screen().text();
  EXPECT_FALSE(terminal.screen().strange()) << terminal.bytes();
}

TEST_P(TerminalTest, LeavesAFreshLineAfterCtrlC) {
  Terminal terminal(tiny({"pendulum", "--episodes", "500"}), dir_, GetParam().columns,
                    GetParam().rows);
  terminal.read_until("planning 4");
  terminal.type('\3');
  EXPECT_EQ(terminal.wait(), 130);
  const Screen screen = terminal.screen();
  EXPECT_EQ(screen.column(), 0u);
  EXPECT_EQ(screen.lines().back(), "");
  EXPECT_FALSE(has_bar(screen.text())) << screen.text();
  EXPECT_NE(screen.text().find("rhc: interrupted after episode "), std::string::npos)
      << screen.text();
}

TEST_P(TerminalTest, SaysWhatWentWrongOnALineOfItsOwn) {
  Terminal terminal(tiny({"pendulum", "task=false", "test_trajectories=0", "process_noise=1e308"}),
                    dir_, GetParam().columns, GetParam().rows);
  EXPECT_EQ(terminal.wait(), 2);
  const std::string text = terminal.screen().text();
  EXPECT_FALSE(has_bar(text)) << text;
  EXPECT_NE(text.find("\nrhc: system 'pendulum' returned"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Sizes, TerminalTest, testing::Values(Size{120, 40}, Size{60, 20}),
                         [](const auto& test) {
                           return std::to_string(test.param.columns) + "x" +
                                  std::to_string(test.param.rows);
                         });

TEST(Screen, GoesOnAfterASequenceThatWasCutShort) {
  const Screen screen("bar\033[3\r\033[Kdone", 20);
  EXPECT_EQ(screen.text(), "done\n");
  EXPECT_FALSE(screen.strange());
}

TEST(Terminal, ThatIsVeryNarrowShowsAShorterBar) {
  const TemporaryDirectory dir;
  Terminal terminal(tiny({"pendulum", "--episodes", "1"}), dir, 20, 10);
  ASSERT_EQ(terminal.wait(), 0);
  EXPECT_TRUE(has_bar(terminal.bytes()));
  EXPECT_FALSE(has_bar(terminal.screen().text())) << terminal.screen().text();
}

TEST(Terminal, ThatBecomesNarrowerGetsAShorterBar) {
  const TemporaryDirectory dir;
  Terminal terminal(tiny({"pendulum", "--episodes", "500"}), dir, 120, 40, {{"NO_COLOR", "1"}});
  terminal.read_until("planning 4");
  terminal.resize(60);
  terminal.read_until("learning 6");
  terminal.type('\3');
  ASSERT_EQ(terminal.wait(), 130);
  // The last bar that was drawn, up to where it was erased.
  const std::string& bytes = terminal.bytes();
  const std::size_t end = bytes.rfind("\r\033[K"), begin = bytes.rfind("\033[K", end) + 3;
  const Screen bar(bytes.substr(begin, end - begin), 1000);
  EXPECT_TRUE(has_bar(bar.text())) << bar.text();
  EXPECT_LT(bar.column(), 60u) << bar.text();
}

TEST(Terminal, ShowsColourUnlessItIsNotWanted) {
  const TemporaryDirectory dir;
  for (const char* no_color : {"", "1"}) {
    Terminal terminal(tiny({"pendulum", "--episodes", "1", "--out", std::string("n") + no_color}),
                      dir, 120, 40, {{"NO_COLOR", no_color}});
    ASSERT_EQ(terminal.wait(), 0);
    EXPECT_EQ(terminal.screen().coloured(), !*no_color);
    EXPECT_TRUE(has_bar(terminal.bytes())) << "colour or not";
  }
}

TEST(Terminal, ThatIsDumbGetsPlainLines) {
  const TemporaryDirectory dir;
  Terminal terminal(three_shown_episodes(), dir, 120, 40, {{"TERM", "dumb"}});
  ASSERT_EQ(terminal.wait(), 0);
  EXPECT_FALSE(has_bar(terminal.bytes()));
  EXPECT_EQ(terminal.bytes().find('\033'), std::string::npos);
}

TEST(Terminal, ShowsWhatAnEarlierProcessDid) {
  const TemporaryDirectory dir;
  ASSERT_EQ(run(three_shown_episodes(), dir).code, 0);
  Terminal terminal({"resume", "r", "--episodes", "4"}, dir, 120, 40);
  ASSERT_EQ(terminal.wait(), 0);
  const std::vector<std::string> lines = terminal.screen().lines();
  ASSERT_EQ(lines.size(), 9u + kLastLines + 1) << terminal.screen().text();
  EXPECT_TRUE(lines[4].starts_with("      0"));
  EXPECT_TRUE(lines[8].starts_with("      4"));
}

TEST(Terminal, ThatIsClosedEndsARunInOrder) {
  const TemporaryDirectory dir;
  Terminal terminal(tiny({"pendulum", "--episodes", "100000"}), dir, 120, 40);
  ASSERT_TRUE(terminal.read_until_exists(dir.path() / "r/episodes/0002.csv"));
  terminal.hang_up();
  EXPECT_EQ(terminal.wait(), 130);
  EXPECT_EQ(read_run(dir.path() / "r").manifest.status, "interrupted");
}

TEST(Program, UnderNohupOutlivesItsTerminal) {
  const TemporaryDirectory dir;
  const Program program(tiny({"pendulum", "--episodes", "9"}), dir,
                        [] { ::signal(SIGHUP, SIG_IGN); });
  ASSERT_TRUE(appears(dir.path() / "r/episodes/0001.csv"));
  for (int i = 0; i < 5; ++i) program.signal(SIGHUP);
  EXPECT_EQ(program.wait().code, 0);
}

// An episode that ended early says so in a word at the end of its line, at any width.
TEST(Terminal, NotesWhichEpisodesLeftTheLimits) {
  for (const auto columns : std::initializer_list<unsigned short>{60, 80, 120}) {
    const TemporaryDirectory dir;
    Terminal terminal(tiny({"cartpole", "--episodes", "2", "first_levels=1"}), dir, columns, 40);
    ASSERT_EQ(terminal.wait(), 0);
    const RunRecord run = read_run(dir.path() / "r");
    const std::vector<std::string> lines = terminal.screen().lines();
    EXPECT_FALSE(terminal.screen().wrapped()) << terminal.screen().text();
    EXPECT_TRUE(lines[1].ends_with("   note")) << lines[1];
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(lines[4 + i].ends_with(" limits"),
                run.rows[i].trouble->starts_with("left the limits"))
          << lines[4 + i];
    EXPECT_TRUE(lines[5].ends_with(" limits")) << "pushed while nothing is known\n" << lines[5];
    EXPECT_EQ(contains(lines[1], "plan s"), columns >= 80) << lines[1];
    EXPECT_EQ(contains(lines[1], "evidence"), columns >= 120) << lines[1];
  }
}

TEST(Piped, WritesPlainLines) {
  const TemporaryDirectory dir;
  const Outcome outcome = run(three_shown_episodes(), dir);
  EXPECT_EQ(outcome.out.find_first_of("\033\r"), std::string::npos);
  EXPECT_FALSE(has_bar(outcome.out));
  EXPECT_EQ(lines_of(outcome.out).size(), 8u + kLastLines) << outcome.out;
}

TEST(Quiet, IsSilentOnATerminal) {
  const TemporaryDirectory dir;
  Words words = three_shown_episodes();
  words.push_back("--quiet");
  Terminal terminal(words, dir, 120, 40);
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_EQ(terminal.bytes(), "");
}

// The events of a run, each a line of JSON.
std::vector<ordered_json> events_of(const Outcome& outcome) {
  std::vector<ordered_json> events;
  for (const std::string& line : lines_of(outcome.out)) events.push_back(ordered_json::parse(line));
  return events;
}

TEST(JsonProgress, BeginsAndEndsAndTellsTheRowsAsTheyAreKept) {
  const TemporaryDirectory dir;
  Words words = three_shown_episodes();
  words.push_back("--json");
  const std::vector<ordered_json> events = events_of(run(words, dir));
  ASSERT_EQ(events.size(), 1u + 1 + 4 + 1);
  EXPECT_EQ(events.front()["event"], "begin");
  EXPECT_EQ(events.front()["episodes"], 3);
  EXPECT_EQ(events.back()["event"], "end");
  EXPECT_EQ(events.back()["status"], "finished");
  EXPECT_EQ(events.back()["run"], "r");
  std::string rows;
  for (ordered_json event : events)
    if (event["event"] == "row") {
      event.erase("event");
      rows += event.dump() + "\n";
    }
  EXPECT_EQ(rows, slurp(dir.path() / "r/metrics.jsonl"));
}

TEST(JsonProgress, IsTheSameOnATerminal) {
  const TemporaryDirectory dir;
  Words words = three_shown_episodes();
  words.push_back("--json");
  Terminal terminal(words, dir, 60, 20);
  ASSERT_EQ(terminal.wait(), 0);
  EXPECT_EQ(terminal.bytes().find('\033'), std::string::npos);
  for (const std::string& line : lines_of(terminal.bytes()))
    EXPECT_NO_THROW(ordered_json::parse(line)) << line;
}

TEST(JsonProgress, SaysHowARunEnded) {
  const TemporaryDirectory dir;
  const Program program(tiny({"pendulum", "--episodes", "500", "--json"}), dir);
  ASSERT_TRUE(appears(dir.path() / "r/episodes/0002.csv"));
  program.signal(SIGINT);
  const std::vector<ordered_json> events = events_of(program.wait());
  EXPECT_EQ(events.back()["event"], "end");
  EXPECT_EQ(events.back()["status"], "interrupted");
}

TEST(JsonProgress, EndsAlsoWhenTheSystemBreaks) {
  const TemporaryDirectory dir;
  const Outcome outcome =
      run(tiny({"pendulum", "task=false", "test_trajectories=0", "--json", "process_noise=1e308"}),
          dir);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(events_of(outcome).back()["event"], "end");
  EXPECT_EQ(events_of(outcome).back()["status"], "failed");
}

TEST(JsonProgress, IsJsonWhateverBytesThePathHolds) {
  const TemporaryDirectory dir;
  const Outcome outcome =
      run(tiny({"pendulum", "--episodes", "0", "--json", "--out", "r\xff"}), dir);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(events_of(outcome).back()["status"], "finished");
}

}  // namespace
}  // namespace rhc
