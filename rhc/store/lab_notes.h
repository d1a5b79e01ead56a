// experiments.json: which experiments of a run were asked for, and what became of each.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rhc/core/types.h"

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
  Vector start{};                       // observation that its plan begins with
  std::optional<double> information{};  // nats that its plan promised
  std::string plan_status{};            // empty: nothing was planned
  std::string asked{}, told{};          // when, in UTC; empty: never
  std::string source{};                 // the file that it was told from
};

struct LabNotes {
  std::vector<ExperimentNote> experiments;  // number k is at k - 1
  bool relearn = false;  // what was learned does not belong to these notes: all is learned anew

  int count() const { return static_cast<int>(experiments.size()); }
  const ExperimentNote& operator[](int number) const;
  ExperimentNote& operator[](int number);
};

inline constexpr char kLabNotes[] = "experiments.json";

std::string notes_json(const LabNotes& notes);
LabNotes read_notes(const std::filesystem::path& file);

}  // namespace rhc
