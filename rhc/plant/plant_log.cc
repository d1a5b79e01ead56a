#include "rhc/plant/plant_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "rhc/core/text.h"
#include "rhc/plant/plant_protocol.h"

namespace rhc {

namespace {

constexpr std::size_t kTail = 1 << 14;
constexpr std::size_t kLongestLog = 5 << 20;  // and as much again of what came before
constexpr std::size_t kLastWords = 5;         // lines

}  // namespace

void PlantLog::open(const std::filesystem::path& file) {
  file_ = file;
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(file, none);
  size_ = none ? 0 : size;
  log_.open(file, std::ios::app | std::ios::binary);
  write(tail_);
}

void PlantLog::add(std::string_view text) {
  tail_ += text;
  if (tail_.size() > kTail) tail_.erase(0, tail_.size() - kTail);
  write(text);
}

// A log that cannot be written is no reason to stop an episode.
void PlantLog::write(std::string_view text) {
  if (!log_.is_open()) return;
  if (size_ > 0 && size_ + text.size() > kLongestLog) {
    const std::filesystem::path before = file_.string() + ".1";
    log_.close();
    std::error_code error;
    std::filesystem::rename(file_, before, error);
    log_.open(file_, std::ios::trunc | std::ios::binary);
    const std::string note =
        error ? "rhc: what was here before is gone, for it was too long\n"
              : fmt::format("rhc: what came before is in {}\n", before.filename().string());
    log_ << note;
    size_ = note.size();
  }
  log_ << text << std::flush;
  log_.clear();
  size_ += text.size();
}

std::string PlantLog::last_words() const {
  const std::string text = printable(trim(tail_));
  std::vector<std::string_view> lines;
  for (const std::string_view line : split(text, '\n'))
    if (!line.starts_with("rhc: ") && !trim(line).empty()) lines.push_back(line);
  if (lines.empty()) return "";
  std::string words = "\nIts last words:";
  for (std::size_t i = lines.size() - std::min(lines.size(), kLastWords); i < lines.size(); ++i)
    words += fmt::format("\n     {}", lines[i]);
  return words;
}

}  // namespace rhc
