#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/apps/small_run.h"
#include "tests/rig.h"

namespace rhc {
namespace {

// The data inside a page.
nlohmann::json data_in(const std::filesystem::path& page) {
  const std::string text = slurp(page);
  const std::string mark = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = text.find(mark) + mark.size();
  return nlohmann::json::parse(text.substr(from, text.find("</script>", from) - from));
}

// As a shell would take the words.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : command)
    if (c == '\'')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

// Width and height of a PNG file, by its signature and header; 0 where it is none.
std::pair<int, int> size_of_png(const std::filesystem::path& file) {
  const std::string bytes = slurp(file);
  if (bytes.size() < 100 || !bytes.starts_with("\x89PNG\r\n\x1a\n") ||
      bytes.substr(12, 4) != "IHDR" || bytes.substr(bytes.size() - 8, 4) != "IEND")
    return {0, 0};
  const auto number = [&](std::size_t at) {
    int value = 0;
    for (std::size_t i = at; i < at + 4; ++i)
      value = value * 256 + static_cast<unsigned char>(bytes[i]);
    return value;
  };
  return {number(16), number(20)};
}

std::vector<std::string> lines_with(const std::string& text, const std::string& begin) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(begin)) found.push_back(line.substr(begin.size()));
  return found;
}

class Report : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TemporaryDirectory;
    explore_to_end(*dir_, "cartpole", "run",
                   {"--episodes", "2", "--seed", "5", "observation_noise=[0.01,0.02,0.02,0.1,0.2]",
                    "refit=never", "--method", "rhc-us"});
  }
  static void TearDownTestSuite() { delete dir_; }

  static std::filesystem::path file(const std::string& name) { return dir_->path() / name; }

  static inline TemporaryDirectory* dir_;
};

TEST_F(Report, IsThereWhenExploringEndsAndAgainWhenAskedFor) {
  const std::string first = slurp(file("run/report.html"));
  EXPECT_TRUE(first.starts_with("<!doctype html>"));
  std::filesystem::remove(file("run/report.html"));
  const Outcome outcome = run({"report", "run"}, *dir_);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "report: run/report.html\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(slurp(file("run/report.html")), first);
}

TEST_F(Report, IsWrittenElsewhereWhenAsked) {
  const Outcome outcome = run({"report", "run", "--out", "other page.html"}, *dir_);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "report: other page.html\n");
  EXPECT_EQ(data_in(file("other page.html"))["name"], "run");
}

TEST_F(Report, SaysWhereItMayNotWrite) {
  const Outcome outcome = run({"report", "run", "--out", "/proc/report.html"}, *dir_);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "cannot create '/proc/report.html")) << outcome.err;
}

TEST_F(Report, ShowsTheSamePlanesByAnyWayToTheRun) {
  for (const char* way : {"run/", "./run", "run/../run"})
    EXPECT_EQ(run({"report", way, "--out", "way.html"}, *dir_).code, 0) << way;
  EXPECT_EQ(data_in(file("way.html"))["name"], "run");
}

TEST_F(Report, ShowsThePlaneThatWasAskedFor) {
  const Outcome outcome = run({"report", "run", "--out", "p.html", "--plane", "angle, x"}, *dir_);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json data = data_in(file("p.html"));
  ASSERT_EQ(data["planes"].size(), 1u);
  EXPECT_EQ(data["coordinates"][data["planes"][0]["x"].get<std::size_t>()]["name"], "angle");
  EXPECT_EQ(data["coordinates"][data["planes"][0]["y"].get<std::size_t>()]["name"], "x");
}

TEST_F(Report, NamesTheVariablesAPlaneCanHave) {
  const Outcome outcome = run({"report", "run", "--out", "no.html", "--plane", "x,theta"}, *dir_);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "unknown variable 'theta'")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "(known: x, angle, xdot, thetadot)")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(file("no.html")));
}

TEST_F(Report, NamesTheCommandThatMakesTheSameRunAgain) {
  std::vector<std::string> words = words_of(data_in(file("run/report.html"))["reproduce"]);
  ASSERT_EQ(words[0], "rhc");
  words.erase(words.begin());
  words.insert(words.end(), {"--out", "again"});
  ASSERT_EQ(run(words, *dir_).code, 0);
  for (const char* name : {"config.toml", "model.json", "episodes/0001.csv", "episodes/0002.csv",
                           "predictions/0002.csv", "tasks/0002.csv", "beliefs.jsonl"})
    EXPECT_EQ(slurp(file("run") / name), slurp(file("again") / name)) << name;
}

TEST_F(Report, OfADamagedRunIsWrittenAndSaysWhatIsDamaged) {
  std::filesystem::copy(file("run"), file("damaged"), std::filesystem::copy_options::recursive);
  std::filesystem::resize_file(file("damaged/episodes/0002.csv"), 100);
  std::filesystem::resize_file(file("damaged/predictions/0002.csv"), 100);
  const Outcome outcome = run({"report", "damaged"}, *dir_);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json data = data_in(file("damaged/report.html"));
  for (const char* name : {"damaged/episodes/0002.csv", "damaged/predictions/0002.csv"}) {
    EXPECT_TRUE(contains(data["problems"].dump(), name)) << data["problems"];
    EXPECT_TRUE(contains(outcome.err, std::string("rhc: damaged: ") + name)) << outcome.err;
  }
}

