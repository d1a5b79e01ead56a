// experiments.json: which experiments of a run were asked for, and what became of each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rhc/core/types.h"
#include "rhc/store/ledger.h"

namespace rhc {

enum class ExperimentState {
  asked,      // somebody is at it
  told,       // measured and learned from
  aborted,    // measured in part, or not at all
  imported,   // measured before, or for another purpose
  forgotten,  // told and taken back
};

std::string name(ExperimentState state);

struct ExperimentNote {
  ExperimentState state = ExperimentState::asked;
  Vector start{};  // observation that its plan begins with
  // What was seen and done before the start, as far as a plan depends on it; nothing: all was at
  // rest. Columns are steps.
  Matrix past_observations{}, past_actions{};
  std::optional<double> information{};  // nats that its plan promised
  std::string plan_status{};            // empty: nothing was planned
  std::string asked{}, told{};          // when, in UTC; empty: never
  std::string source{};                 // the file that it was told from
  int description = 1;                  // which of the run's descriptions it was made under
  Ledger files{};                       // of its plan, its prediction and what was told
};

struct LabNotes {
  std::vector<ExperimentNote> experiments;      // number k is at k - 1
  int revision = 0;                             // grows with every change
  std::optional<std::uint32_t> descriptions{};  // checksum of all descriptions, in their order
  bool relearn = false;  // by 0.1: what was learned does not belong to these notes

  int count() const { return static_cast<int>(experiments.size()); }
  const ExperimentNote& operator[](int number) const;
  ExperimentNote& operator[](int number);
};

inline constexpr char kLabNotes[] = "experiments.json";

// The file's content. It ends with a checksum of its own.
std::string notes_json(const LabNotes& notes);

// InputError where it is no such list or was changed; `where` is what errors call it.
LabNotes parse_notes(std::string_view text, const std::string& where);

// Without the times of the clock, so that the same experiments give the same bytes.
LabNotes without_times(LabNotes notes);

}  // namespace rhc
