// What a person sees of a run while it goes on: a table (on a terminal with a bar below) or JSON.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rhc/run/explore_run.h"

namespace rhc::app {

enum class ProgressStyle { quiet, lines, terminal, json };

// Lines when piped, a bar as well on a terminal; what the flags ask for before that.
ProgressStyle progress_style(bool quiet, bool json);

class Progress {
 public:
  // `doing`: "exploring", and how the first line begins.
  Progress(ProgressStyle style, const std::string& doing, const std::filesystem::path& run,
           const Config& config, int episodes_done);

  void attach(RunEvents& events);

  // The last lines: what became of the run, and where it is.
  void end(const std::string& status, const std::optional<std::filesystem::path>& report);

 private:
  void best_achievable(const Scores& scores);
  void row(const MetricsRow& row);
  void enter(int episode, const char* phase);
  void remark(const std::string& what);
  void print_line(const std::string& line);
  void draw_bar();
  void erase_bar();
  std::string time_left() const;

  ProgressStyle style_;
  bool colour_;
  int width_;  // of the terminal, in columns
  std::string run_;
  int episodes_;
  int episode_ = 0, done_ = 0;
  std::string phase_;
  std::optional<MetricsRow> last_;
  Index left_out_ = 0;  // steps that led outside the limits, or came after
  bool bar_shown_ = false;
  std::optional<int> done_at_start_;
  std::chrono::steady_clock::time_point start_{};
};

// The same table of rows that are there already, as wide as `width` allows.
std::string metrics_table(const std::vector<MetricsRow>& rows,
                          const std::optional<Scores>& best_achievable, int width);

// "41 s", "2:05 min", "1:10 h"
std::string duration(double seconds);

// A bar with words behind it, as wide as the terminal at most; with colour where that is wanted.
std::string bar_line(double share, std::string words);

// Columns of the terminal that standard output is; a wide one where it is none.
int output_width();

}  // namespace rhc::app