TEST_F(Report, OfARunThatCannotBeUnderstoodIsRefused) {
  std::filesystem::create_directory(file("broken"));
  dir_->write("broken/manifest.json", "{");
  const Outcome outcome = run({"report", "broken"}, *dir_);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "broken/manifest.json: not valid JSON")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(file("broken/report.html")));
}

TEST_F(Report, SurvivesANameThatIsNoText) {
  const std::string name = "r\xff <b>";
  std::filesystem::copy(file("run"), file(name), std::filesystem::copy_options::recursive);
  EXPECT_EQ(run({"report", name}, *dir_).code, 0);
  EXPECT_EQ(data_in(file(name) / "report.html")["name"], "r\xef\xbf\xbd <b>");
}

TEST_F(Report, SavesItsChartsAsPictures) {
  const Outcome outcome = run({"report", "run", "--png", "some pictures/#1"}, *dir_);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto pictures = lines_with(outcome.out, "picture: ");
  EXPECT_GE(pictures.size(), 4u) << outcome.out;
  for (const std::string& picture : pictures) {
    const auto [width, height] = size_of_png(file(picture));
    EXPECT_TRUE(width >= 300 && height >= 100) << picture << ": " << width << " x " << height;
  }
}

TEST_F(Report, TakesTheChromiumThatIsNamed) {
  const Program named({"report", "run", "--png", "named"}, *dir_,
                      [] { setenv("CHROMIUM", "chromium", 1); });
  const Outcome outcome = named.wait();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(lines_with(outcome.out, "picture: ").empty());
}

TEST_F(Report, SaysHowToGetChromiumWhereThereIsNone) {
  const Program without({"report", "run", "--png", "none"}, *dir_, [] {
    setenv("PATH", "", 1);
    unsetenv("CHROMIUM");
  });
  const Outcome outcome = without.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "apt install chromium")) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "report: run/report.html")) << "the report itself needs none";
  EXPECT_FALSE(std::filesystem::exists(file("none")));
}

TEST_F(Report, SaysThatChromiumFails) {
  for (const char* program : {"/bin/false", "/bin/true", "/nowhere/chromium"}) {
    const Program failing({"report", "run", "--png", "none"}, *dir_,
                          [=] { setenv("CHROMIUM", program, 1); });
    const Outcome outcome = failing.wait();
    EXPECT_EQ(outcome.code, 1) << program;
    EXPECT_TRUE(contains(outcome.err, "failed") || contains(outcome.err, "drew no pictures"))
        << outcome.err;
  }
}

// As somebody types it who has rhc.
int in_shell(const TemporaryDirectory& dir, const std::string& words) {
  const std::string folder = std::filesystem::path(RHC_PROGRAM).parent_path().string();
  dir.write("again.sh", "PATH='" + folder + "':$PATH\n" + words + "\n");
  return std::system(
      ("cd '" + dir.path().string() + "' && sh again.sh >out.txt 2>err.txt").c_str());
}

TEST(Reproducing, MakesARunOfADescribedPlantAgain) {
  const TemporaryDirectory dir;
  ASSERT_EQ(run({"explore", "--command", RHC_PENDULUM_PLANT, "--out", "r", "--episodes", "2",
                 "features=20", "evidence_starts=2", "plan_starts=2", "task_starts=2",
                 "task_hops=0", "task_draws=0"},
                dir)
                .code,
            0);
  const std::string words = data_in(dir.path() / "r/report.html")["reproduce"].get<std::string>();
  EXPECT_EQ(words, "rhc explore --config 'r/config.toml'");
  ASSERT_EQ(in_shell(dir, words + " --out again"), 0) << slurp(dir.path() / "err.txt");
  EXPECT_EQ(slurp(dir.path() / "again/model.json"), slurp(dir.path() / "r/model.json"));
}

TEST(Reproducing, TellsTheSameExperimentsAgain) {
  const TemporaryDirectory dir;
  dir.write("rig.toml", kRig);
  dir.write("log.csv", rig_log(Matrix::Ones(1, 20)));
  ASSERT_EQ(run({"new", "rig.toml", "--out", "lab", "features=20", "evidence_starts=2"}, dir).code,
            0);
  ASSERT_EQ(run({"tell", "lab", "log.csv", "--import"}, dir).code, 0);
  ASSERT_EQ(run({"report", "lab"}, dir).code, 0);
  ASSERT_EQ(in_shell(dir, data_in(dir.path() / "lab/report.html")["reproduce"].get<std::string>()),
            0)
      << slurp(dir.path() / "err.txt");
  EXPECT_EQ(slurp(dir.path() / "lab-again/model.json"), slurp(dir.path() / "lab/model.json"));
}

}  // namespace
}  // namespace rhc
