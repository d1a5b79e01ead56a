// Requests of browsers.
#include "rhc/report/http.h"
#include "tests/fuzz/input.h"

using namespace rhc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = as_text(data, size);
  const std::size_t end = head_end(bytes);
  promised(end == std::string_view::npos || end <= bytes.size());
  const auto parsed = parse_request(bytes.substr(0, end));
  if (const auto* refusal = std::get_if<HttpAnswer>(&parsed)) {
    promised(refusal->status >= 400 && refusal->status < 500);
    return 0;
  }
  const HttpRequest& request = std::get<HttpRequest>(parsed);
  promised(request.path.starts_with('/'));
  const std::string answer = answer_bytes(request, {.body = "0123456789"});
  promised(head_end(answer) != std::string::npos && answer.size() - head_end(answer) <= 10);
  return 0;
}
