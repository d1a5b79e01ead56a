// How long the paper's runs took: its table 1.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rhc {

// What such a run is, and where the paper's were made.
inline constexpr int kPaperEpisodes = 20;
inline constexpr char kPaperCpu[] = "Intel Xeon E5-2670";

struct PaperRunTime {
  std::string system, method;   // by our names
  std::optional<double> hours;  // on the wall, mean of its runs, evaluation included; none: the
                                // authors could not run it
};

std::vector<PaperRunTime> paper_run_times();

}  // namespace rhc
