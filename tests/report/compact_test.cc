#include "rhc/report/compact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "rhc/core/error.h"
#include "rhc/core/random.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

std::vector<unsigned char> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

const std::vector<std::pair<std::string, std::string>> kVectors = {
    // RFC 4648, section 10
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
    // base64.b64encode of Python
    {std::string("\x00\xff\xfe", 3), "AP/+"},
    {std::string("\xfb\xef\xbe\x80", 4), "++++gA=="},
};

TEST(Base64, WritesTheKnownVectors) {
  for (const auto& [plain, text] : kVectors) EXPECT_EQ(base64(bytes_of(plain)), text);
}

TEST(Base64, ReadsTheKnownVectors) {
  for (const auto& [plain, text] : kVectors) EXPECT_EQ(from_base64(text), plain);
}

TEST(Base64, ReadsBackWhatItWrote) {
  for (int seed = 0; seed < repeats(300, 10000); ++seed) {
    RandomStream randomness(static_cast<std::uint64_t>(seed), "base64");
    std::string plain(randomness.below(100), ' ');
    for (char& c : plain) c = static_cast<char>(randomness.below(256));
    EXPECT_EQ(from_base64(base64(bytes_of(plain))), plain) << "seed " << seed;
  }
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text :
       {"Zg", "Z", "Z===", "====", "=", "Zg=", "Zm9v=", "Zm9vZ", "Z=g=", "Zm9v\n", "Zm 9", "Zm9-",
        "Zm9_", "Zm\xc3\xa4", "data:image/png;base64,Zm9v"})
    EXPECT_THROW(from_base64(text), InputError) << text;
}

TEST(Rounded, HasSixDigits) {
  EXPECT_EQ(rounded(1234567.0).dump(), "1234570.0");
  EXPECT_EQ(rounded(0.1 + 0.2).dump(), "0.3");
  EXPECT_EQ(rounded(-1.23456789e-7).dump(), "-1.23457e-07");
}

TEST(Rounded, IsNullWhereItIsNotFinite) {
  for (const double value : {kInfinity, -kInfinity, std::nan("")})
    EXPECT_TRUE(rounded(value).is_null());
}

TEST(Rounded, TakesEveryFiniteNumber) {
  for (const double value :
       {0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1e-310,
        std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()})
    EXPECT_NEAR(rounded(value).get<double>() / 4, value / 4, 1e-5 * std::abs(value / 4)) << value;
  for (int seed = 0; seed < repeats(1000, 100000); ++seed) {
    RandomStream randomness(static_cast<std::uint64_t>(seed), "rounded");
    const double value = randomness.normal() * std::pow(10.0, randomness.uniform(-300, 300));
    EXPECT_NEAR(rounded(value).get<double>(), value, 5.1e-6 * std::abs(value)) << "seed " << seed;
  }
}

TEST(RoundedRows, TakesEveryStridethColumnBeginningWithTheFirst) {
  Matrix values(2, 7);
  values << 0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15, kInfinity;
  EXPECT_EQ(rounded_rows(values, 3).dump(), "[[0.0,3.0,6.0],[10.0,13.0,null]]");
  EXPECT_EQ(rounded_rows(values, 100).dump(), "[[0.0],[10.0]]");
  EXPECT_EQ(rounded_rows(Matrix(2, 0), 1).dump(), "[[],[]]");
}

TEST(Spread, HasTheFirstAndTheLastAndRepeatsNone) {
  for (int count = 1; count <= 80; ++count)
    for (int most = 2; most <= 90; ++most) {
      const std::vector<int> chosen = spread(count, most);
      ASSERT_EQ(static_cast<int>(chosen.size()), std::min(count, most));
      EXPECT_EQ(chosen.front(), 1);
      EXPECT_EQ(chosen.back(), count);
      for (std::size_t i = 1; i < chosen.size(); ++i) EXPECT_LT(chosen[i - 1], chosen[i]);
    }
}

TEST(Spread, IsEven) {
  EXPECT_EQ(spread(9, 5), (std::vector{1, 3, 5, 7, 9}));
  EXPECT_EQ(spread(1'000'000, 3), (std::vector{1, 500'001, 1'000'000}));
}

TEST(Spread, OfNothingIsNothing) { EXPECT_TRUE(spread(0, 10).empty()); }

}  // namespace
}  // namespace rhc
