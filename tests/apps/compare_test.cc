#include <gtest/gtest.h>

#include "tests/apps/small_run.h"
#include "tests/sealed.h"

namespace rhc {
namespace {

class Compare : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TemporaryDirectory;
    for (const char* seed : {"1", "2"})
      for (const char* method : {"random", "rhc-evr"})
        explore_to_end(*dir_, "mountain-car", std::string("runs/") + method + seed,
                       {"--episodes", "1", "--seed", seed, "--method", method});
    std::filesystem::create_directory(dir_->path() / "empty");
  }
  static void TearDownTestSuite() { delete dir_; }

  static std::filesystem::path file(const std::string& name) { return dir_->path() / name; }

  static inline TemporaryDirectory* dir_;
};

TEST_F(Compare, PutsAFolderOfRunsIntoATableAndAPage) {
  const Outcome outcome = run({"compare", "runs"}, *dir_);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(contains(outcome.out, "mountain-car   random                       2       1"))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "mountain-car   rhc-evr                      2       1"))
      << outcome.out;
  EXPECT_TRUE(outcome.out.ends_with("\ncomparison: compare.html\n")) << outcome.out;
  EXPECT_TRUE(slurp(file("compare.html")).starts_with("<!doctype html>"));
}

TEST_F(Compare, TakesRunsByNameAndWritesWhereItIsTold) {
  const Outcome outcome =
      run({"compare", "runs/random1", "runs/random2", "--out", "two.html"}, *dir_);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(contains(outcome.out, "rhc-evr"));
  EXPECT_TRUE(outcome.out.ends_with("comparison: two.html\n")) << outcome.out;
  EXPECT_TRUE(std::filesystem::exists(file("two.html")));
}

TEST_F(Compare, CountsARunOnceHoweverOftenItIsNamed) {
  const Outcome outcome =
      run({"compare", "runs/random1", "runs/random1/", "--out", "once.html"}, *dir_);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.out, "random                       1       1")) << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "seed 1 of mountain-car random is there already"))
      << outcome.err;
}

TEST_F(Compare, RefusesAFolderWithoutRunsAndWritesNothing) {
  const Outcome outcome = run({"compare", "runs", "empty", "--out", "refused.html"}, *dir_);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "'empty' holds no run")) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_FALSE(std::filesystem::exists(file("refused.html")));
}

TEST_F(Compare, LeavesOutARunThatCannotBeUnderstoodAndSaysSo) {
  std::filesystem::copy(file("runs"), file("with"), std::filesystem::copy_options::recursive);
  dir_->write("with/random2/manifest.json", "{");
  const std::string why = "with/random2/manifest.json: not valid JSON";
  const Outcome others = run({"compare", "with", "--out", "others.html"}, *dir_);
  EXPECT_EQ(others.code, 1);
  EXPECT_TRUE(contains(others.err, "left out: " + why)) << others.err;
  EXPECT_TRUE(contains(slurp(file("others.html")), "left out: " + why));
  const Outcome named = run({"compare", "with/random2", "--out", "refused.html"}, *dir_);
  EXPECT_EQ(named.code, 2);
  EXPECT_TRUE(contains(named.err, why)) << named.err;
  EXPECT_FALSE(std::filesystem::exists(file("refused.html")));
}

TEST_F(Compare, TakesRowsThatAreLackingFromTheCheckpointAndSaysSo) {
  std::filesystem::copy(file("runs"), file("lacking"), std::filesystem::copy_options::recursive);
  std::filesystem::remove(file("lacking/random1/metrics.jsonl"));
  const Outcome outcome = run({"compare", "lacking", "--out", "lacking.html"}, *dir_);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.err,
                       "rhc: lacking/random1: metrics.jsonl has 0 of 2 rows; what it "
                       "lacks was taken from the checkpoint"))
      << outcome.err;
  EXPECT_EQ(outcome.out.substr(0, outcome.out.find("comparison")), [&] {
    const std::string whole = run({"compare", "runs", "--out", "whole.html"}, *dir_).out;
    return whole.substr(0, whole.find("comparison"));
  }());
}

TEST_F(Compare, PrefersAWholeRunToOneWhoseRowsAreNowhere) {
  std::filesystem::copy(file("runs/random1"), file("hollow"),
                        std::filesystem::copy_options::recursive);
  for (const char* name : {"hollow/metrics.jsonl", "hollow/checkpoint"})
    std::filesystem::remove(file(name));
  const Outcome outcome = run({"compare", "hollow", "runs/random1", "--out", "hollow.html"}, *dir_);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "left out: hollow: metrics.jsonl has 0 of 2 rows"))
      << outcome.err;
  EXPECT_FALSE(contains(outcome.err, "is there already")) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "random                       1       1")) << outcome.out;
}

TEST_F(Compare, WarnsOfDamageAndOfRunsThatWereKilled) {
  std::filesystem::copy(file("runs"), file("harmed"), std::filesystem::copy_options::recursive);
  dir_->write("harmed/random1/best_achievable.json", "{");
  std::string manifest = unsealed(slurp(file("harmed/random2/manifest.json")));
  manifest.replace(manifest.find("finished"), 8, "running");
  dir_->write("harmed/random2/manifest.json", manifest);
  const Outcome outcome = run({"compare", "harmed", "--out", "harmed.html"}, *dir_);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "rhc: damaged: harmed/random1/best_achievable.json"))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "rhc: harmed/random2: killed after episode 1 of 1"))
      << outcome.err;
}

TEST_F(Compare, ShowsTheRightResultsWhereAFileHasOthers) {
  const Outcome before = run({"compare", "runs/random1", "--out", "a.html"}, *dir_);
  std::filesystem::copy(file("runs/random1"), file("edited"),
                        std::filesystem::copy_options::recursive);
  replace_in(file("edited/metrics.jsonl"), "\"transitions\":0", "\"transitions\":7");
  const Outcome outcome = run({"compare", "edited", "--out", "b.html"}, *dir_);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "edited/metrics.jsonl:1: the row was changed")) << outcome.err;
  EXPECT_EQ(outcome.out.substr(0, outcome.out.find("comparison:")),
            before.out.substr(0, before.out.find("comparison:")));
}

TEST_F(Compare, SavesItsChartsAsPictures) {
  const Outcome outcome = run({"compare", "runs", "--out", "c.html", "--png", "pictures"}, *dir_);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "picture: pictures/")) << outcome.out;
  for (const auto& entry : std::filesystem::directory_iterator(file("pictures")))
    EXPECT_TRUE(slurp(entry.path()).starts_with("\x89PNG\r\n\x1a\n")) << entry.path();
}

TEST_F(Compare, SaysWhereItMayNotWrite) {
  const Outcome outcome = run({"compare", "runs", "--out", "/proc/compare.html"}, *dir_);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "cannot create '/proc/compare.html")) << outcome.err;
}

}  // namespace
}  // namespace rhc
