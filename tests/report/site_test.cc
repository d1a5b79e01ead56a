#include "rhc/report/site.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "rhc/core/error.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

HttpAnswer get(Site& site, const std::string& path, const std::string& known = "") {
  return site.answer({.path = path, .host = "127.0.0.1:8642", .if_none_match = known});
}

Json json_at(Site& site, const std::string& path) {
  const HttpAnswer answer = get(site, path);
  EXPECT_EQ(answer.status, 200) << path << ": " << answer.body;
  EXPECT_EQ(answer.type, "application/json; charset=utf-8");
  return Json::parse(answer.body);
}

std::vector<std::string> paths_in(const Json& runs) {
  std::vector<std::string> paths;
  for (const Json& run : runs["runs"]) paths.push_back(run["path"]);
  return paths;
}

using Paths = std::vector<std::string>;

// A folder with two runs, and beside it a secret:
//   outside/secret.txt, outside/run; folder/a, folder/below/b, folder/notes.txt
class SiteTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    made_ = new TemporaryDirectory;
    explored(made_->path() / "run", small_config("mountain-car", 2));
  }
  static void TearDownTestSuite() { delete made_; }

  SiteTest() {
    std::filesystem::create_directories(folder() / "below");
    std::filesystem::create_directories(outside());
    for (const auto& to : {folder() / "a", folder() / "below/b", outside() / "run"}) copy_run(to);
    std::ofstream(folder() / "notes.txt") << "mine";
    std::ofstream(outside() / "secret.txt") << "secret";
  }

  static void copy_run(const std::filesystem::path& to) {
    std::filesystem::copy(made_->path() / "run", to, std::filesystem::copy_options::recursive);
  }
  std::filesystem::path folder() const { return dir_.path() / "folder"; }
  std::filesystem::path outside() const { return dir_.path() / "outside"; }

  static inline TemporaryDirectory* made_;
  const TemporaryDirectory dir_;
};

TEST_F(SiteTest, ListsTheRunsBelowTheFolder) {
  Site site(folder(), 1);
  const Json runs = json_at(site, "/runs.json");
  EXPECT_EQ(runs["kind"], "runs");
  EXPECT_EQ(runs["folder"], "folder");
  EXPECT_EQ(paths_in(runs), (Paths{"a", "below/b"}));
  EXPECT_TRUE(runs["problems"].empty());
  const Json& run = runs["runs"][0];
  EXPECT_EQ(run["system"], "mountain-car");
  EXPECT_EQ(run["episodes_done"], 2);
  EXPECT_EQ(run["status"], "finished");
  std::istringstream metrics(slurp(folder() / "a/metrics.jsonl"));
  std::string last;
  for (std::string line; std::getline(metrics, line);) last = line;
  EXPECT_EQ(run["task_cost"], Json::parse(last)["task_cost"]);
}

