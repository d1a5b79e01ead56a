#include "rhc/format/json.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

JsonLines lines_of(const std::string& text) { return read_json_lines(text, "rows.jsonl"); }

// Whoever shows such a thing, or copies it, would run out of stack.
TEST(JsonReader, RefusesWhatIsNestedTooDeep) {
  const auto nested = [](std::size_t depth) {
    return "{\"T\": " + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_EQ(message_of<InputError>([&] { JsonReader(nested(63), "a.json"); }), "");
  EXPECT_EQ(message_of<InputError>([&] { JsonReader(nested(1000000), "a.json").number("T"); }),
            "a.json: not valid JSON: it is nested deeper than 64 levels");
  const std::string quoted = "{\"T\": \"\\\"" + std::string(1000, '[') + "\"}";
  EXPECT_EQ(JsonReader(quoted, "a.json").text("T"), "\"" + std::string(1000, '['));
}

TEST(JsonLines, AreReadInOrder) {
  const JsonLines lines = lines_of("{\"a\":1}\n{\"a\":2}\n");
  ASSERT_EQ(lines.rows.size(), 2u);
  EXPECT_EQ(lines.rows[1].number("a"), 2);
  EXPECT_FALSE(lines.cut_off);
}

TEST(JsonLines, OfAnEmptyFileAreNone) {
  EXPECT_TRUE(lines_of("").rows.empty());
  EXPECT_FALSE(lines_of("").cut_off);
}

TEST(JsonLines, LeaveOutALastLineCutOffAnywhere) {
  const std::string whole = "{\"a\":1}\n{\"a\":[2,\"x\"]}\n";
  for (std::size_t size = 9; size < whole.size() - 1; ++size) {
    const JsonLines lines = lines_of(whole.substr(0, size));
    EXPECT_EQ(lines.rows.size(), 1u) << size;
    EXPECT_TRUE(lines.cut_off) << size;
  }
  EXPECT_EQ(lines_of(whole.substr(0, whole.size() - 1)).rows.size(), 2u) << "only the end of line";
}

TEST(JsonLines, NameABadLineBeforeTheLast) {
  EXPECT_TRUE(message_of<InputError>([&] {
                lines_of("{\"a\":1}\n{\"a\":\n{\"a\":3}\n");
              }).starts_with("rows.jsonl:2: not valid JSON"));
}

TEST(JsonReader, SaysWhatIsWrongInWordsAlone) {
  EXPECT_TRUE(message_of<InputError>([] {
                JsonReader("{", "a.json");
              }).starts_with("a.json: not valid JSON: parse error at line 1, column 2: "));
}

TEST(JsonReader, NamesWhereTextStands) {
  const JsonReader reader("{\"a\":\"x\"}", "metrics.jsonl:3");
  EXPECT_EQ(message_of<InputError>([&] { reader.number("a"); }),
            "metrics.jsonl:3: \"a\" holds \"x\", not a finite number");
  EXPECT_EQ(message_of<InputError>([&] { reader.at("b"); }), "metrics.jsonl:3: \"b\" is missing");
  EXPECT_EQ(message_of<InputError>([] { JsonReader("[1]", "here"); }),
            "here: this is not a JSON object");
}

}  // namespace
}  // namespace rhc
