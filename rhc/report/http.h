// What a browser asks, and what it is told.
#pragma once

#include <string>

namespace rhc {

struct HttpRequest {
  std::string method = "GET";
  std::string path;    // decoded, without the query
  std::string host{};  // as the browser calls us
  std::string if_none_match{};
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  std::string etag{};
};

}  // namespace rhc
