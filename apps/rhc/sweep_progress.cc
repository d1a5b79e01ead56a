#include "apps/rhc/sweep_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace rhc::app {

SweepProgress::SweepProgress(ProgressStyle style, const Sweep& sweep,
                             const std::vector<std::size_t>& to_do, std::size_t failed,
                             Estimate estimate, int jobs)
    : style_(style),
      sweep_(sweep),
      estimate_(std::move(estimate)),
      jobs_(jobs),
      failed_(failed),
      total_(sweep.plan.runs.size()) {
  for (const std::size_t run : to_do) to_do_[run] = 0;
  done_ = total_ - to_do.size() - failed;
}

void SweepProgress::attach(SweepEvents& events) {
  events.on_begin = [this](std::size_t run) { running_[run] = 0; };
  events.on_episode = [this](std::size_t run, int episode) {
    running_[run] = to_do_[run] = episode;
    draw_bar();
  };
  events.on_end = [this](std::size_t run, const WorkResult& result) { ended(run, result); };
  events.on_remark = [this](const std::string& remark) {
    if (style_ == ProgressStyle::json)
      print_line(dump_any({{"event", "remark"}, {"text", remark}}));
    else if (style_ != ProgressStyle::quiet)
      print_line(remark);
  };
  events.on_tick = [this] { draw_bar(); };
}

void SweepProgress::ended(std::size_t run, const WorkResult& result) {
  running_.erase(run);
  const PlannedRun& planned = sweep_.plan.runs[run];
  if (result.end == WorkEnd::finished) {
    estimate_.learn(planned, result.seconds);
    ++done_;
  }
  if (result.end == WorkEnd::failed) ++failed_;
  if (result.end == WorkEnd::finished || result.end == WorkEnd::failed) to_do_.erase(run);
  if (result.end == WorkEnd::busy) return draw_bar();
  if (style_ == ProgressStyle::json) {
    print_line(dump_any({{"event", "run"},
                         {"run", planned.name},
                         {"end", name(result.end)},
                         {"why", result.why},
                         {"seconds", result.seconds},
                         {"finished", done_},
                         {"failed", failed_},
                         {"runs", total_}}));
  } else if (style_ != ProgressStyle::quiet) {
    const std::string count =
        fmt::format("{:>{}}/{}", done_ + failed_, std::to_string(total_).size(), total_);
    if (result.end == WorkEnd::finished)
      print_line(fmt::format("{}  {}  {:.1f} s", count, planned.name, result.seconds));
    else if (result.end == WorkEnd::failed)
      print_line(fmt::format("{}  {}  failed: {}", count, planned.name, result.why));
    else
      print_line(fmt::format("{}  {}  interrupted", count, planned.name));
  }
}

double SweepProgress::seconds_left() const {
  double work = 0, longest = 0;
  for (const auto& [run, episode] : to_do_) {
    const double seconds = estimate_.seconds_left(sweep_.plan.runs[run], episode);
    work += seconds;
    longest = std::max(longest, seconds);
  }
  return std::max(work / jobs_, longest);
}

void SweepProgress::print_line(const std::string& line) {
  if (bar_shown_) fmt::print("\r\033[K");
  bar_shown_ = false;
  fmt::print("{}\n", line);
  std::fflush(stdout);
  drawn_ = {};
  draw_bar();
}

void SweepProgress::draw_bar() {
  const auto now = std::chrono::steady_clock::now();
  if (style_ != ProgressStyle::terminal || now - drawn_ < std::chrono::milliseconds(150)) return;
  drawn_ = now;
  std::string text = fmt::format("{}/{} runs", done_, total_);
  if (failed_ > 0) text += fmt::format(", {} failed", failed_);
  if (!to_do_.empty()) text += fmt::format("  {} left", duration(seconds_left()));
  for (const auto& [run, episode] : running_)
    text += fmt::format("  {} {}/{}", sweep_.plan.runs[run].name, episode,
                        sweep_.plan.runs[run].config.episodes);
  fmt::print("\r\033[K{}", bar_line(static_cast<double>(done_ + failed_) /
                                        static_cast<double>(std::max<std::size_t>(total_, 1)),
                                    text));
  std::fflush(stdout);
  bar_shown_ = true;
}

void SweepProgress::end() {
  if (bar_shown_) fmt::print("\r\033[K");
  bar_shown_ = false;
  std::fflush(stdout);
  to_do_.clear();
  style_ = style_ == ProgressStyle::terminal ? ProgressStyle::lines : style_;
}

}  // namespace rhc::app
