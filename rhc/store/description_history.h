// history.jsonl: how the description of a run's system was changed, and what stood there before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rhc {

struct ChangedDescription {
  std::string time;                      // when, in UTC; empty: not known
  int experiments = 0;                   // asked for or told under the description before
  std::vector<std::string> differences;  // in words
  std::string before;                    // the description that held until then
};

using DescriptionHistory = std::vector<ChangedDescription>;

// A line a change. InputError that begins with `where` for what is none.
std::string history_text(const DescriptionHistory& history);
DescriptionHistory parse_history(std::string_view text, const std::string& where);

// Without the times of the clock.
DescriptionHistory without_times(DescriptionHistory history);

}  // namespace rhc
