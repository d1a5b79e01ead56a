#include "rhc/report/http.h"

#include <gtest/gtest.h>

namespace rhc {
namespace {

HttpRequest understood(const std::string& head) {
  const auto parsed = parse_request(head);
  const auto* request = std::get_if<HttpRequest>(&parsed);
  EXPECT_TRUE(request) << head;
  return request ? *request : HttpRequest{};
}

// The status of the refusal; 0 where there is none.
int refused(const std::string& head) {
  const auto parsed = parse_request(head);
  const auto* answer = std::get_if<HttpAnswer>(&parsed);
  return answer ? answer->status : 0;
}

std::string with_header(const std::string& header) {
  return "GET / HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n\r\n";
}

TEST(Http, UnderstandsABrowser) {
  const HttpRequest request = understood(
      "GET /run/a%20b/data.json?x=%2&y#z HTTP/1.1\r\nhost:  127.0.0.1:8642 \r\n"
      "If-None-Match: \"12\"\r\nRANGE: bytes=0-9\r\nCookie: a=\tb\r\nX:\r\n\r\n");
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/run/a b/data.json");
  EXPECT_EQ(request.host, "127.0.0.1:8642");
  EXPECT_EQ(request.if_none_match, "\"12\"");
  EXPECT_EQ(request.range, "bytes=0-9");
}

TEST(Http, TakesLinesWithoutAReturn) {
  EXPECT_EQ(understood("HEAD / HTTP/1.0\nHost: localhost\n\n").host, "localhost");
}

TEST(Http, FindsTheEndOfAHead) {
  EXPECT_EQ(head_end("GET / HTTP/1.1\r\n\r\nbody\n\n"), 18u);
  EXPECT_EQ(head_end("a\n\nb\r\n\r\n"), 3u);
  EXPECT_EQ(head_end("GET / HTTP/1.1\r\nA: b\r\n"), std::string::npos);
  EXPECT_EQ(head_end("a\r\n\r\n", 2), 5u);
  EXPECT_EQ(head_end(""), std::string::npos);
}

TEST(Http, RefusesWhatIsNoRequest) {
  for (const char* line :
       {"", "GET", "GET /", "GET / HTTP/1.1 x", "GET  / HTTP/1.1", "GET / HTTP/2.0",
        "GET / http/1.1", "GET x HTTP/1.1", "GET http://localhost/ HTTP/1.1", "GET * HTTP/1.1",
        "G{T / HTTP/1.1", " GET / HTTP/1.1", "GET /% HTTP/1.1", "GET /%4 HTTP/1.1",
        "GET /%zz HTTP/1.1", "GET /%+4 HTTP/1.1", "GET /\x01 HTTP/1.1", "GET /\x7f HTTP/1.1",
        "GET /\r/ HTTP/1.1"})
    EXPECT_EQ(refused(line + std::string("\r\n\r\n")), 400) << line;
  EXPECT_EQ(refused(std::string("GET /\0 HTTP/1.1\r\n\r\n", 19)), 400);
}

TEST(Http, RefusesWhatIsNoHeader) {
  for (const char* header : {"a", ": b", "a : b", " a: b", "a b: c", "a: \x02", "Host: other"})
    EXPECT_EQ(refused(with_header(header)), 400) << header;
}

TEST(Http, RefusesWhatIsTooLong) {
  EXPECT_EQ(refused("GET /" + std::string(8000, 'x') + " HTTP/1.1\r\n\r\n"), 0);
  EXPECT_EQ(refused("GET /" + std::string(9000, 'x') + " HTTP/1.1\r\n\r\n"), 414);
  EXPECT_EQ(refused("GET /" + std::string(kLongestHead, 'x')), 414);
  EXPECT_EQ(refused(with_header("A: " + std::string(60000, 'x'))), 0);
  EXPECT_EQ(refused(with_header("A: " + std::string(kLongestHead, 'x'))), 431);
  std::string many;
  for (int i = 0; i < 101; ++i) many += "A: b\r\n";
  EXPECT_EQ(refused(with_header(many + "A: b")), 431);
}

TEST(Http, RefusesBodiesWithoutASmallLength) {
  EXPECT_EQ(refused(with_header("Content-Length: 65536")), 0);
  EXPECT_EQ(refused(with_header("Content-Length: 65537")), 413);
  EXPECT_EQ(refused(with_header("Content-Length: 99999999999999999999999")), 413);
  for (const char* length : {"-1", "+1", "1e9", "x", "", "1 2"})
    EXPECT_EQ(refused(with_header(std::string("Content-Length: ") + length)), 400) << length;
  EXPECT_EQ(refused(with_header("Transfer-Encoding: chunked")), 411);
}

TEST(Http, SendsHeadAndBody) {
  EXPECT_EQ(answer_bytes({.path = "/"}, {.type = "text/html", .body = "abc", .etag = "\"1\""}),
            "HTTP/1.1 200 OK\r\nCache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n"
            "Connection: close\r\nETag: \"1\"\r\nContent-Type: text/html\r\nContent-Length: 3\r\n"
            "\r\nabc");
}

TEST(Http, SendsNoBodyWhereThereIsNone) {
  const std::string head = answer_bytes({.method = "HEAD", .path = "/"}, {.body = "abc"});
  EXPECT_NE(head.find("Content-Length: 3\r\n"), std::string::npos) << head;
  EXPECT_TRUE(head.ends_with("\r\n\r\n")) << head;
  const std::string same = answer_bytes({.path = "/"}, {.status = 304, .etag = "\"1\""});
  EXPECT_TRUE(same.starts_with("HTTP/1.1 304 Not Modified\r\n")) << same;
  EXPECT_EQ(same.find("Content-Length"), std::string::npos) << same;
}

// "STATUS CONTENT-RANGE BODY" of what is sent of ten letters.
std::string sent(const std::string& range) {
  const std::string bytes = answer_bytes({.path = "/", .range = range}, {.body = "0123456789"});
  const std::size_t at = bytes.find("Content-Range: ");
  return bytes.substr(9, 3) + " " +
         (at == std::string::npos ? "-" : bytes.substr(at + 15, bytes.find('\r', at) - at - 15)) +
         " " + bytes.substr(bytes.find("\r\n\r\n") + 4);
}

TEST(Http, SendsAPart) {
  EXPECT_EQ(sent("bytes=2-4"), "206 bytes 2-4/10 234");
  EXPECT_EQ(sent("bytes=8-"), "206 bytes 8-9/10 89");
  EXPECT_EQ(sent("bytes=8-99"), "206 bytes 8-9/10 89");
  EXPECT_EQ(sent("bytes=-3"), "206 bytes 7-9/10 789");
  EXPECT_EQ(sent("bytes=-99"), "206 bytes 0-9/10 0123456789");
}

TEST(Http, HasNoPartBeyondTheEnd) {
  EXPECT_EQ(sent("bytes=10-"), "416 bytes */10 ");
  EXPECT_EQ(sent("bytes=-0"), "416 bytes */10 ");
}

TEST(Http, SendsAllWhereARangeMeansNothing) {
  for (const char* range : {"", "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,3-4", "lines=1-2",
                            "bytes=a-b", "bytes=99999999999999999999999-"})
    EXPECT_EQ(sent(range), "200 - 0123456789") << range;
  EXPECT_EQ(understood(with_header("Range: bytes=0-1\r\nIf-Range: \"1\"")).range, "");
}

}  // namespace
}  // namespace rhc
