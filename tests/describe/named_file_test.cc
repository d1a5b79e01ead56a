#include "rhc/describe/named_file.h"

#include <gtest/gtest.h>

#include "rhc/format/toml.h"

namespace rhc {
namespace {

TEST(StandingAlone, HoldsEveryFileInThePlaceOfItsName) {
  const std::string toml = "[a]\nfile = \"ä.txt\" # why\nother = 1\n[b]\nfile = 'b.txt'\n";
  const toml::table table = parse_toml(toml, "here");
  const std::string first = "one\n'''two''' \"\\three\"\n", second = "x = '1'\n";
  const std::string whole = standing_alone(toml, "here",
                                           {{*table["a"].as_table(), "file", "text", first},
                                            {*table["b"].as_table(), "file", "text", second}});
  const toml::table read = parse_toml(whole, "there");
  EXPECT_EQ(read["a"]["text"].value<std::string>(), first);
  EXPECT_EQ(read["b"]["text"].value<std::string>(), second);
  EXPECT_EQ(read["a"]["other"].value<int>(), 1);
  EXPECT_FALSE(read["a"].as_table()->contains("file"));
  EXPECT_NE(whole.find("# why"), std::string::npos);
}

}  // namespace
}  // namespace rhc
