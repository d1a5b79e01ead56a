#include "rhc/store/ledger.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

TEST(Ledger, ReadsBackAsItWasWritten) {
  const Ledger ledger = {{"episodes/0001.csv", 0}, {"tasks/a b.csv", 0xFFFFFFFFu}};
  EXPECT_EQ(ledger_text(ledger), "00000000 episodes/0001.csv\nffffffff tasks/a b.csv\n");
  EXPECT_EQ(parse_ledger(ledger_text(ledger), "x"), ledger);
  EXPECT_EQ(parse_ledger("", "x"), Ledger{});
}

TEST(Ledger, RefusesALineThatIsNone) {
  for (const char* line : {"1234567 a", "123456789 a", "1234567g a", "12345678", "12345678 "})
    EXPECT_EQ(message_of<InputError>([&] { parse_ledger(line, "x"); }),
              std::string("x: '") + (line == std::string("12345678 ") ? "12345678" : line) +
                  "' is not a checksum and a name")
        << line;
}

TEST(Ledger, LeavesLaterEpisodesOut) {
  const Ledger ledger = {{"episodes/0002.csv", 1}, {"episodes/0010.csv", 2}, {"tasks/0003.csv", 3}};
  EXPECT_EQ(up_to_episode(2, ledger), (Ledger{{"episodes/0002.csv", 1}}));
  EXPECT_EQ(up_to_episode(10, ledger), ledger);
}

}  // namespace
}  // namespace rhc
