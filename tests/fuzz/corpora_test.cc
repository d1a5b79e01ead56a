// What the fuzzers begin with, through the same readers: nothing is made up here, but sanitizers
// see it.
#include <gtest/gtest.h>

#include "tests/temporary_directory.h"

// The bodies of the fuzzers, each under its own name.
#define RHC_FUZZER(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size)
RHC_FUZZER(channel);
RHC_FUZZER(csv);
RHC_FUZZER(arrays);
RHC_FUZZER(system_file);
RHC_FUZZER(problem);
RHC_FUZZER(protocol);
RHC_FUZZER(checkpoint);
RHC_FUZZER(http);

namespace rhc {
namespace {

void read_all(const char* name, int (*read)(const std::uint8_t*, std::size_t)) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(RHC_CORPORA) / name)) {
    const std::string bytes = slurp(entry.path());
    SCOPED_TRACE(entry.path());
    EXPECT_EQ(read(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
    ++files;
  }
  EXPECT_GT(files, 0);
}

TEST(Corpora, OfFrames) { read_all("channel", fuzz_channel); }
TEST(Corpora, OfTables) { read_all("csv", fuzz_csv); }
TEST(Corpora, OfArrays) { read_all("arrays", fuzz_arrays); }
TEST(Corpora, OfSystems) { read_all("system_file", fuzz_system_file); }
TEST(Corpora, OfProblems) { read_all("problem", fuzz_problem); }
TEST(Corpora, OfAnswersOfPlants) { read_all("protocol", fuzz_protocol); }
TEST(Corpora, OfCheckpoints) { read_all("checkpoint", fuzz_checkpoint); }
TEST(Corpora, OfRequests) { read_all("http", fuzz_http); }

}  // namespace
}  // namespace rhc
