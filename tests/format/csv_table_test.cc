#include "rhc/format/csv_table.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/core/random.h"
#include "rhc/system/cartpole.h"
#include "rhc/system/pendulum.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

TEST(CsvTable, ReadsColumnsByName) {
  const TemporaryDirectory dir;
  const CsvTable table(dir.write("t.csv", "\xEF\xBB\xBF\"b\", a\r\n1,2\r\n\r\n3,-4.5e1\r\n"));
  Matrix expected(2, 2);
  expected << 2, 1, -45, 3;
  EXPECT_EQ(table.numbers({"a", "b"}), expected);
}

TEST(CsvTable, NamesFileLineAndColumnOfABadCell) {
  const TemporaryDirectory dir;
  for (const char* cell : {"x", "", "nan", "inf", "1;2"}) {
    const std::string file = dir.write("t.csv", std::string("a,b\n1,2\n3,") + cell + "\n");
    const std::string message = message_of<InputError>([&] { CsvTable(file).numbers({"a", "b"}); });
    EXPECT_EQ(message, file + ":3: column 'b': '" + cell + "' is not a finite number");
  }
}

TEST(CsvTable, NamesMissingColumnsAndCells) {
  const TemporaryDirectory dir;
  const std::string file = dir.write("t.csv", "a,b\n1,2\n");
  EXPECT_EQ(message_of<InputError>([&] { CsvTable(file).numbers({"c"}); }),
            file + ":1: column 'c' is missing; the file has: a, b");
  const std::string ragged = dir.write("r.csv", "a,b\n1,2\n1\n");
  EXPECT_EQ(message_of<InputError>([&] { const CsvTable table(ragged); }),
            ragged + ":3: 1 cells, but the header names 2 columns (a, b)");
  const std::string empty = dir.write("e.csv", "\n\n");
  EXPECT_EQ(message_of<InputError>([&] { const CsvTable table(empty); }),
            empty + ": the file is empty");
}

TEST(CsvTable, RecognisesUtf16) {
  EXPECT_EQ(message_of<InputError>(
                [] { const CsvTable table(std::string_view("\xFE\xFF\0a", 4), "t.csv", {}); }),
            "t.csv: the file is in UTF-16; save it as UTF-8, or convert it by `iconv -f UTF-16 -t "
            "UTF-8`");
}

}  // namespace
}  // namespace rhc
