// How long runs will take: a guess at first, and better with every run that is done.
#pragma once

#include <map>
#include <string>

#include "rhc/study/sweep_plan.h"

namespace rhc {

// Seconds of a whole run on one core of an ordinary machine, within a factor of about two.
double guessed_seconds(const Config& config);

class Estimate {
 public:
  void learn(const PlannedRun& run, double seconds);

  // The mean of the runs of its group; before the first, a guess in proportion to how guesses went.
  double seconds_of(const PlannedRun& run) const;

  // The same of what is left after so many episodes.
  double seconds_left(const PlannedRun& run, int episodes_done) const;

 private:
  struct Sum {
    double seconds = 0, guessed = 0;
    int runs = 0;
  };
  std::map<std::string, Sum> groups_;
  Sum all_;
};

}  // namespace rhc
