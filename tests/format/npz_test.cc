#include "rhc/format/npz.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "rhc/format/crc32.h"

namespace rhc {
namespace {

template <class T>
T value_at(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// The files of a zip archive, by the list at its end; every checksum is looked at.
std::map<std::string, std::string> unzip(const std::string& bytes) {
  std::map<std::string, std::string> files;
  const std::size_t end = bytes.size() - 22;
  EXPECT_EQ(bytes.substr(end, 4), "PK\x05\x06");
  std::size_t at = value_at<std::uint32_t>(bytes, end + 16);
  for (int i = 0; i < value_at<std::uint16_t>(bytes, end + 10); ++i) {
    EXPECT_EQ(bytes.substr(at, 4), "PK\x01\x02");
    const auto sum = value_at<std::uint32_t>(bytes, at + 16);
    const auto size = value_at<std::uint32_t>(bytes, at + 24);
    const auto length = value_at<std::uint16_t>(bytes, at + 28);
    const auto offset = value_at<std::uint32_t>(bytes, at + 42);
    const std::string name = bytes.substr(at + 46, length);
    EXPECT_EQ(bytes.substr(offset, 4), "PK\x03\x04");
    EXPECT_EQ(bytes.substr(offset + 30, length), name);
    files[name] = bytes.substr(offset + 30 + length, size);
    EXPECT_EQ(crc32(files[name]), sum) << name;
    at += 46U + length;
  }
  EXPECT_EQ(at, end) << "the list ends where it says";
  return files;
}

// What numpy is told about an array.
std::string header(const std::string& npy) {
  const std::string text = npy.substr(10, value_at<std::uint16_t>(npy, 8));
  return text.substr(0, text.find_last_of('}') + 1);
}

std::string data(const std::string& npy) {
  return npy.substr(10U + value_at<std::uint16_t>(npy, 8));
}

TEST(Npz, IsAZipOfOneNpyAnArray) {
  Npz npz;
  npz.add("a", std::vector<std::int64_t>{1, -2});
  npz.add("b", std::vector<double>{0.5});
  const auto files = unzip(npz.bytes());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(header(files.at("a.npy")), "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }");
  EXPECT_EQ(value_at<std::int64_t>(data(files.at("a.npy")), 8), -2);
  EXPECT_EQ(header(files.at("b.npy")), "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }");
  EXPECT_EQ(value_at<double>(data(files.at("b.npy")), 0), 0.5);
}

TEST(Npz, BeginsDataAtAMultipleOf64Bytes) {
  for (std::size_t size = 0; size < 200; ++size) {
    Npz npz;
    npz.add("a", std::vector<std::string>{std::string(size, 'x')});
    const std::string npy = unzip(npz.bytes()).at("a.npy");
    EXPECT_EQ(npy.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    EXPECT_EQ((npy.size() - data(npy).size()) % 64, 0u);
    EXPECT_EQ(npy[npy.size() - data(npy).size() - 1], '\n');
  }
}

TEST(Npz, MakesColumnsRows) {
  Npz npz;
  npz.add_columns("m", Matrix{{1, 2, 3}, {4, 5, 6}});
  const std::string npy = unzip(npz.bytes()).at("m.npy");
  EXPECT_EQ(header(npy), "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }");
  const double expected[] = {1, 4, 2, 5, 3, 6};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(value_at<double>(data(npy), 8 * i), expected[i]);
}

TEST(Npz, WritesTextsOfAnyLanguage) {
  Npz npz;
  npz.add("t", std::vector<std::string>{"ab", "\xCE\xB8\xCC\x87\xF0\x9F\x99\x82", "", "\xFFz"});
  const std::string npy = unzip(npz.bytes()).at("t.npy");
  EXPECT_EQ(header(npy), "{'descr': '<U3', 'fortran_order': False, 'shape': (4,), }");
  const char32_t expected[] = {'a', 'b', 0, 0x3B8, 0x307, 0x1F642, 0, 0, 0, 0xFF, 'z', 0};
  ASSERT_EQ(data(npy).size(), sizeof expected);
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_EQ(value_at<char32_t>(data(npy), 4 * i), expected[i]) << i;
}

TEST(Npz, HoldsArraysOfNothing) {
  Npz npz;
  npz.add("i", std::vector<std::int64_t>{});
  npz.add("t", std::vector<std::string>{});
  npz.add_columns("m", Matrix(3, 0));
  const auto files = unzip(npz.bytes());
  EXPECT_EQ(header(files.at("i.npy")), "{'descr': '<i8', 'fortran_order': False, 'shape': (0,), }");
  EXPECT_EQ(header(files.at("t.npy")), "{'descr': '<U1', 'fortran_order': False, 'shape': (0,), }");
  EXPECT_EQ(header(files.at("m.npy")),
            "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }");
  EXPECT_EQ(data(files.at("m.npy")), "");
}

TEST(Npz, OfTheSameArraysHasTheSameBytes) {
  const auto bytes = [] {
    Npz npz;
    npz.add("a", std::vector<double>{1, 2});
    npz.add("b", std::vector<std::string>{"x"});
    return npz.bytes();
  };
  EXPECT_EQ(bytes(), bytes());
}

}  // namespace
}  // namespace rhc
