#include "rhc/core/text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/core/random.h"

namespace rhc {
namespace {

TEST(ParseNumber, TakesWholeTextsOnly) {
  EXPECT_EQ(parse_number(" -1.5e3 "), -1500);
  EXPECT_EQ(parse_number("+2"), 2);
  EXPECT_TRUE(std::isnan(parse_number("nan").value()));
  for (const char* text : {"", " ", "1,5", "1.5x", "--2", "+-2", "0x10", "one"})
    EXPECT_FALSE(parse_number(text)) << text;
}

TEST(ParseInteger, RefusesFractionsAndOverflow) {
  EXPECT_EQ(parse_integer("42"), 42);
  for (const char* text : {"4.0", "1e3", "99999999999999999999", ""})
    EXPECT_FALSE(parse_integer(text)) << text;
}

TEST(Exact, ReadsBackToTheSameBits) {
  RandomStream randomness(5, "exact");
  for (int i = 0; i < 2000; ++i) {
    const double value =
        std::ldexp(randomness.normal(), static_cast<int>(randomness.below(600)) - 300);
    EXPECT_EQ(parse_number(exact(value)), value) << "seed 5, draw " << i;
  }
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ',').size(), 4u);
  EXPECT_EQ(split("", ',').size(), 1u);
}

TEST(UnknownName, SuggestsTheNearest) {
  const std::vector<std::string> known = {"mountain-car", "pendulum", "cartpole"};
  EXPECT_EQ(unknown_name("system", "pendlum", known),
            "unknown system 'pendlum'; did you mean 'pendulum'? (known: mountain-car, pendulum, "
            "cartpole)");
}

TEST(UnknownName, SuggestsNothingForAnotherWord) {
  EXPECT_EQ(unknown_name("system", "q", {"pendulum"}), "unknown system 'q' (known: pendulum)");
}

TEST(UnknownName, NamesTheThreeNearestOfMany) {
  std::vector<std::string> known = {"features", "fixtures", "feature_count", "lectures"};
  for (char c = 'a'; c <= 'z'; ++c) known.emplace_back(12, c);
  EXPECT_EQ(unknown_name("setting", "featurs", known),
            "unknown setting 'featurs'; did you mean 'features'? (nearest: features, fixtures, "
            "lectures; 27 others)");
}

TEST(Text, ShowsControlCharacters) {
  EXPECT_TRUE(has_control_characters("a\nb"));
  EXPECT_TRUE(has_control_characters(std::string_view("\0", 1)));
  EXPECT_TRUE(has_control_characters("\x7f"));
  EXPECT_FALSE(has_control_characters("a b\\n'\xc3\xa9\x80"));
  EXPECT_EQ(visible("a\nb\r\t\x1b[0m\x7f\xc3\xa9"), "a\\nb\\r\\t\\x1b[0m\\x7f\xc3\xa9");
}

}  // namespace
}  // namespace rhc
