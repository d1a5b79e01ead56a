// How late actions act, and how far back a model must look: what the record says of it.
#pragma once

#include <optional>
#include <vector>

#include "rhc/system/spec.h"

namespace rhc {

struct NeededHistory {
  int history;            // with which a model sees all that it needs
  int moments;            // observations that it needs, the last one included
  std::vector<int> late;  // of each action, whole steps until it acts; 0: at once
  Index output;           // that such a model predicts better
  // Its one-step errors (root mean square, of steps that were not learned from), with the history
  // that the system is described with and with the needed one.
  double error_now, error;
};

// Nothing where the described history is as good as a longer one, or where the episodes are too few
// to tell. The same episodes give the same answer.
std::optional<NeededHistory> needed_history(const std::vector<Trajectory>& episodes,
                                            const SystemSpec& spec);

}  // namespace rhc
