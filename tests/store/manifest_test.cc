#include "rhc/store/manifest.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "rhc/core/error.h"
#include "rhc/core/version.h"
#include "tests/sealed.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

Manifest some_manifest() {
  return {.rhc = "9.8.7",
          .commit = "0123abc-dirty",
          .compiler = "some \"compiler\"",
          .cpu = "a chip",
          .system = "cartpole",
          .method = "rhc-us",
          .seed = 9'223'372'036'854'775'807u,
          .episodes = 20,
          .episodes_done = 3,
          .status = "failed: cannot write 'r/model.json'",
          .started = "2031-01-01T00:00:00Z",
          .ended = "2030-01-01T00:00:00Z",
          .seconds = 12.0625,
          .cpu_seconds = 48.125,
          .resumed = 4};
}

Manifest through_file(const Manifest& manifest) {
  const TemporaryDirectory dir;
  return read_manifest(dir.write("manifest.json", manifest_json(manifest)));
}

std::string refusal_of_manifest(const nlohmann::json& json) {
  const TemporaryDirectory dir;
  const std::string file = dir.write("manifest.json", json.dump());
  return message_of<InputError>([&] { read_manifest(file); }).substr(file.size());
}

TEST(Manifest, ThatIsDamagedSaysWhatCanBeDone) {
  const TemporaryDirectory dir;
  const std::string whole = manifest_json(some_manifest());
  const std::string file = dir.write("manifest.json", whole.substr(0, whole.size() / 2));
  const std::string said = message_of<InputError>([&] { read_manifest(file); });
  EXPECT_TRUE(said.starts_with(file + ": not valid JSON: ")) << said;
  EXPECT_TRUE(said.ends_with(
      "; the run's manifest is damaged: put a copy of it back, or repeat the "
      "run by `rhc explore --config " +
      (dir.path() / "config.toml").string() + "` (a run of a sweep: by `rhc sweep FILE --retry`)"))
      << said;
}

TEST(Manifest, ReadsBackAsItWasWritten) {
  const Manifest manifest = some_manifest(), read = through_file(manifest);
  EXPECT_EQ(read.rhc, manifest.rhc);
  EXPECT_EQ(read.commit, manifest.commit);
  EXPECT_EQ(read.compiler, manifest.compiler);
  EXPECT_EQ(read.cpu, manifest.cpu);
  EXPECT_EQ(read.system, manifest.system);
  EXPECT_EQ(read.method, manifest.method);
  EXPECT_EQ(read.seed, manifest.seed);
  EXPECT_EQ(read.episodes, manifest.episodes);
  EXPECT_EQ(read.episodes_done, manifest.episodes_done);
  EXPECT_EQ(read.status, manifest.status);
  EXPECT_EQ(read.seconds, manifest.seconds);
  EXPECT_EQ(read.cpu_seconds, manifest.cpu_seconds);
  EXPECT_EQ(read.resumed, manifest.resumed);
}

// The clock on the wall may have been set back while the run went on.
TEST(Manifest, KeepsAnEndBeforeTheStart) {
  const Manifest read = through_file(some_manifest());
  EXPECT_EQ(read.started, "2031-01-01T00:00:00Z");
  EXPECT_EQ(read.ended, "2030-01-01T00:00:00Z");
}

TEST(Manifest, OfARunThatGoesOnHasNoEnd) {
  Manifest manifest = some_manifest();
  manifest.ended.reset();
  EXPECT_FALSE(through_file(manifest).ended.has_value());
}

TEST(Manifest, OfANewRunSaysWhoMadeIt) {
  Config config;
  config.system = "cartpole";
  config.seed = 5;
  const Manifest manifest = new_manifest(config);
  EXPECT_EQ(manifest.rhc, version());
  EXPECT_EQ(manifest.commit, commit());
  EXPECT_EQ(manifest.system, "cartpole");
  EXPECT_EQ(manifest.seed, 5u);
  EXPECT_EQ(manifest.status, "running");
  EXPECT_FALSE(manifest.compiler.empty() || manifest.cpu.empty());
  EXPECT_TRUE(std::regex_match(manifest.started, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")))
      << manifest.started;
}

TEST(Manifest, NamesAKeyThatIsMissing) {
  const auto whole = nlohmann::json::parse(unsealed(manifest_json(some_manifest())));
  for (const auto& [key, value] : whole.items()) {
    if (key == "format" || key == "commit" || key == "cpu_seconds") continue;
    auto without = whole;
    without.erase(key);
    EXPECT_EQ(refusal_of_manifest(without), ": \"" + key + "\" is missing");
  }
}

TEST(Manifest, OfAnOlderRunSaysNothingOfItsCommitAndItsComputing) {
  auto json = nlohmann::json::parse(unsealed(manifest_json(some_manifest())));
  json.erase("commit");
  json.erase("cpu_seconds");
  const TemporaryDirectory dir;
  const Manifest read = read_manifest(dir.write("manifest.json", json.dump()));
  EXPECT_EQ(read.commit, "");
  EXPECT_EQ(read.cpu_seconds, 0);
  EXPECT_EQ(read.seconds, 12.0625);
}

TEST(Manifest, KnowsThatItWasChanged) {
  std::string text = manifest_json(some_manifest());
  const std::size_t at = text.find("12.0625");
  ASSERT_NE(at, std::string::npos);
  text[at] = '2';
  const TemporaryDirectory dir;
  const std::string file = dir.write("manifest.json", text);
  EXPECT_TRUE(message_of<InputError>([&] {
                read_manifest(file);
              }).starts_with(file + ": the file was changed after it was written; "));
}

TEST(Manifest, RefusesANewerFormatWhateverItsNumber) {
  auto json = nlohmann::json::parse(unsealed(manifest_json(some_manifest())));
  json["format_version"] = 2;
  EXPECT_EQ(refusal_of_manifest(json),
            ": written in format 2, this program reads up to 1; use a newer rhc");
  json["format_version"] = 4294967297;  // one, to whom keeps only 32 bits
  EXPECT_EQ(refusal_of_manifest(json),
            ": written in format 4294967297, this program reads up to 1; use a newer rhc");
}

TEST(Manifest, RefusesAFileOfAnotherKind) {
  EXPECT_EQ(refusal_of_manifest({{"format", "rhc-model"}, {"format_version", 1}}),
            ": this is not a run's manifest (\"format\" is not \"rhc-run\")");
}

TEST(Manifest, RefusesASeedThatIsNone) {
  auto json = nlohmann::json::parse(unsealed(manifest_json(some_manifest())));
  for (const nlohmann::json& seed :
       {nlohmann::json(-1), nlohmann::json(0.5), nlohmann::json("1")}) {
    json["seed"] = seed;
    EXPECT_EQ(refusal_of_manifest(json), ": \"seed\" must be a whole number not below 0") << seed;
  }
}

// A path that is no text may stand in the reason why a run failed.
TEST(Manifest, IsWrittenWhateverBytesTheStatusHolds) {
  Manifest manifest = some_manifest();
  manifest.status = "failed: cannot write 'r\xff/model.json'";
  EXPECT_TRUE(through_file(manifest).status.starts_with("failed: cannot write 'r"));
}

}  // namespace
}  // namespace rhc
