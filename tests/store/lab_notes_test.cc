#include "rhc/store/lab_notes.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

TEST(LabNotes, ReadBackAsTheyWereWritten) {
  LabNotes notes;
  notes.relearn = true;
  notes.experiments.push_back({.state = ExperimentState::forgotten,
                               .start = Eigen::Vector2d(0.1, -1e-300),
                               .past_observations = Matrix{{0.1, 0.2}, {-1, 1e-300}},
                               .past_actions = Matrix{{0.3, -0.4}},
                               .information = 1.25,
                               .plan_status = "converged",
                               .asked = "2026-01-01T00:00:00Z",
                               .told = "2026-01-02T00:00:00Z",
                               .source = "a \"file\".csv"});
  notes.revision = 7;
  notes.experiments.push_back(
      {.state = ExperimentState::imported,
       .description = 3,
       .files = {{"plans/0002.csv", 0xdeadbeef}, {"measured/0002.csv", 1}}});
  const LabNotes read = parse_notes(notes_json(notes), "n.json");
  EXPECT_EQ(notes_json(read), notes_json(notes));
  EXPECT_EQ(read[1].start, notes[1].start);
  EXPECT_EQ(read[1].past_observations, notes[1].past_observations);
  EXPECT_EQ(read[1].past_actions, notes[1].past_actions);
  EXPECT_EQ(read[2].state, ExperimentState::imported);
  EXPECT_EQ(read[2].files, notes[2].files);
  EXPECT_EQ(read.revision, 7);
}

TEST(LabNotes, NameWhatIsWrong) {
  const auto message = [&](const std::string& text) {
    return message_of<InputError>([&] { parse_notes(text, "n.json"); });
  };
  EXPECT_NE(message("{}"), "");
  EXPECT_NE(message(R"({"format": "rhc-experiments", "format_version": 9})").find("newer rhc"),
            std::string::npos);
  EXPECT_NE(message(R"({"format": "rhc-experiments", "format_version": 1, "relearn": false,
                        "experiments": [{"experiment": 1, "state": "askd"}]})")
                .find("did you mean 'asked'?"),
            std::string::npos);
}

TEST(LabNotes, KnowThatTheyWereChanged) {
  LabNotes notes;
  notes.experiments.push_back({.state = ExperimentState::told, .information = 1.25});
  std::string text = notes_json(notes);
  text.replace(text.find("1.25"), 4, "1.35");
  EXPECT_EQ(message_of<InputError>([&] { parse_notes(text, "n.json"); }),
            "n.json: the file was changed after it was written");
}

TEST(LabNotes, AreTheSameWheneverTheyWereWrittenWithoutTheirTimes) {
  LabNotes early, late;
  early.experiments.push_back({.asked = "2026-01-01T00:00:00Z"});
  late.experiments.push_back({.asked = "2026-01-02T00:00:00Z", .told = "2026-01-03T00:00:00Z"});
  EXPECT_EQ(notes_json(without_times(early)), notes_json(without_times(late)));
}

TEST(LabNotes, KnowTheNumbersThereAre) {
  LabNotes notes;
  EXPECT_NE(message_of<InputError>([&] { notes[1]; }).find("none was asked for yet"),
            std::string::npos);
  notes.experiments.emplace_back();
  EXPECT_NE(message_of<InputError>([&] { notes[2]; }).find("numbered from 1 to 1"),
            std::string::npos);
}

}  // namespace
}  // namespace rhc
