#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "rhc/core/random.h"
#include "tests/apps/http_client.h"
#include "tests/apps/small_run.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

// A server of a folder, on any free port.
class Server {
 public:
  explicit Server(const std::filesystem::path& folder, const std::function<void()>& prepare = {})
      : program_({"serve", folder.string(), "--port", "0"}, dir_, prepare) {
    for (int i = 0; i < 60000 && port_ == 0; ++i) {
      std::smatch found;
      const std::string out = slurp(dir_.path() / "out.txt");
      if (std::regex_search(out, found, std::regex("at http://127\\.0\\.0\\.1:(\\d+)/ ")))
        port_ = std::stoi(found[1]);
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ~Server() {
    if (ended_) return;
    program_.signal(SIGKILL);
    program_.wait();
  }

  int port() const { return port_; }

  bool answers() const { return ask(port_, "/runs.json").status == 200; }

  void signal(int number) const { program_.signal(number); }

  std::size_t open_files() const {
    const std::filesystem::path files = "/proc/" + std::to_string(program_.pid()) + "/fd";
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(files), {}));
  }

  // The exit code; -99 where it has not ended after a minute.
  int end() {
    ended_ = true;
    const auto outcome = program_.wait_a_minute();
    return outcome ? outcome->code : -99;
  }

 private:
  const TemporaryDirectory dir_;
  const Program program_;
  int port_ = 0;
  bool ended_ = false;
};

class Serve : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TemporaryDirectory;
    explore_to_end(*dir_, "mountain-car", "runs/a", {"--episodes", "1"});
    dir_->write("secret.txt", "secret");
  }
  static void TearDownTestSuite() { delete dir_; }

  static std::filesystem::path runs() { return dir_->path() / "runs"; }

  static inline TemporaryDirectory* dir_;
};

TEST_F(Serve, AnswersUnderTheAddressItPrints) {
  const Server server(runs());
  const WebAnswer list = ask(server.port(), "/runs.json");
  EXPECT_EQ(list.status, 200);
  EXPECT_EQ(nlohmann::json::parse(list.body)["runs"][0]["path"], "a");
  const WebAnswer page = ask(server.port(), "/run/a/");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.body.starts_with("<!doctype html>"));
  EXPECT_TRUE(contains(page.head, "Content-Type: text/html; charset=utf-8")) << page.head;
  EXPECT_TRUE(contains(page.head, "X-Content-Type-Options: nosniff")) << page.head;
}

TEST_F(Serve, AnswersToHeadWithoutABody) {
  const Server server(runs());
  const WebAnswer head = ask(server.port(), "/run/a/data.json", "", "HEAD");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
}

