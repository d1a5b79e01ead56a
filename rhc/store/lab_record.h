// A laboratory as it lies on disk: its notes, and whether what they speak of is as it was.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "rhc/core/named_values.h"
#include "rhc/store/lab_notes.h"

namespace rhc {

struct LabRecord {
  LabNotes notes;
  std::vector<std::string> recovered;           // what was mended in reading
  std::vector<std::string> damaged;             // what could not be, each naming its file
  std::set<std::string> changed;                // names of files that are not as they were written
  std::set<int> lost;                           // experiments whose data are
  std::map<std::string, std::string> put_back;  // by name: what a file must hold again
};

// `checkpoint`: null where there is none. InputError where neither experiments.json nor the
// checkpoint has the notes.
LabRecord read_lab(const std::filesystem::path& run, const NamedValues* checkpoint);

// The notes in a checkpoint, without their times.
inline constexpr char kNotesKept[] = "experiments";

// Whether an experiment in this state has data.
bool has_data(ExperimentState state);

}  // namespace rhc
