#include "rhc/store/validation_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rhc/core/error.h"

namespace rhc {
namespace {

ValidationRecord some_validation() {
  const auto some = [] { return Matrix(Matrix::Random(2, 3).cwiseAbs()); };
  return {.validation = {42, some(), some(), some()},
          .observations = {"cos_q1", "speed"},
          .logs = {"a.csv", "b.csv"},
          .transitions = 321};
}

TEST(ValidationFile, HasTheNumbersAtTheLastStepByTheNamesOfTheObservations) {
  const ValidationRecord record = some_validation();
  const Json json = validation_json(record);
  EXPECT_EQ(json["steps"], 3);
  EXPECT_EQ(json["points"], 42);
  EXPECT_EQ(json["observations"].size(), 2u);
  EXPECT_EQ(json["observations"]["speed"]["rmse"], record.validation.rmse(1, 2));
  EXPECT_EQ(json["observations"]["cos_q1"]["coverage"], record.validation.coverage(0, 2));
  EXPECT_EQ(json["observations"]["cos_q1"]["by_step"]["nothing_moves"][1],
            record.validation.nothing_moves(0, 1));
}

TEST(ValidationFile, ReadsWhatItWrote) {
  const ValidationRecord record = some_validation();
  const ValidationRecord read = parse_validation(validation_text(record), "validation.json");
  EXPECT_EQ(read.validation.points, 42);
  EXPECT_EQ(read.validation.rmse, record.validation.rmse);
  EXPECT_EQ(read.validation.nothing_moves, record.validation.nothing_moves);
  EXPECT_EQ(read.validation.coverage, record.validation.coverage);
  EXPECT_EQ(read.observations, record.observations);
  EXPECT_EQ(read.logs, record.logs);
  EXPECT_EQ(read.transitions, 321);
}

TEST(ValidationFile, ReadsForecastsThatRanAway) {
  ValidationRecord record = some_validation();
  record.validation.rmse(1, 2) = std::numeric_limits<double>::infinity();
  const ValidationRecord read = parse_validation(validation_text(record), "validation.json");
  EXPECT_TRUE(std::isnan(read.validation.rmse(1, 2)));
  EXPECT_EQ(read.validation.rmse(0, 2), record.validation.rmse(0, 2));
}

TEST(ValidationFile, RefusesWhatWasChanged) {
  std::string text = validation_text(some_validation());
  text.replace(text.find("42"), 2, "43");
  EXPECT_THROW(parse_validation(text, "validation.json"), InputError);
  EXPECT_THROW(parse_validation("{}", "validation.json"), InputError);
  EXPECT_THROW(parse_validation("[1]", "validation.json"), InputError);
  // Without a checksum all else is looked at.
  for (const char* part : {"\"observations\": 3", "\"observations\": {\"a\": 1}",
                           "\"observations\": {\"a\": {\"by_step\": {\"rmse\": [1]}}}",
                           "\"observations\": {\"a\": {\"by_step\": 1}}"})
    EXPECT_THROW(parse_validation(std::string(R"({"format": "rhc-validation", "format_version": 1,
                     "steps": 2, "points": 1, )") +
                                      part + "}",
                                  "validation.json"),
                 InputError)
        << part;
}

}  // namespace
}  // namespace rhc
