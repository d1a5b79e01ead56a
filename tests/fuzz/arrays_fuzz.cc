// Arrays of numpy and MATLAB as a log.
#include "rhc/describe/log_file.h"
#include "rhc/describe/log_table.h"
#include "rhc/format/array_file.h"
#include "tests/fuzz/input.h"

using namespace rhc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(as_text(data, size));
  refused_or([&] { read_npz(bytes, "log.npz"); });
  refused_or([&] {
    // No more than a stream of deflate can hold.
    for (const NamedArray& array : read_mat(bytes, "log.mat"))
      promised(array.values.size() <= static_cast<Index>(2000 * size));
  });
  refused_or([&] {
    const std::string text = log_text(bytes, "log");
    if (text == bytes) return;
    // What was made a table of is one, unless names are there twice.
    const LogTable table(text, "log");
    promised(table.rows() > 1);
  });
  return 0;
}