TEST_F(Serve, RefusesOtherMethodsAndOtherHosts) {
  const Server server(runs());
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"})
    EXPECT_EQ(ask(server.port(), "/", "Content-Length: 0\r\n", method).status, 405) << method;
  EXPECT_EQ(ask_raw(server.port(), "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 403);
  EXPECT_EQ(ask_raw(server.port(), "GET / HTTP/1.0\r\n\r\n").status, 403);
}

TEST_F(Serve, NeverLeavesItsFolder) {
  const Server server(runs());
  for (const char* path :
       {"/files/../secret.txt", "/files/%2e%2e/secret.txt", "/files/%2E%2E%2Fsecret.txt",
        "/files/..%2fsecret.txt", "/files/a/..%2f..%2fsecret.txt", "/files/%252e%252e/secret.txt",
        "/files/a%00/../../secret.txt", "/files/%c0%ae%c0%ae/secret.txt", "/files//etc/passwd"}) {
    const WebAnswer answer = ask(server.port(), path);
    EXPECT_GE(answer.status, 400) << path;
    EXPECT_LT(answer.status, 500) << path;
    EXPECT_FALSE(contains(answer.body, "secret\n")) << path;
  }
  EXPECT_EQ(ask(server.port(), "/files/a/%63onfig.toml").body, slurp(runs() / "a/config.toml"));
}

TEST_F(Serve, SaysWhenNothingHasChanged) {
  const Server server(runs());
  const WebAnswer first = ask(server.port(), "/run/a/data.json");
  std::smatch tag;
  ASSERT_TRUE(std::regex_search(first.head, tag, std::regex("ETag: (\"[0-9a-f]+\")")))
      << first.head;
  const WebAnswer again =
      ask(server.port(), "/run/a/data.json", "If-None-Match: " + tag[1].str() + "\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
}

// Lines of /proc/net/tcp: number, local address:port, remote, state (0A: listening).
TEST_F(Serve, ListensOnThisMachineOnly) {
  const Server server(runs());
  const std::regex line("^ *\\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F:]+ 0A");
  int found = 0;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::istringstream text(slurp(table));
    for (std::string row; std::getline(text, row);) {
      std::smatch match;
      if (!std::regex_search(row, match, line) || std::stoi(match[2], nullptr, 16) != server.port())
        continue;
      EXPECT_EQ(match[1], "0100007F") << row;
      ++found;
    }
  }
  EXPECT_EQ(found, 1);
}

TEST_F(Serve, SaysThatAPortIsTaken) {
  const Server server(runs());
  const std::string port = std::to_string(server.port());
  const TemporaryDirectory dir;
  const auto second = Program({"serve", runs().string(), "--port", port}, dir).wait_a_minute();
  ASSERT_TRUE(second.has_value()) << "a second server shares the port";
  EXPECT_EQ(second->code, 1);
  EXPECT_TRUE(contains(second->err, "cannot listen on port " + port)) << second->err;
  EXPECT_EQ(second->out, "");
  EXPECT_TRUE(server.answers());
}

TEST_F(Serve, TakesAPortAgainThatWasJustLeft) {
  int port = 0;
  {
    Server server(runs());
    port = server.port();
    EXPECT_TRUE(server.answers());
    server.signal(SIGTERM);
    EXPECT_EQ(server.end(), 0);
  }
  const TemporaryDirectory dir;
  const Program again({"serve", runs().string(), "--port", std::to_string(port)}, dir);
  for (int i = 0; i < 600 && slurp(dir.path() / "out.txt").empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  again.signal(SIGTERM);
  const auto outcome = again.wait_a_minute();
  EXPECT_EQ(outcome->code, 0) << outcome->err;
}

// At the first letter of its address, so that it does not listen yet.
TEST_F(Serve, EndsWithCodeZeroWhenAskedAtOnce) {
  for (int i = 0; i < repeats(10, 100); ++i)
    for (const int signal : {SIGINT, SIGTERM}) {
      const TemporaryDirectory dir;
      int ends[2];
      ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
      const Program program({"serve", runs().string(), "--port", "0"}, dir,
                            [&] { dup2(ends[1], STDOUT_FILENO); });
      close(ends[1]);
      char letter;
      EXPECT_EQ(read(ends[0], &letter, 1), 1);
      program.signal(signal);
      const auto outcome = program.wait_a_minute();
      close(ends[0]);
      ASSERT_TRUE(outcome.has_value()) << "signal " << signal << ", case " << i;
      EXPECT_EQ(outcome->code, 0);
    }
}

TEST_F(Serve, EndsWhenAskedTwice) {
  Server server(runs());
  EXPECT_TRUE(server.answers());
  server.signal(SIGINT);
  server.signal(SIGINT);
  server.signal(SIGTERM);
  EXPECT_EQ(server.end(), 0);
}

TEST_F(Serve, EndsWhileClientsAreConnected) {
  Server server(runs());
  const Connection idle(server.port()), half(server.port());
  half.send("GET / HTTP/1.1\r\nHo");
  EXPECT_TRUE(server.answers());
  server.signal(SIGINT);
  EXPECT_EQ(server.end(), 0);
}

TEST_F(Serve, SurvivesRandomBytes) {
  const Server server(runs());
  for (int seed = 0; seed < repeats(100, 5000); ++seed) {
    RandomStream randomness(static_cast<std::uint64_t>(seed), "bytes");
    std::string bytes(1 + randomness.below(2000), ' ');
    for (char& c : bytes) c = static_cast<char>(randomness.below(256));
    if (seed % 2) bytes = "GET /" + bytes;
    if (seed % 4 == 3) bytes += " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    Connection(server.port()).send(bytes);
    ASSERT_TRUE(seed % 50 != 49 || server.answers()) << "seed " << seed;
  }
  EXPECT_TRUE(server.answers());
}

TEST_F(Serve, SurvivesMangledRequests) {
  const Server server(runs());
  const std::string good =
      "GET /run/a/data.json?x=%20&y HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-9\r\n"
      "Accept-Encoding: gzip, br\r\nIf-None-Match: \"1\"\r\nContent-Length: 3\r\n"
      "Content-Type: multipart/form-data; boundary=x\r\nExpect: 100-continue\r\n"
      "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (int seed = 0; seed < repeats(100, 5000); ++seed) {
    RandomStream randomness(static_cast<std::uint64_t>(seed), "mangled");
    std::string bytes = good;
    if (seed % 3 == 0) bytes.replace(0, 3, "POST");
    for (std::uint64_t n = 1 + randomness.below(6); n > 0; --n) {
      const std::size_t at = randomness.below(bytes.size());
      if (randomness.below(2))
        bytes[at] = static_cast<char>(randomness.below(256));
      else
        bytes.erase(at, randomness.below(30));
    }
    const Connection connection(server.port());
    connection.send(bytes);
    ASSERT_TRUE(seed % 50 != 49 || server.answers()) << "seed " << seed;
  }
  EXPECT_TRUE(server.answers());
}

TEST_F(Serve, SurvivesHalfRequests) {
  const Server server(runs());
  const std::string whole = "GET /run/a/ HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (std::size_t size = 0; size <= whole.size(); ++size)
    Connection(server.port()).send(whole.substr(0, size));
  EXPECT_TRUE(server.answers());
}

TEST_F(Serve, SurvivesHugeHeadersAndPaths) {
  const Server server(runs());
  const std::string huge(1'000'000, 'x');
  for (const std::string& request :
       {"GET /" + huge + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nA: " + huge + "\r\n\r\n",
        "GET / HTTP/1.1\r\n" + huge + ": a\r\n\r\n", huge + " / HTTP/1.1\r\n\r\n",
        "GET /" + std::string(8000, '/') + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /files/" + std::string(8000, 'y') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"}) {
    Connection(server.port()).send(request);
    EXPECT_TRUE(server.answers()) << request.substr(0, 20);
  }
  std::string many = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 100'000; ++i) many += "A" + std::to_string(i) + ": b\r\n";
  Connection(server.port()).send(many + "\r\n");
  EXPECT_TRUE(server.answers());
}

TEST_F(Serve, SurvivesHugeBodies) {
  const Server server(runs());
  const std::string body(10'000'000, 'x');
  for (const char* method : {"POST", "GET", "PUT"}) {
    const WebAnswer answer = ask_raw(server.port(), std::string(method) +
                                                        " / HTTP/1.1\r\nHost: localhost\r\n"
                                                        "Content-Length: 10000000\r\n\r\n" +
                                                        body);
    EXPECT_TRUE(server.answers()) << method << " answered " << answer.status;
  }
  for (const char* length : {"99999999999999999999999", "-1", "1e9", "18446744073709551615", "x"}) {
    Connection(server.port())
        .send(std::string("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ") + length +
              "\r\n\r\nabc");
    EXPECT_TRUE(server.answers()) << length;
  }
}

TEST_F(Serve, CallsAPartAPart) {
  const Server server(runs());
  const std::string whole = slurp(runs() / "a/config.toml");
  const WebAnswer part = ask(server.port(), "/files/a/config.toml", "Range: bytes=3-12\r\n");
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, whole.substr(3, 10));
  EXPECT_EQ(ask(server.port(), "/files/a/config.toml").status, 200);
}

// Each part of a range costs an answer's size.
TEST_F(Serve, SurvivesRanges) {
  const Server server(runs(), [] {
#ifndef __SANITIZE_ADDRESS__  // which itself takes terabytes of addresses
    const rlimit limit{2'000'000'000, 2'000'000'000};
    setrlimit(RLIMIT_AS, &limit);
#endif
  });
  std::string many = "Range: bytes=0-";
  while (many.size() < 8000) many += ",0-";
  for (const std::string& range :
       {std::string("Range: bytes=0-9"), std::string("Range: bytes=-5"),
        std::string("Range: bytes=99999999-"), std::string("Range: bytes=5-2"),
        std::string("Range: bytes=99999999999999999999999-"), std::string("Range: bytes=-"),
        many}) {
    const WebAnswer answer = ask(server.port(), "/run/a/", range + "\r\n");
    EXPECT_LT(answer.body.size(), 5'000'000u) << range.substr(0, 40);
    EXPECT_TRUE(server.answers()) << range.substr(0, 40);
  }
}

TEST_F(Serve, SurvivesManyConnectionsThatAreDropped) {
  const Server server(runs());
  for (int i = 0; i < repeats(100, 1000); ++i) {
    const Connection connection(server.port());
    if (i % 3 == 1) connection.send("GET /");
    if (i % 3 == 2) connection.send("GET /run/a/ HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  EXPECT_TRUE(server.answers());
}

TEST_F(Serve, SurvivesMoreConnectionsThanItMayOpen) {
  const Server server(runs(), [] {
    const rlimit limit{24, 24};
    setrlimit(RLIMIT_NOFILE, &limit);
  });
  {
    std::vector<std::unique_ptr<Connection>> all;
    for (int i = 0; i < 32; ++i) {
      all.push_back(std::make_unique<Connection>(server.port()));
      all.back()->send("GET /runs");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  EXPECT_TRUE(server.answers());
}

TEST_F(Serve, AnswersBesideClientsThatSayNothing) {
  const Server server(runs());
  const Connection one(server.port()), two(server.port()), three(server.port());
  two.send("GET / HTTP/1.1\r\n");
  three.send("GET /run/a/ HTTP/1.1\r\nHost: localhost\r\n\r\n");  // and never reads
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(server.answers());
}

// Tried a few times, for on a busy machine the time of the slow ones may be over too early.
TEST_F(Serve, AnswersWhileManyDrip) {
  const Server server(runs());
  std::size_t dripping_still = 0;
  for (int i = 0; i < 20 && dripping_still < 50; ++i) {
    const Dripping slow(server.port(), 50);
    EXPECT_TRUE(server.answers());
    dripping_still = slow.still_open();
  }
  EXPECT_EQ(dripping_still, 50u);
}

TEST_F(Serve, EndsWhileManyDrip) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Server server(runs());
    const Dripping slow(server.port(), 50);
    EXPECT_TRUE(server.answers());
    server.signal(signal);
    EXPECT_EQ(server.end(), 0) << "signal " << signal;
  }
}

// As nohup wants it.
TEST_F(Serve, OutlivesAHangupThatIsIgnored) {
  Server server(runs(), [] { ::signal(SIGHUP, SIG_IGN); });
  server.signal(SIGHUP);
  EXPECT_TRUE(server.answers());
  server.signal(SIGTERM);
  EXPECT_EQ(server.end(), 0);
}

TEST_F(Serve, RefusesARequestThatDoesNotEnd) {
  const Server server(runs());
  const Dripping slow(server.port(), 1);
  EXPECT_EQ(parse_answer(slow[0].receive()).status, 408);
}

TEST_F(Serve, ClosesAConnectionThatAsksNothing) {
  const Server server(runs());
  const Connection silent(server.port());
  EXPECT_EQ(silent.receive(), "");
  EXPECT_FALSE(silent.still_open());
}

TEST_F(Serve, KeepsSoManyConnectionsAndNoMore) {
  const Server server(runs());
  const std::size_t before = server.open_files();
  const Dripping slow(server.port(), 400);
  EXPECT_TRUE(server.answers());
  EXPECT_LE(server.open_files(), before + 140);
}

// Opening a pipe waits for whoever writes into it, and nobody does.
TEST_F(Serve, DoesNotWaitForPipes) {
  const TemporaryDirectory dir;
  std::filesystem::copy(runs() / "a", dir.path() / "a", std::filesystem::copy_options::recursive);
  for (const char* name : {"lock", "pipe.txt"})
    ASSERT_EQ(mkfifo((dir.path() / "a" / name).c_str(), 0644), 0);
  const Server server(dir.path());
  EXPECT_EQ(ask(server.port(), "/run/a/data.json").status, 200);
  EXPECT_EQ(ask(server.port(), "/files/a/pipe.txt").status, 404);
  std::filesystem::remove(dir.path() / "a/manifest.json");
  ASSERT_EQ(mkfifo((dir.path() / "a/manifest.json").c_str(), 0644), 0);
  EXPECT_NE(ask(server.port(), "/run/a/data.json").status, 200);
  EXPECT_TRUE(server.answers());
}

TEST_F(Serve, RefusesWhatIsNoRequest) {
  const Server server(runs());
  const std::string host = "Host: localhost\r\n", huge(200'000, 'x');
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "A: b\r\n";
  const std::vector<std::pair<std::string, int>> bad = {
      {std::string("GET /\0 HTTP/1.1\r\n", 17) + host, 400},
      {std::string("GET / HTTP/1.1\r\nA: \0\r\n", 22) + host, 400},
      {"GET /%00 HTTP/1.1\r\n" + host, 400},
      {"GET /%zz HTTP/1.1\r\n" + host, 400},
      {"GET ../secret.txt HTTP/1.1\r\n" + host, 400},
      {"GET http://localhost/ HTTP/1.1\r\n" + host, 400},
      {"GET / HTTP/9\r\n" + host, 400},
      {"GET / HTTP/1.1\r\n" + host + host, 400},
      {"GET / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n", 400},
      {"GET / HTTP/1.1\r\n" + host + "Content-Length: 10000000\r\n", 413},
      {"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n", 411},
      {"BREW / HTTP/1.1\r\n" + host, 405},
      {"GET /" + huge + " HTTP/1.1\r\n" + host, 414},
      {"GET / HTTP/1.1\r\n" + host + "A: " + huge + "\r\n", 431},
      {"GET / HTTP/1.1\r\n" + host + many, 431},
      {huge, 414}};
  for (const auto& [head, status] : bad)
    EXPECT_EQ(ask_raw(server.port(), head + "\r\n").status, status) << head.substr(0, 60);
  EXPECT_TRUE(server.answers());
}

TEST_F(Serve, AnswersWhoSendsALargeBodyFirst) {
  const Server server(runs());
  const std::string body(10'000'000, 'x');
  EXPECT_EQ(ask_raw(server.port(),
                    "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000\r\n\r\n" + body)
                .status,
            413);
}

TEST_F(Serve, SurvivesPipelinedGarbage) {
  const Server server(runs());
  std::string bytes;
  for (int i = 0; i < 50; ++i)
    bytes += "GET /runs.json HTTP/1.1\r\nHost: localhost\r\n\r\n\x01\xff garbage";
  const WebAnswer answer = ask_raw(server.port(), bytes);
  EXPECT_TRUE(answer.status == 200 || answer.status == 0) << answer.status;
  EXPECT_TRUE(server.answers());
}

TEST_F(Serve, FollowsARunningExploration) {
  const TemporaryDirectory dir;
  std::filesystem::create_directory(dir.path() / "runs");
  const Server server(dir.path() / "runs");
  EXPECT_EQ(nlohmann::json::parse(ask(server.port(), "/runs.json").body)["runs"].size(), 0u);
  const Program exploring(
      explore_small("mountain-car", "runs/live", {"--episodes", "8", "--quiet"}), dir);
  ASSERT_TRUE(appears(dir.path() / "runs/live/metrics.jsonl"));
  std::set<int> seen;
  std::string tag, status;
  for (int i = 0; i < 6000 && status != "finished"; ++i) {
    const WebAnswer answer =
        ask(server.port(), "/run/live/data.json", "If-None-Match: " + tag + "\r\n");
    if (answer.status == 200) {
      const auto data = nlohmann::json::parse(answer.body);
      EXPECT_TRUE(data["problems"].empty()) << data["problems"];
      status = data["manifest"]["status"];
      seen.insert(data["manifest"]["episodes_done"].get<int>());
      std::smatch found;
      ASSERT_TRUE(std::regex_search(answer.head, found, std::regex("ETag: (\"[0-9a-f]+\")")));
      tag = found[1];
    } else {
      ASSERT_EQ(answer.status, 304);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(exploring.wait().code, 0);
  EXPECT_EQ(status, "finished");
  EXPECT_GE(seen.size(), 2u) << "it was seen to grow";
  EXPECT_EQ(*seen.rbegin(), 8);
}

}  // namespace
}  // namespace rhc
