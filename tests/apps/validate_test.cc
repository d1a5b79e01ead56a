// `rhc validate`, as a person types it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/small_run.h"
#include "tests/rig.h"

namespace rhc {
namespace {

class ValidateCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TemporaryDirectory;
    small_run(*dir_);
    explore_to_end(*dir_, "pendulum", "other",
                   {"--episodes", "2", "--seed", "9", "--method", "random"});
  }
  static void TearDownTestSuite() { delete dir_; }

  static Outcome type(const Words& words) {
    Words all = {"validate"};
    all.insert(all.end(), words.begin(), words.end());
    return run(all, *dir_);
  }

  // What it says where it refuses.
  static std::string refusal(const Words& words) {
    const Outcome outcome = type(words);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    return outcome.err;
  }

  static inline TemporaryDirectory* dir_ = nullptr;
};

const std::string kLog = "other/episodes/0001.csv", kLog2 = "other/episodes/0002.csv";

TEST_F(ValidateCommand, PrintsOneObjectOfJson) {
  const Outcome outcome = type({"run", kLog, kLog2, "--steps", "5", "--every", "2", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const auto json = nlohmann::ordered_json::parse(outcome.out);
  EXPECT_EQ(json["steps"], 5);
  EXPECT_EQ(json["points"], 96);
  ASSERT_EQ(json["observations"].size(), 3u);
  for (const char* name : {"cos", "sin", "thetadot"}) {
    const auto& found = json["observations"].at(name);
    EXPECT_GT(found.at("rmse").get<double>(), 0) << name;
    EXPECT_GT(found.at("nothing_moves").get<double>(), 0) << name;
    EXPECT_GE(found.at("coverage").get<double>(), 0) << name;
    EXPECT_LE(found.at("coverage").get<double>(), 1) << name;
    EXPECT_EQ(found.at("by_step").at("rmse").size(), 5u) << name;
    EXPECT_EQ(found.at("by_step").at("rmse").back(), found.at("rmse")) << name;
  }
}

TEST_F(ValidateCommand, PrintsATableAndAVerdict) {
  const Outcome outcome = type({"run", kLog});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "91 forecasts of 10 steps, by a model of 200 transitions"))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "nothing moves   in 95 % band\ncos ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\nThe bands ")) << outcome.out;
  EXPECT_EQ(lines_in(outcome.out), 6u);
}

TEST_F(ValidateCommand, LeavesNothingBehindUnlessItIsToBeKept) {
  ASSERT_EQ(type({"run", kLog}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(dir_->path() / "run/validation.json"));
  const Outcome kept = type({"run", kLog, "--write"});
  EXPECT_EQ(kept.code, 0) << kept.err;
  EXPECT_TRUE(contains(kept.out, "written to run/validation.json; `rhc report run` shows it"));
  EXPECT_TRUE(std::filesystem::exists(dir_->path() / "run/validation.json"));
  EXPECT_FALSE(std::filesystem::exists(dir_->path() / "run/lock"));
  EXPECT_EQ(run({"inspect", "run"}, *dir_).code, 0);
}

TEST_F(ValidateCommand, SaysThatALogWasLearnedFrom) {
  const Outcome outcome = type({"run", "run/episodes/0001.csv"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.err, "rhc: run/episodes/0001.csv: the run has learned from it"))
      << outcome.err;
}

TEST_F(ValidateCommand, SaysWhatIsWrong) {
  EXPECT_TRUE(contains(refusal({"nowhere", kLog}), "'nowhere' is not a directory"));
  EXPECT_TRUE(contains(refusal({"run", "nothing.csv"}), "cannot open 'nothing.csv'"));
  EXPECT_TRUE(contains(refusal({"run"}), "logs is required"));
  EXPECT_TRUE(contains(refusal({"run", kLog, "--steps", "0"}), "--steps"));
  EXPECT_TRUE(contains(refusal({"run", kLog, "--every", "0"}), "--every"));
  EXPECT_TRUE(contains(refusal({"run", kLog, "--delay", "1"}), "--resample"));
  EXPECT_TRUE(contains(refusal({"run", kLog, "--steps", "200"}),
                       kLog + ": 101 rows are too few to forecast 200 steps"));
  dir_->write("short.csv", "cos,sin\n1,0\n");
  EXPECT_TRUE(contains(refusal({"run", "short.csv"}), "short.csv:1: the file has no column"));
  dir_->write("rig.toml", kRig);
  ASSERT_EQ(run({"new", "rig.toml", "--out", "lab", "features=20"}, *dir_).code, 0);
  dir_->write("m.csv", rig_log(Matrix::Random(1, 20)));
  EXPECT_TRUE(contains(refusal({"lab", "m.csv"}),
                       "'lab' has learned nothing yet, so there is no model to validate; `rhc tell "
                       "lab FILE` teaches it"));
}

}  // namespace
}  // namespace rhc
