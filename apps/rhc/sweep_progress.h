// What a person sees of a sweep while it goes on: a line a run, on a terminal with a bar below.
#pragma once

#include <chrono>
#include <map>

#include "apps/rhc/progress.h"
#include "rhc/study/local_launcher.h"

namespace rhc::app {

class SweepProgress {
 public:
  // `to_do`: places in the plan of the runs that are neither finished nor failed before.
  SweepProgress(ProgressStyle style, const Sweep& sweep, const std::vector<std::size_t>& to_do,
                std::size_t failed, Estimate estimate, int jobs);

  void attach(SweepEvents& events);
  void end();

 private:
  void ended(std::size_t run, const WorkResult& result);
  void print_line(const std::string& line);
  void draw_bar();
  double seconds_left() const;

  ProgressStyle style_;
  const Sweep& sweep_;
  Estimate estimate_;
  int jobs_;
  std::size_t done_ = 0, failed_ = 0, total_;
  std::map<std::size_t, int> running_;  // episodes done
  std::map<std::size_t, int> to_do_;    // not ended: episodes done when last seen
  std::chrono::steady_clock::time_point drawn_{};
  bool bar_shown_ = false;
};

}  // namespace rhc::app
