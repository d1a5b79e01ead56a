#include "rhc/format/array_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rhc/core/error.h"
#include "rhc/format/csv_table.h"
#include "rhc/format/files.h"
#include "rhc/format/npz.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

// Files that numpy and scipy wrote: tests/data/logs/make_logs.py.
std::string bytes_of_log(const std::string& file) {
  return read_text(std::string(RHC_TEST_DATA) + "/logs/" + file);
}

std::vector<NamedArray> arrays_of(const std::string& bytes) {
  return is_npz(bytes) ? read_npz(bytes, "log") : read_mat(bytes, "log");
}

const Matrix& array_called(const std::vector<NamedArray>& arrays, const std::string& name) {
  for (const NamedArray& array : arrays)
    if (array.name == name) return array.values;
  throw std::runtime_error("no array " + name);
}

class Logs : public testing::TestWithParam<const char*> {};

TEST_P(Logs, AreReadAsTheyWereWritten) {
  const CsvTable table(table_of(arrays_of(bytes_of_log(GetParam())), "log"), "log", {});
  const Matrix log = table.numbers({"time", "theta", "thetadot", "torque"});
  ASSERT_EQ(log.rows(), 21);
  for (Index r = 0; r < log.rows(); ++r) {
    EXPECT_EQ(log(r, 0), 0.08 * static_cast<double>(r));
    EXPECT_NEAR(log(r, 1), std::sin(0.1 * static_cast<double>(r)), 1e-15);
    EXPECT_NEAR(log(r, 2), std::cos(0.1 * static_cast<double>(r)), 1e-7);
    EXPECT_EQ(log(r, 3), static_cast<double>(r % 3 - 1));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Logs,
                         testing::Values("log.npz", "packed.npz", "log.mat", "packed.mat",
                                         "structure.mat"));

TEST(ArrayFile, MakesColumnsOfAMatrix) {
  for (const char* file : {"packed.npz", "fortran.npz"}) {
    const CsvTable table(table_of(arrays_of(bytes_of_log(file)), "log"), "log", {});
    const Matrix pair = table.numbers({"pair_1", "pair_2"});
    for (Index r = 0; r < pair.rows(); ++r) {
      EXPECT_EQ(pair(r, 0), static_cast<double>(r));
      EXPECT_EQ(pair(r, 1), -static_cast<double>(r));
    }
  }
}

TEST(ArrayFile, PassesOverWhatIsNoArrayOfRealNumbers) {
  for (const char* file : {"packed.npz", "packed.mat"}) {
    const auto arrays = arrays_of(bytes_of_log(file));
    EXPECT_EQ(array_called(arrays, "gain").size(), 1);
    for (const NamedArray& array : arrays)
      EXPECT_TRUE(array.name != "note" && array.name != "complex") << array.name;
  }
}

TEST(ArrayFile, ReadsWhatRhcExports) {
  Npz npz;
  npz.add("a", std::vector<double>{1, 2, 3});
  npz.add("b", std::vector<std::int64_t>{-1, 0, 5});
  EXPECT_EQ(table_of(read_npz(npz.bytes(), "r"), "r"), "a,b\n1,-1\n2,0\n3,5\n");
}

TEST(ArrayFile, SaysWhatItFoundWhereThatIsNoLog) {
  Npz npz;
  npz.add("theta", std::vector<double>{1, 2, 3});
  npz.add("gain", std::vector<double>{2});
  EXPECT_EQ(message_of<InputError>([&] { table_of(read_npz(npz.bytes(), "r.npz"), "r.npz"); }),
            "r.npz: a log needs arrays of one length, such as time, angle and torque; the file "
            "has: theta (3 x 1), gain (1 x 1)");
}

// Cut at every byte, and with every byte replaced: read, or refused with an InputError.
TEST(ArrayFile, RefusesWhatIsDamaged) {
  for (const char* file : {"log.npz", "packed.npz", "log.mat", "structure.mat"}) {
    const std::string whole = bytes_of_log(file);
    const auto read = [&](const std::string& bytes) {
      try {
        if (is_npz(bytes) || is_mat(bytes)) table_of(arrays_of(bytes), "log");
      } catch (const InputError& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("log: ")) << error.what();
      }
    };
    for (std::size_t n = 0; n < whole.size(); ++n) {
      read(whole.substr(0, n));
      for (const char replaced : {'\0', '\xff'}) {
        std::string damaged = whole;
        damaged[n] = replaced;
        read(damaged);
      }
    }
  }
}

}  // namespace
}  // namespace rhc