TEST_F(SiteTest, ServesPagesOfTheListAndOfARun) {
  Site site(folder(), 1);
  for (const char* path : {"/", "/run/a/", "/run/below/b/"}) {
    const HttpAnswer answer = get(site, path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(answer.type, "text/html; charset=utf-8");
    EXPECT_TRUE(answer.body.starts_with("<!doctype html>"));
  }
  EXPECT_NE(get(site, "/run/below/b/").body.find("<title>b</title>"), std::string::npos);
}

TEST_F(SiteTest, ServesTheDataThatThePageAsksForWhileItIsOpen) {
  Site site(folder(), 1);
  const Json data = json_at(site, "/run/below/b/data.json");
  EXPECT_EQ(data["name"], "b");
  EXPECT_EQ(data["live"], "data.json");
  EXPECT_EQ(data["metrics"].size(), 3u);
}

TEST_F(SiteTest, ServesFilesAsTheyAre) {
  Site site(folder(), 1);
  for (const auto& [name, type] : {std::pair("a/config.toml", "text/plain; charset=utf-8"),
                                   std::pair("a/manifest.json", "application/json; charset=utf-8"),
                                   std::pair("a/episodes/0001.csv", "text/plain; charset=utf-8"),
                                   std::pair("a/checkpoint", "application/octet-stream"),
                                   std::pair("notes.txt", "text/plain; charset=utf-8")}) {
    const HttpAnswer answer = get(site, std::string("/files/") + name);
    EXPECT_EQ(answer.status, 200) << name;
    EXPECT_EQ(answer.type, type) << name;
    EXPECT_EQ(answer.body, slurp(folder() / name)) << name;
  }
}

TEST_F(SiteTest, NeverLeavesItsFolder) {
  std::filesystem::create_symlink("../outside", folder() / "link");
  std::filesystem::create_symlink("../outside/secret.txt", folder() / "link.txt");
  std::filesystem::create_symlink(dir_.path(), folder() / "up");
  std::filesystem::copy(folder() / "notes.txt", dir_.path() / "folder2");
  Site site(folder(), 1);
  const std::string secret = (outside() / "secret.txt").string();
  for (const std::string& path : {std::string("/files/../outside/secret.txt"),
                                  std::string("/files/a/../../outside/secret.txt"),
                                  std::string("/files/./.././outside/secret.txt"),
                                  "/files/" + secret,
                                  "/files//" + secret,
                                  "/files/../../../../../../../.." + secret,
                                  std::string("/files/link/secret.txt"),
                                  std::string("/files/link.txt"),
                                  std::string("/files/up/outside/secret.txt"),
                                  std::string("/files/a/../link.txt"),
                                  std::string("/files/../folder2"),
                                  std::string("/files/..\\outside\\secret.txt"),
                                  std::string("/../outside/secret.txt"),
                                  std::string("/run/../outside/run/"),
                                  std::string("/run/../outside/run/data.json"),
                                  std::string("/run/link/run/"),
                                  std::string("/run/link/run/data.json"),
                                  "/run/" + (outside() / "run").string() + "/",
                                  std::string("/files/up/folder/../outside/secret.txt"),
                                  std::string("/files/%2e%2e/outside/secret.txt")}) {
    const HttpAnswer answer = get(site, path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_EQ(answer.body.find("secret\n"), std::string::npos) << path;
    EXPECT_LT(answer.body.size(), 200u) << path;
  }
}

TEST_F(SiteTest, RefusesNamesWithANul) {
  Site site(folder(), 1);
  using namespace std::string_literals;
  for (const std::string& path : {"/files/notes.txt\0.png"s, "/files/\0"s, "/run/a\0/"s, "\0"s})
    EXPECT_EQ(get(site, path).status, 400);
}

TEST_F(SiteTest, FollowsLinksThatStayInside) {
  std::filesystem::create_symlink("below/b", folder() / "link");
  std::filesystem::create_symlink("a/config.toml", folder() / "settings");
  Site site(folder(), 1);
  EXPECT_EQ(get(site, "/files/settings").body, slurp(folder() / "a/config.toml"));
  EXPECT_EQ(json_at(site, "/run/link/data.json")["name"], "b");
  EXPECT_EQ(paths_in(json_at(site, "/runs.json")), (Paths{"a", "below/b"})) << "each run once";
}

TEST_F(SiteTest, OfALinkedFolderIsTheFolder) {
  std::filesystem::create_directory_symlink(folder(), dir_.path() / "linked");
  Site site(dir_.path() / "linked", 1);
  EXPECT_EQ(paths_in(json_at(site, "/runs.json")), (Paths{"a", "below/b"}));
  EXPECT_EQ(get(site, "/run/a/data.json").status, 200);
}

TEST_F(SiteTest, SurvivesLinksInACircle) {
  std::filesystem::create_directory_symlink(".", folder() / "self");
  std::filesystem::create_symlink("loop", folder() / "loop");
  Site site(folder(), 1);
  EXPECT_EQ(paths_in(json_at(site, "/runs.json")), (Paths{"a", "below/b"}));
  EXPECT_EQ(get(site, "/files/loop").status, 404);
}

TEST_F(SiteTest, ReadsPlainFilesOnly) {
  ASSERT_EQ(mkfifo((folder() / "pipe").c_str(), 0600), 0);
  Site site(folder(), 1);
  for (const char* path : {"/files/pipe", "/files/", "/files/a", "/files/a/", "/files/nothing"})
    EXPECT_EQ(get(site, path).status, 404) << path;
}

TEST_F(SiteTest, AnswersToThisMachinesNamesOnly) {
  Site site(folder(), 1);
  const auto status = [&](const std::string& host) {
    return site.answer({.path = "/runs.json", .host = host}).status;
  };
  for (const char* host :
       {"127.0.0.1", "127.0.0.1:8642", "localhost", "localhost:1", "[::1]:80", "[::1]"})
    EXPECT_EQ(status(host), 200) << host;
  for (const char* host :
       {"", ":", "evil.example", "evil.example:8642", "127.0.0.1.evil.example",
        "localhost.evil.example:80", "evil.example:127.0.0.1", "0.0.0.0:8642",
        "127.0.0.1:8642:evil", "192.168.0.1", "[::1].evil.example", "127.0.0.1@evil"})
    EXPECT_EQ(status(host), 403) << host;
}

TEST_F(SiteTest, OnlyReads) {
  Site site(folder(), 1);
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", ""})
    EXPECT_EQ(site.answer({.method = method, .path = "/", .host = "localhost"}).status, 405)
        << method;
  EXPECT_EQ(site.answer({.method = "HEAD", .path = "/runs.json", .host = "localhost"}).status, 200);
}

TEST_F(SiteTest, SaysWhenNothingHasChanged) {
  Site site(folder(), 1);
  for (const char* path : {"/runs.json", "/run/a/data.json"}) {
    const HttpAnswer first = get(site, path);
    ASSERT_FALSE(first.etag.empty()) << path;
    const HttpAnswer again = get(site, path, first.etag);
    EXPECT_EQ(again.status, 304) << path;
    EXPECT_EQ(again.body, "");
    EXPECT_EQ(again.etag, first.etag);
    EXPECT_EQ(get(site, path, "\"other\"").status, 200) << path;
  }
  EXPECT_NE(get(site, "/run/a/data.json").etag, get(site, "/run/below/b/data.json").etag);
}

TEST_F(SiteTest, FollowsARunThatGoesOn) {
  const Config config = without_evaluation(small_config("mountain-car", 2));
  RunDirectory going(folder() / "going", config);
  Site site(folder(), 1);
  std::string known;
  int changes = 0;
  const auto look = [&](const char* status, int done) {
    const HttpAnswer answer = get(site, "/run/going/data.json", known);
    ASSERT_EQ(answer.status, 200);
    known = answer.etag;
    ++changes;
    const Json data = Json::parse(answer.body);
    EXPECT_EQ(data["manifest"]["status"], status);
    EXPECT_EQ(data["manifest"]["episodes_done"], done);
    EXPECT_TRUE(data["problems"].empty()) << data["problems"];
    EXPECT_EQ(get(site, "/run/going/data.json", known).status, 304);
    const Json row = json_at(site, "/runs.json")["runs"][2];
    EXPECT_EQ(row["path"], "going");
    EXPECT_EQ(row["status"], status);
    EXPECT_EQ(row["episodes_done"], done);
  };
  look("running", 0);
  RunEvents events;
  events.on_row = [&](const MetricsRow& row) { look("running", row.episode); };
  explore_run(make_system(config.system), going, 1, events);
  look("finished", 2);
  EXPECT_EQ(changes, 5);
}

TEST_F(SiteTest, NoticesThatARunWasKilled) {
  Site site(folder(), 1);
  {
    RunDirectory going(folder() / "going", small_config("pendulum", 2));
    EXPECT_EQ(json_at(site, "/run/going/data.json")["manifest"]["status"], "running");
    EXPECT_EQ(json_at(site, "/runs.json")["runs"][2]["status"], "running");
  }
  EXPECT_EQ(json_at(site, "/run/going/data.json")["manifest"]["status"], "killed");
  EXPECT_EQ(json_at(site, "/runs.json")["runs"][2]["status"], "killed");
}

TEST_F(SiteTest, ForgetsRunsThatAreGone) {
  Site site(folder(), 1);
  get(site, "/runs.json");
  get(site, "/run/a/data.json");
  std::filesystem::remove_all(folder() / "a");
  EXPECT_EQ(paths_in(json_at(site, "/runs.json")), (Paths{"below/b"}));
  EXPECT_EQ(get(site, "/run/a/data.json").status, 404);
}

TEST_F(SiteTest, ListsABrokenRunAsAProblemBesideTheOthers) {
  std::ofstream(folder() / "below/b/manifest.json") << "{";
  for (const auto& [run, file] : {std::pair("c", "config.toml"), std::pair("m", "manifest.json")}) {
    copy_run(folder() / run);
    std::ofstream(folder() / run / file) << "\xff";
  }
  Site site(folder(), 1);
  const Json runs = json_at(site, "/runs.json");
  EXPECT_EQ(paths_in(runs), (Paths{"a", "c"})) << "the checkpoint has the settings, too";
  ASSERT_EQ(runs["problems"].size(), 3u);
  EXPECT_NE(runs["problems"][0].get<std::string>().find("below/b/manifest.json"),
            std::string::npos);
  EXPECT_EQ(get(site, "/").status, 200);
  const HttpAnswer broken = get(site, "/run/below/b/");
  EXPECT_EQ(broken.status, 404);
  EXPECT_NE(broken.body.find("not valid JSON"), std::string::npos) << broken.body;
}

TEST_F(SiteTest, ShowsADamagedRunWithItsProblems) {
  std::filesystem::resize_file(folder() / "a/predictions/0002.csv", 40);
  std::ofstream(folder() / "a/best_achievable.json") << "{";
  Site site(folder(), 1);
  EXPECT_EQ(paths_in(json_at(site, "/runs.json")), (Paths{"a", "below/b"}));
  EXPECT_EQ(json_at(site, "/run/a/data.json")["problems"].size(), 2u);
}

TEST_F(SiteTest, OfAnEmptyFolderIsAnEmptyList) {
  std::filesystem::create_directory(dir_.path() / "empty");
  Site site(dir_.path() / "empty", 1);
  EXPECT_TRUE(json_at(site, "/runs.json")["runs"].empty());
  EXPECT_EQ(get(site, "/").status, 200);
  EXPECT_EQ(get(site, "/run/").status, 404);
}

TEST_F(SiteTest, OfNoFolderIsRefused) {
  EXPECT_THROW(Site(folder() / "nothing", 1), InputError);
  EXPECT_THROW(Site(folder() / "notes.txt", 1), InputError);
}

// A browser asks for "/run/" where the page says "run/./", and then for "/run/data.json".
TEST_F(SiteTest, OfARunItselfShowsThatRun) {
  Site site(folder() / "a", 1);
  EXPECT_EQ(paths_in(json_at(site, "/runs.json")), (Paths{"."}));
  for (const char* path : {"/run/", "/run/./"}) EXPECT_EQ(get(site, path).status, 200) << path;
  for (const char* path : {"/run/data.json", "/run/./data.json"})
    EXPECT_EQ(json_at(site, path)["name"], "a") << path;
  EXPECT_EQ(get(site, "/files/config.toml").status, 200);
}

TEST_F(SiteTest, HasNothingElse) {
  Site site(folder(), 1);
  for (const char* path : {"", "*", "/x", "/run", "/run/a", "/run/data.json", "/run/x/",
                           "/run/below/", "/run/below/data.json", "/favicon.ico", "/files", "//",
                           "/run//", "/run/notes.txt/", "/run/a/report.html", "runs.json"})
    EXPECT_EQ(get(site, path).status, 404) << path;
}

TEST_F(SiteTest, SurvivesNamesThatAreNoText) {
  const std::string name = "r\xff\xfe <b>";
  copy_run(folder() / name);
  Site site(folder(), 1);
  EXPECT_EQ(json_at(site, "/runs.json")["runs"].size(), 3u);
  EXPECT_EQ(get(site, "/").status, 200);
  EXPECT_EQ(get(site, "/run/" + name + "/").status, 200);
  EXPECT_EQ(json_at(site, "/run/" + name + "/data.json")["metrics"].size(), 3u);
  std::ofstream(folder() / name / "manifest.json") << "{";
  EXPECT_EQ(json_at(site, "/runs.json")["problems"].size(), 1u);
}

TEST_F(SiteTest, AnswersManyAtOnce) {
  Site site(folder(), 2);
  std::vector<std::thread> clients;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 6; ++i)
    clients.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k) {
        const char* paths[] = {"/runs.json", "/run/a/data.json", "/run/below/b/data.json",
                               "/files/notes.txt"};
        wrong += get(site, paths[(i + k) % 4]).status != 200;
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(SiteTest, ShowsMoreRunsThanItRemembers) {
  for (int i = 0; i < 12; ++i) copy_run(folder() / ("more" + std::to_string(i)));
  Site site(folder(), 1);
  for (int round = 0; round < 2; ++round)
    for (int i = 11; i >= 0; --i) {
      const std::string name = "more" + std::to_string(i);
      EXPECT_EQ(json_at(site, "/run/" + name + "/data.json")["name"], name);
    }
}

TEST_F(SiteTest, NeverFailsOnRandomPaths) {
  Site site(folder(), 1);
  const std::uint64_t seed = 3;
  RandomStream randomness(seed, "paths");
  const std::vector<std::string> parts = {
      "/",         "run",       "files",       "a",
      "..",        ".",         "below",       "b",
      "data.json", "runs.json", "\xff",        std::string(1, '\0'),
      "notes.txt", " ",         "config.toml", std::string(300, 'x'),
      "%2e",       "\n"};
  for (int i = 0; i < 3000; ++i) {
    std::string path = randomness.below(8) ? "/" : "";
    for (std::uint64_t n = randomness.below(9); n > 0; --n) {
      path += parts[randomness.below(parts.size())];
      if (randomness.below(2)) path += "/";
    }
    const int status = get(site, path).status;
    EXPECT_TRUE(status == 200 || status == 404 || status == 400)
        << status << " for " << testing::PrintToString(path) << ", seed " << seed;
  }
}

}  // namespace
}  // namespace rhc
