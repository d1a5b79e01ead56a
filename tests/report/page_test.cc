#include "rhc/report/page.h"

#include <gtest/gtest.h>

#include <regex>

#include "rhc/core/random.h"
#include "tests/repeats.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

constexpr std::string_view kBeforeData = "<script type=\"application/json\" id=\"data\">";

// What stands between two marks, the first time.
std::string between(const std::string& text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return std::string("there is no ").append(begin);
  const std::size_t first = from + begin.size();
  return text.substr(first, text.find(end, first) - first);
}

// As a browser reads them: the element ends at the first "</script".
std::string data_in(const std::string& page) { return between(page, kBeforeData, "</script"); }
std::string title_of(const std::string& page) { return between(page, "<title>", "<"); }

const std::vector<std::string> kNasty = {
    "</script><script>alert(1)</script>",
    "</SCRIPT >",
    "<!--<script>",
    "<img src=x onerror=alert(1)>",
    "{{data}}",
    "{{title}}",
    "{{script}}",
    "</title><script>alert(1)</script>",
    "\\u003c",
    "&lt;/script&gt;",
    "]]>",
    "\xe2\x80\xa8 and \xe2\x80\xa9",
    "\"'\\\n\r\t",
    "${1} $& \\1",
};

TEST(Page, HoldsTheDataWhateverIsInIt) {
  for (const std::string& nasty : kNasty) {
    const Json data = {{"kind", "run"}, {"name", nasty}, {nasty, {nasty, 1.5, nullptr}}};
    EXPECT_EQ(Json::parse(data_in(page("a", data))), data) << nasty;
  }
}

// "&" first, or it would be escaped twice.
std::string escaped(std::string text) {
  for (const auto& [character, entity] :
       {std::pair("&", "$&amp;"), std::pair("<", "&lt;"), std::pair(">", "&gt;")})
    text = std::regex_replace(text, std::regex(character), entity);
  return text;
}

TEST(Page, HasTheTitleWhateverIsInIt) {
  for (const std::string& nasty : kNasty) {
    const std::string whole = page(nasty, {{"kind", "run"}});
    EXPECT_EQ(title_of(whole), escaped(nasty));
    EXPECT_EQ(Json::parse(data_in(whole)), (Json{{"kind", "run"}})) << nasty;
  }
}

TEST(Page, SurvivesBytesThatAreNoText) {
  const Json data = {{"kind", "run"}, {"name", "a\xff\xc3"}};
  const Json read = Json::parse(data_in(page("\xff\xfe</title>", data)));
  EXPECT_EQ(read["kind"], "run");
  EXPECT_EQ(read["name"], "a\xef\xbf\xbd\xef\xbf\xbd") << "replaced by U+FFFD";
}

TEST(Page, HoldsRandomBytesAsData) {
  for (int seed = 0; seed < repeats(30, 1000); ++seed) {
    RandomStream randomness(static_cast<std::uint64_t>(seed), "page");
    std::string text(randomness.below(60), ' ');
    const std::string letters = "<>/!-scriptSCRIPT&;{}\"\\\x80\xc3\xa4 ";
    for (char& c : text) c = letters[randomness.below(letters.size())];
    const Json data = {{"kind", "run"}, {"name", text}};
    const Json expected = Json::parse(data.dump(-1, ' ', false, Json::error_handler_t::replace));
    EXPECT_EQ(Json::parse(data_in(page(text, data))), expected) << "seed " << seed;
  }
}

TEST(Page, DiffersInTitleAndDataOnly) {
  const std::string one = page("One", {{"kind", "run"}, {"a", 1}});
  std::string two = page("Another", {{"kind", "compare"}});
  two.replace(two.find("Another"), 7, "One");
  const std::size_t at = two.find(kBeforeData) + kBeforeData.size();
  two.replace(at, data_in(two).size(), data_in(one));
  EXPECT_EQ(one, two);
}

TEST(Page, HoldsTheChartsByteForByte) {
  EXPECT_NE(page("a", {}).find(slurp(RHC_ECHARTS)), std::string::npos);
}

TEST(Page, LeavesNoPlaceUnfilled) {
  const std::string whole = page("a", {});
  for (const char* place : {"{{title}}", "{{data}}", "{{style}}", "{{echarts}}", "{{script}}"})
    EXPECT_EQ(whole.find(place), std::string::npos) << place;
}

TEST(Page, EndsItsScriptsWhereTheyEnd) {
  std::string rest = page("a", {});
  int opened = 0, closed = 0;
  for (std::size_t at = 0; (at = rest.find("<script", at)) != std::string::npos; ++at) ++opened;
  for (std::size_t at = 0; (at = rest.find("</script>", at)) != std::string::npos; ++at) ++closed;
  EXPECT_EQ(opened, 3);
  EXPECT_EQ(closed, 3);
}

// Our own part: all but the charts' library, whose text names addresses that it never asks for.
std::string own_part() {
  std::string own = page("a", {});
  const std::string charts = slurp(RHC_ECHARTS);
  own.erase(own.find(charts), charts.size());
  return own;
}

TEST(Page, ReferencesNothingElsewhere) {
  std::string own = own_part();
  // The name of a format, not a place.
  own = std::regex_replace(own, std::regex("http://www\\.w3\\.org/2000/svg"), "");
  std::smatch found;
  EXPECT_FALSE(std::regex_search(own, found, std::regex("(https?:)?//[a-z0-9-]+\\.[a-z]")))
      << found.str();
  EXPECT_FALSE(std::regex_search(own, found, std::regex("@import|\\bimport\\s*[({'\"]")))
      << found.str();
  EXPECT_FALSE(std::regex_search(own, found, std::regex("<(script|img|iframe)[^>]*\\ssrc=")))
      << found.str();
  EXPECT_FALSE(std::regex_search(own, found, std::regex("<link[^>]*href=\"(?!data:)")))
      << found.str();
}

TEST(Page, ForbidsTheBrowserToAskElsewhere) {
  const std::string policy =
      between(own_part(), "<meta http-equiv=\"Content-Security-Policy\" content=\"", "\"");
  EXPECT_NE(policy.find("default-src 'none'"), std::string::npos) << policy;
  EXPECT_EQ(policy.find("http"), std::string::npos) << policy;
  EXPECT_EQ(policy.find('*'), std::string::npos) << policy;
}

// With data of at most 1.6 MB, which the test of the run's report promises, a page is below 3.
TEST(Page, IsSmallWithoutData) { EXPECT_LT(page("a", {}).size(), 1'400'000u); }

}  // namespace
}  // namespace rhc
