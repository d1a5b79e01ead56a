#include "rhc/report/page.h"

#include "rhc/core/error.h"
#include "rhc/report/page_file.h"

namespace rhc {

namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c;
  }
  return result;
}

// JSON inside a script element must not end the element.
std::string inside_script(const Json& data) {
  std::string result;
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

}  // namespace

bool pages_available() { return !page_file().empty(); }

std::string page(const std::string& title, const Json& data) {
  constexpr std::string_view kTitle = "{{title}}", kData = "{{data}}";
  const std::string_view file = page_file();
  if (file.empty())
    throw InputError(
        "this rhc was built without its report pages; install npm, run `npm ci --prefix web` in "
        "the "
        "source tree, then configure and build again");
  // Both places are looked up before anything is put in, for what is put in may be anything.
  const std::size_t title_at = file.find(kTitle), data_at = file.find(kData);
  std::string result(file.substr(0, title_at));
  result += escaped(title);
  result += file.substr(title_at + kTitle.size(), data_at - title_at - kTitle.size());
  result += inside_script(data);
  result += file.substr(data_at + kData.size());
  return result;
}

}  // namespace rhc
