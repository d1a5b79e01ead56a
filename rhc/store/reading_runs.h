// What reading a run's summary and reading all of it share.
#pragma once

#include <fmt/format.h>

#include "rhc/core/error.h"
#include "rhc/format/files.h"
#include "rhc/format/json.h"
#include "rhc/store/description_history.h"
#include "rhc/store/run_summary.h"

namespace rhc {

// What there is, who made it, and whether somebody writes it.
void read_head(RunSummary& run, const std::filesystem::path& path);

// All that a summary holds, with what the checkpoint knows better.
void read_results(RunSummary& run, const std::optional<NamedValues>& checkpoint,
                  const Config* expected);

// Of the checkpoint: nothing where it is missing or damaged.
using ReadArchive = NamedValues (*)(const std::filesystem::path&);
std::optional<NamedValues> read_checkpoint(RunSummary& run, ReadArchive read);

// Runs of 0.1 know the checksums of their episodes alone.
bool knows_files(const NamedValues& checkpoint);

// By `rhc evaluate --write`. A number in a checkpoint of 0.1, a text in ours.
bool being_replaced(const NamedValues& checkpoint);

DescriptionHistory history_kept(const NamedValues& checkpoint);

// Rows of a file that may end in the middle of one. Rows after one that is missing are not read.
template <class Row>
std::vector<Row> read_rows(RunSummary& run, const char* file, Row (*parse)(const JsonReader&)) {
  std::vector<Row> rows;
  if (!std::filesystem::exists(run.path / file)) return rows;
  const std::string text = read_text(run.path / file);
  try {
    const JsonLines lines = read_json_lines(text, (run.path / file).string());
    if (lines.cut_off)
      run.recovered.push_back(fmt::format("{}: its last line was cut off and is left out", file));
    for (const JsonReader& line : lines.rows) rows.push_back(parse(line));
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
  }
  return rows;
}

}  // namespace rhc
