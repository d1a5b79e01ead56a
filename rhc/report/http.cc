#include "rhc/report/http.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <vector>

#include "rhc/core/text.h"

namespace rhc {

namespace {

constexpr std::size_t kLongestTarget = 8192, kMostHeaders = 100, kLargestBody = 1 << 16;

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 206:
      return "Partial Content";
    case 304:
      return "Not Modified";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 416:
      return "Range Not Satisfiable";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    default:
      return "Bad Request";
  }
}

// Digits only: no sign, no space. Nothing, too, where it is too large for any size.
std::optional<std::size_t> size_in(std::string_view text) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return size;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// "%41" is "A"; nothing where an escape is none.
std::optional<std::string> decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    unsigned code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) return std::nullopt;
    result += static_cast<char>(code);
    i += 2;
  }
  return result;
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// Lines may end in "\r\n" or in "\n", as RFC 9112 lets a server take them.
std::vector<std::string_view> head_lines(std::string_view head) {
  std::vector<std::string_view> lines = split(head, '\n');
  for (std::string_view& line : lines)
    if (line.ends_with('\r')) line.remove_suffix(1);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

struct Part {
  std::size_t begin, size;
};

// The one part of a range. Nothing where it asks for none that we understand: then all is sent.
std::optional<Part> part_in(std::string_view range, std::size_t whole) {
  constexpr std::string_view kUnit = "bytes=";
  const std::size_t dash = range.find('-');
  if (!range.starts_with(kUnit) || dash == std::string_view::npos) return std::nullopt;
  const std::string_view first = range.substr(kUnit.size(), dash - kUnit.size()),
                         last = range.substr(dash + 1);
  if (first.empty()) {
    const auto size = size_in(last);
    if (!size) return std::nullopt;
    const std::size_t some = std::min(*size, whole);
    return Part{whole - some, some};
  }
  const auto begin = size_in(first), end = last.empty() ? whole : size_in(last);
  if (!begin || !end || *end < *begin) return std::nullopt;
  if (*begin >= whole) return Part{whole, 0};
  return Part{*begin, std::min(*end, whole - 1) - *begin + 1};
}

}  // namespace

HttpAnswer refuse(int status, const std::string& why) {
  return {.status = status, .body = why + "\n"};
}

std::size_t head_end(std::string_view bytes, std::size_t begin) {
  const std::size_t with_return = bytes.find("\n\r\n", begin), bare = bytes.find("\n\n", begin);
  if (with_return == bare) return std::string_view::npos;
  return with_return < bare ? with_return + 3 : bare + 2;
}

std::variant<HttpRequest, HttpAnswer> parse_request(std::string_view head) {
  if (head.substr(0, kLongestTarget).find('\n') == std::string_view::npos)
    return refuse(414, "the first line is too long");
  if (head.size() > kLongestHead) return refuse(431, "the head is too long");
  const std::vector<std::string_view> lines = head_lines(head);
  if (lines.empty()) return refuse(400, "there is no request");
  if (lines.size() > kMostHeaders + 1) return refuse(431, "there are too many headers");
  for (const std::string_view line : lines)
    for (const char c : line)
      if (c != '\t' && has_control_characters({&c, 1}))
        return refuse(400, "a head has no such character");

  const std::vector<std::string_view> words = split(lines[0], ' ');
  if (words.size() != 3 || !is_token(words[0]) || !words[1].starts_with('/') ||
      (words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0"))
    return refuse(400, "expected: GET /path HTTP/1.1");
  HttpRequest request{.method = std::string(words[0]), .path = {}};
  const auto path = decoded(words[1].substr(0, words[1].find_first_of("?#")));
  if (!path) return refuse(400, "a percent sign begins an escape of two digits, such as %20");
  request.path = *path;

  bool whole_only = false;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(':');
    const std::string_view name = lines[i].substr(0, colon);
    if (colon == std::string_view::npos || !is_token(name))
      return refuse(400, "a header is a name, a colon and a value");
    const std::string_view value = trim(lines[i].substr(colon + 1));
    const auto is = [&](std::string_view known) { return equal_but_for_case(name, known); };
    if (is("Host")) {
      if (!request.host.empty()) return refuse(400, "there are two hosts");
      request.host = value;
    } else if (is("If-None-Match")) {
      request.if_none_match = value;
    } else if (is("Range")) {
      request.range = value;
    } else if (is("If-Range")) {
      whole_only = true;  // our files have no versions to compare with
    } else if (is("Transfer-Encoding")) {
      return refuse(411, "a body needs its length");
    } else if (is("Content-Length")) {
      if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos)
        return refuse(400, "a length is a whole number");
      const auto size = size_in(value);
      if (!size || *size > kLargestBody) return refuse(413, "the body is too large");
    }
  }
  if (whole_only) request.range.clear();
  return request;
}

std::string answer_bytes(const HttpRequest& request, const HttpAnswer& answer) {
  int status = answer.status;
  std::string_view body = answer.body;
  std::string more;
  if (status == 200 && request.method == "GET") {
    if (const auto part = part_in(request.range, body.size())) {
      status = part->size > 0 ? 206 : 416;
      more = part->size > 0 ? fmt::format("Content-Range: bytes {}-{}/{}\r\n", part->begin,
                                          part->begin + part->size - 1, body.size())
                            : fmt::format("Content-Range: bytes */{}\r\n", body.size());
      body = body.substr(part->begin, part->size);
    }
  }
  if (!answer.etag.empty()) more += fmt::format("ETag: {}\r\n", answer.etag);
  if (status == 405) more += "Allow: GET, HEAD\r\n";
  if (status != 304)
    more += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", answer.type, body.size());
  if (status == 304 || request.method == "HEAD") body = {};
  return fmt::format(
      "HTTP/1.1 {} {}\r\nCache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n"
      "Connection: close\r\n{}\r\n{}",
      status, reason_of(status), more, body);
}

}  // namespace rhc
