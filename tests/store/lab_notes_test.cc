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
                               .information = 1.25,
                               .plan_status = "converged",
                               .asked = "2026-01-01T00:00:00Z",
                               .told = "2026-01-02T00:00:00Z",
                               .source = "a \"file\".csv"});
  notes.experiments.push_back({.state = ExperimentState::imported});
  const TemporaryDirectory dir;
  const LabNotes read = read_notes(dir.write("n.json", notes_json(notes)));
  EXPECT_EQ(notes_json(read), notes_json(notes));
  EXPECT_EQ(read[1].start, notes[1].start);
  EXPECT_EQ(read[2].state, ExperimentState::imported);
}

TEST(LabNotes, NameWhatIsWrong) {
  const TemporaryDirectory dir;
  const auto message = [&](const std::string& text) {
    const std::string file = dir.write("n.json", text);
    return message_of<InputError>([&] { read_notes(file); });
  };
  EXPECT_NE(message("{}"), "");
  EXPECT_NE(message(R"({"format": "rhc-experiments", "format_version": 9})").find("newer rhc"),
            std::string::npos);
  EXPECT_NE(message(R"({"format": "rhc-experiments", "format_version": 1, "relearn": false,
                        "experiments": [{"experiment": 1, "state": "askd"}]})")
                .find("did you mean 'asked'?"),
            std::string::npos);
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
