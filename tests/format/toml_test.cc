#include "rhc/format/toml.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

// The value of the key `x` in the words of the command line.
std::string plain_of(const std::string& value) {
  return plain(*parse_toml("x = " + value, "f").get("x"));
}

TEST(Toml, IsReadAsATable) {
  const toml::table table = parse_toml("a = 1\n[b]\nc = \"d\"\n", "f.toml");
  EXPECT_EQ(table["a"].value<int>(), 1);
  EXPECT_EQ(table["b"]["c"].value<std::string>(), "d");
}

TEST(Toml, ThatIsNoneIsRefusedWithFileLineAndColumn) {
  const auto refusal = [](const char* text) {
    return message_of<InputError>([&] { parse_toml(text, "f.toml"); });
  };
  EXPECT_TRUE(refusal("a = 1\nb 2\n").starts_with("f.toml:2:3: ")) << refusal("a = 1\nb 2\n");
  EXPECT_TRUE(refusal("a = 1\na = 2\n").starts_with("f.toml:2:")) << refusal("a = 1\na = 2\n");
  EXPECT_TRUE(refusal("a = [1\n").starts_with("f.toml:")) << refusal("a = [1\n");
  EXPECT_TRUE(refusal("\xff").starts_with("f.toml:")) << refusal("\xff");
}

TEST(Toml, ValuesAreInTheWordsOfTheCommandLine) {
  EXPECT_EQ(plain_of("\"rhc-evr\""), "rhc-evr");
  EXPECT_EQ(plain_of("17"), "17");
  EXPECT_EQ(plain_of("1_000"), "1000");
  EXPECT_EQ(plain_of("true"), "true");
  EXPECT_EQ(plain_of("false"), "false");
  EXPECT_EQ(plain_of("[]"), "[]");
  EXPECT_EQ(plain_of("[64, 32]"), "[64, 32]");
  EXPECT_EQ(plain_of("[[1], [\"a\"]]"), "[[1], [a]]");
  EXPECT_EQ(plain_of("2020-01-02"), "2020-01-02");
}

TEST(Toml, NumbersKeepEveryBit) {
  for (const char* number : {"0.1", "1e-300", "0.30000000000000004", "5e-324", "-2.5"})
    EXPECT_EQ(std::strtod(plain_of(number).c_str(), nullptr), std::strtod(number, nullptr));
  EXPECT_EQ(plain_of("0.1"), "0.1");
  EXPECT_EQ(plain_of("9223372036854775807"), "9223372036854775807");
}

TEST(Toml, PlacesAreNamedByLineAndColumn) {
  const toml::table table = parse_toml("a = 1\n\n  b = [2]\n", "f.toml");
  EXPECT_EQ(at_place("g.toml", *table.get("b"), "wrong"), "g.toml:3:7: wrong");
}

TEST(Toml, PlacesThatAreNoneAreNamedByTheirFile) {
  EXPECT_EQ(at_place("g.toml", toml::value<int64_t>(1), "wrong"), "g.toml: wrong");
}

}  // namespace
}  // namespace rhc
