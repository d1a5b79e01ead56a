#include "rhc/run/learned_model.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/format/files.h"
#include "rhc/store/model_file.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

class LearnedModel : public testing::Test {
 protected:
  LearnedModel() : run(dir.path() / "run") { copy_sample_run(run); }

  TemporaryDirectory dir;
  const std::filesystem::path run;
};

TEST_F(LearnedModel, IsTheOneThatTheRunWrote) {
  EXPECT_EQ(model_json(learned_model(read_run(run))->regression), read_text(run / "model.json"));
}

TEST_F(LearnedModel, DoesNotDependOnTheFileThatPeopleRead) {
  const std::string before = read_text(run / "model.json");
  write_atomically(run / "model.json", "{}");
  EXPECT_EQ(model_json(learned_model(read_run(run))->regression), before);
}

TEST_F(LearnedModel, IsRefusedWhereTheCheckpointOrItsDataAreDamaged) {
  const std::string episode = read_text(run / "episodes/0002.csv");
  write_atomically(run / "episodes/0002.csv", episode + "\n");
  EXPECT_NE(message_of<InputError>([&] { learned_model(read_run(run)); }).find("episodes/0002.csv"),
            std::string::npos);
  write_atomically(run / "episodes/0002.csv", episode);
  write_atomically(run / "checkpoint", "nonsense");
  EXPECT_NE(message_of<InputError>([&] { learned_model(read_run(run)); }).find("checkpoint"),
            std::string::npos);
}

TEST_F(LearnedModel, IsNoneBeforeAnyData) {
  explore(dir.path() / "none", tiny_config("pendulum", 0));
  EXPECT_FALSE(learned_model(read_run(dir.path() / "none")));
}

}  // namespace
}  // namespace rhc
