#include "rhc/store/description_history.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

DescriptionHistory some_history() {
  return {{.time = "2026-01-01T00:00:00Z",
           .experiments = 2,
           .differences = {"rate: any, now [3]", "title: a, now \"b\""},
           .before = "name = 'rig'\n# two lines\n"},
          {.time = "", .experiments = 5, .differences = {}, .before = "name = 'rig'"}};
}

TEST(DescriptionHistory, ReadsBackAsItWasWritten) {
  const DescriptionHistory history = some_history();
  const DescriptionHistory read = parse_history(history_text(history), "h");
  EXPECT_EQ(history_text(read), history_text(history));
  EXPECT_EQ(read[0].before, history[0].before);
  EXPECT_EQ(read[0].differences, history[0].differences);
  EXPECT_EQ(read[1].experiments, 5);
}

TEST(DescriptionHistory, IsTheSameWheneverItWasWrittenWithoutItsTimes) {
  DescriptionHistory later = some_history();
  later[0].time = "2027-01-01T00:00:00Z";
  EXPECT_EQ(history_text(without_times(later)), history_text(without_times(some_history())));
}

TEST(DescriptionHistory, NamesWhatIsWrong) {
  EXPECT_NE(message_of<InputError>([] { parse_history("{}\n{}\n", "h"); }).find("h:1"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([] {
              parse_history("{\"experiments\":1,\"before\":\"\",\"differences\":[1]}\n", "h");
            }).find("must be a list of texts"),
            std::string::npos);
}

}  // namespace
}  // namespace rhc
