// What a browser asks, and what it is told. Knows no sockets.
#pragma once

#include <string>
#include <string_view>
#include <variant>

namespace rhc {

struct HttpRequest {
  std::string method = "GET";
  std::string path;    // decoded, without the query
  std::string host{};  // as the browser calls us
  std::string if_none_match{};
  std::string range{};  // such as "bytes=0-99"
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  std::string etag{};
};

HttpAnswer refuse(int status, const std::string& why);

// A request's head may have so many bytes.
constexpr std::size_t kLongestHead = 1 << 16;

// Where the head ends, after its empty line; npos where that has not come yet. It is looked for
// from `begin` on.
std::size_t head_end(std::string_view bytes, std::size_t begin = 0);

// What a head asks, or the answer, a 4xx, where it is none: whole, or longer than it may be. A body
// means nothing to us, but one of more than 64 kB, or of unknown size, is refused.
std::variant<HttpRequest, HttpAnswer> parse_request(std::string_view head);

// As it is sent: a part where one was asked for, and nothing but the head to HEAD.
std::string answer_bytes(const HttpRequest& request, const HttpAnswer& answer);

}  // namespace rhc
