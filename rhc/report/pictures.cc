#include "rhc/report/pictures.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/format/files.h"
#include "rhc/format/json.h"
#include "rhc/plant/process.h"
#include "rhc/report/compact.h"

namespace rhc {

namespace {

// A page's address: bytes that mean something in one are written as %XX.
std::string file_url(const std::filesystem::path& page) {
  std::string url = "file://";
  for (const char c : std::filesystem::absolute(page).lexically_normal().string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::strchr("/-_.~", c))
      url += c;
    else
      url += fmt::format("%{:02X}", byte);
  }
  return url;
}

// A folder of Chromium's own, so that it neither meets another one nor leaves anything.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "rhc-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw IoError("cannot make a temporary directory");
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The text between two marks; empty where they are not there.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  text.remove_prefix(from + begin.size());
  return text.substr(0, text.find(end));
}

}  // namespace

std::string find_chromium() {
  if (const char* chosen = std::getenv("CHROMIUM"); chosen && *chosen) return chosen;
  const char* path = std::getenv("PATH");
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"})
    for (const std::string_view folder : split(path ? path : "", ':')) {
      const std::string candidate = std::string(folder) + "/" + name;
      if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
  throw IoError(
      "pictures need Chromium, and none was found; install it (Debian: apt install chromium) or "
      "name one in the environment variable CHROMIUM");
}

std::vector<std::filesystem::path> save_pictures(const std::filesystem::path& page,
                                                 const std::filesystem::path& directory,
                                                 double seconds) {
  if (!std::filesystem::is_regular_file(page))
    throw InputError(
        fmt::format("pictures are drawn from a page, and '{}' is not a file", page.string()));
  const Scratch scratch;
  std::vector<std::string> command = {
      find_chromium(),     "--headless",     "--disable-gpu",
      "--hide-scrollbars", "--no-first-run", "--user-data-dir=" + scratch.path().string()};
  // Chromium's sandbox refuses to run as root.
  if (::geteuid() == 0) command.emplace_back("--no-sandbox");
  command.emplace_back("--dump-dom");
  command.push_back(file_url(page) + "#png");
  const ProcessResult browser = run_process(command, seconds);
  if (browser.out_of_time)
    throw IoError(fmt::format(
        "'{}' did not draw the pictures of '{}' within {} seconds and was ended; does `{} "
        "--headless --dump-dom about:blank` work?",
        command[0], page.string(), seconds, command[0]));
  if (browser.code != 0)
    throw IoError(
        fmt::format("'{}' failed; does `{} --headless --version` work?", command[0], command[0]));

  const std::string_view drawn =
      between(browser.out, "<script type=\"application/json\" id=\"pictures\">", "</script>");
  if (drawn.empty()) throw IoError(page.string() + ": Chromium drew no pictures");
  const Json pictures = Json::parse(drawn);
  make_directories(directory);
  std::vector<std::filesystem::path> files;
  for (const auto& [name, url] : pictures.items()) {
    const std::string data = url.get<std::string>();
    files.push_back(directory / (name + ".png"));
    write_output(files.back(), from_base64(std::string_view(data).substr(data.find(',') + 1)));
  }
  return files;
}

}  // namespace rhc
