#include "rhc/store/archive.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "rhc/core/error.h"
#include "rhc/core/random.h"
#include "rhc/format/crc32.h"
#include "tests/repeats.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       static_cast<std::size_t>(a.size()) * sizeof(double)) == 0);
}

NamedValues through_bytes(const NamedValues& archive) {
  return parse_archive(archive_bytes(archive), "file");
}

std::string refusal(std::string_view bytes) {
  return message_of<InputError>([&] { parse_archive(bytes, "file"); });
}

NamedValues small_archive() {
  NamedValues archive;
  archive.put("a", Matrix{{1, 2}, {3, 4}});
  archive.put("n", Index{7});
  archive.put_text("t", "words");
  return archive;
}

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A file whose checksum fits, with one block called "x".
std::string forged(std::uint8_t kind, std::uint64_t rows, std::uint64_t cols,
                   const std::string& data) {
  std::string bytes = "rhc-archive\n";
  append(bytes, std::uint32_t{1});
  append(bytes, kind);
  append(bytes, std::uint32_t{1});
  append(bytes, rows);
  append(bytes, cols);
  bytes += "x" + data;
  append(bytes, crc32(bytes));
  return bytes;
}

TEST(Archive, KeepsEveryBitOfEveryNumber) {
  using Limits = std::numeric_limits<double>;
  Matrix strange{{Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()},
                 {-0.0, Limits::denorm_min(), Limits::lowest()}};
  strange(0, 0) = std::bit_cast<double>(0xFFF8'0000'DEAD'BEEFull);  // a NaN that says something
  NamedValues archive;
  archive.put("strange", strange);
  EXPECT_TRUE(same_bits(through_bytes(archive).matrix("strange", 2, 3), strange));
}

TEST(Archive, KeepsShapesWithoutAnyNumber) {
  NamedValues archive;
  archive.put("none", Matrix(0, 0));
  archive.put("no rows", Matrix(0, 5));
  archive.put("no columns", Matrix(3, 0));
  const NamedValues read = through_bytes(archive);
  EXPECT_NO_THROW(read.matrix("none", 0, 0));
  EXPECT_NO_THROW(read.matrix("no rows", 0, 5));
  EXPECT_NO_THROW(read.matrix("no columns", 3, 0));
}

TEST(Archive, KeepsTextOfAnyLengthAndContent) {
  std::string big(3'000'000, 'x');
  RandomStream randomness(1, "text");
  for (char& c : big) c = static_cast<char>(randomness.below(256));
  NamedValues archive;
  archive.put_text("big", big);
  archive.put_text("empty", "");
  const NamedValues read = through_bytes(archive);
  EXPECT_TRUE(read.text("big") == big);
  EXPECT_EQ(read.text("empty"), "");
}

TEST(Archive, KeepsWhatIsPutAtRandom) {
  for (int seed = 1; seed <= repeats(20, 2000); ++seed) {
    RandomStream r(static_cast<std::uint64_t>(seed), "archive");
    NamedValues archive;
    std::map<std::string, Matrix> expected;
    for (std::uint64_t i = r.below(6); i > 0; --i) {
      const std::string name = "block " + std::to_string(r.below(8));
      Matrix m(static_cast<Index>(r.below(7)), static_cast<Index>(r.below(7)));
      for (double& value : m.reshaped()) value = std::bit_cast<double>(r.bits());
      archive.put(name, m);
      expected[name] = m;
    }
    const NamedValues read = through_bytes(archive);
    for (const auto& [name, m] : expected)
      EXPECT_TRUE(same_bits(read.matrix(name, -1, -1), m)) << name << ", seed " << seed;
    EXPECT_TRUE(archive_bytes(read) == archive_bytes(archive)) << "seed " << seed;
  }
}

TEST(Archive, CountsExactlyUpToLargeNumbers) {
  NamedValues archive;
  archive.put("large", Index{9'000'000'000'000'000});
  EXPECT_EQ(through_bytes(archive).count("large"), 9'000'000'000'000'000);
}

TEST(Archive, RefusesACountThatIsNone) {
  NamedValues archive;
  for (const double value : {-1.0, 0.5, 1e300, std::nan("")}) {
    archive.put("n", Matrix::Constant(1, 1, value));
    EXPECT_NE(message_of<InputError>([&] { archive.count("n"); }).find("block 'n' is"),
              std::string::npos)
        << value;
  }
}

TEST(Archive, NoticesEveryChangedByte) {
  const std::string whole = archive_bytes(small_archive());
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      EXPECT_NE(refusal(bytes), "") << "byte " << at << ", bit " << bit;
    }
}

TEST(Archive, NoticesEveryMissingEnd) {
  const std::string whole = archive_bytes(small_archive());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(refusal(std::string_view(whole).substr(0, size)), "") << size << " bytes";
}

TEST(Archive, ReadsTheTextsWithoutTheNumbers) {
  const TemporaryDirectory dir;
  const std::string whole = archive_bytes(small_archive());
  const NamedValues texts = read_archive_texts(dir.write("a", whole));
  EXPECT_EQ(texts.text("t"), "words");
  EXPECT_TRUE(texts.matrices.empty());
  const std::string head = whole.substr(0, whole.find("words") + 5 + 4);
  EXPECT_EQ(read_archive_texts(dir.write("b", head + "damaged numbers")).text("t"), "words");
}

TEST(Archive, NoticesEveryChangeOfItsTexts) {
  const TemporaryDirectory dir;
  const std::string whole = archive_bytes(small_archive());
  for (std::size_t at = 0; at < whole.find("words") + 5 + 4; ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    const std::string file = dir.write("a", bytes);
    EXPECT_NE(message_of<InputError>([&] { read_archive_texts(file); }), "") << "byte " << at;
  }
}

TEST(Archive, ReadsTheFirstFormat) {
  const NamedValues read = parse_archive(forged(1, 3, 1, "abc"), "file");
  EXPECT_EQ(read.text("x"), "abc");
  const TemporaryDirectory dir;
  EXPECT_EQ(read_archive_texts(dir.write("a", forged(1, 3, 1, "abc"))).text("x"), "abc");
}

TEST(Archive, NoticesWhatWasAppended) {
  EXPECT_NE(refusal(archive_bytes(small_archive()) + "x"), "");
  EXPECT_NE(refusal(archive_bytes(small_archive()) + archive_bytes(small_archive())), "");
}

TEST(Archive, SaysThatANewerProgramIsNeeded) {
  std::string bytes = archive_bytes(small_archive());
  bytes[12] = 3;
  EXPECT_EQ(refusal(bytes),
            "file: written in format 3, this program reads up to 2; use a newer rhc");
}

TEST(Archive, SaysWhenTheFileIsSomethingElse) {
  EXPECT_EQ(refusal("step,cos,sin\n0,0,0\n"),
            "file: this is not a checkpoint, or its beginning is damaged");
  EXPECT_EQ(refusal(""), "file: this is not a checkpoint, or its beginning is damaged");
}

TEST(Archive, NamesABlockThatIsMissing) {
  const NamedValues archive = through_bytes(small_archive());
  EXPECT_EQ(message_of<InputError>([&] { archive.matrix("b", -1, -1); }),
            "file: block 'b' is missing");
  EXPECT_EQ(message_of<InputError>([&] { archive.text("b"); }), "file: text 'b' is missing");
  EXPECT_FALSE(archive.has("b"));
}

TEST(Archive, NamesABlockOfAnotherShape) {
  const NamedValues archive = through_bytes(small_archive());
  EXPECT_EQ(message_of<InputError>([&] { archive.vector("a", 3); }),
            "file: block 'a' is 2 x 2, expected 3 x 1");
  EXPECT_EQ(message_of<InputError>([&] { archive.matrix("a", -1, 5); }),
            "file: block 'a' is 2 x 2, expected any x 5");
}

// Nobody writes these by accident: the checksum fits.
TEST(Archive, RefusesForgedSizes) {
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(refusal(forged(0, 1, 1, std::string(8, '\0'))), "") << "the forgery itself is sound";
  for (const auto& [rows, cols] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{2, 1},
                                                            {1, most},
                                                            {most, 1},
                                                            {1u << 31, 1u << 31},
                                                            {most, most},
                                                            {most / 8 + 1, 8},
                                                            {0, most},
                                                            {most, 0},
                                                            {0, std::uint64_t{1} << 63}})
    EXPECT_NE(refusal(forged(0, rows, cols, std::string(8, '\0'))), "") << rows << " x " << cols;
  for (const auto& [rows, cols] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, most}, {most, 0}, {0, std::uint64_t{1} << 63}})
    EXPECT_NE(refusal(forged(0, rows, cols, "")), "") << rows << " x " << cols << " of nothing";
}

TEST(Archive, RefusesABlockOfAnUnknownKind) { EXPECT_NE(refusal(forged(2, 4, 1, "text")), ""); }

}  // namespace
}  // namespace rhc
