#include "rhc/store/run_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/format/crc32.h"
#include "rhc/format/files.h"
#include "rhc/store/archive.h"
#include "rhc/store/lab_notes.h"
#include "rhc/store/reading_runs.h"
#include "rhc/store/trajectory_csv.h"

namespace rhc {

namespace {

NamedValues read_archive(const std::filesystem::path& path) {
  return parse_archive(read_text(path, kLargestMatrixFile), path.string());
}

// What a person carried out, and whether it is as it was.
void add_laboratory(RunRecord& run) {
  run.lab = read_lab(run.path, run.checkpoint ? &*run.checkpoint : nullptr);
  run.recovered.insert(run.recovered.end(), run.lab->recovered.begin(), run.lab->recovered.end());
  run.changed.insert(run.lab->changed.begin(), run.lab->changed.end());
  for (const std::string& damage : run.lab->damaged)
    if (std::find(run.damaged.begin(), run.damaged.end(), damage) == run.damaged.end())
      run.damaged.push_back(damage);
}

// The history as the checkpoint has it, with the times of the file.
void read_history(RunRecord& run) {
  const std::filesystem::path path = run.path / kHistoryFile;
  std::optional<DescriptionHistory> written;
  try {
    if (std::filesystem::exists(path)) written = parse_history(read_text(path), path.string());
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
  }
  if (!run.checkpoint || !knows_files(*run.checkpoint)) {
    run.history = written.value_or(DescriptionHistory{});
    return;
  }
  run.history = history_kept(*run.checkpoint);
  const std::string kept = history_text(run.history);
  const std::string there = history_text(without_times(written.value_or(DescriptionHistory{})));
  if (there == kept) {
    if (written) run.history = *written;
  } else if (there.starts_with(kept)) {
    written->resize(run.history.size());
    run.history = *written;
    run.recovered.push_back("history.jsonl: its last change was cut off before it held");
  } else if (kept.starts_with(there)) {
    run.recovered.push_back("history.jsonl: what it lacks was taken from the checkpoint");
  } else {
    run.damaged.push_back(path.string() + ": the file was changed after it was written");
  }
}

// Only notes know which description an experiment was made under.
void read_descriptions(RunRecord& run) {
  if (run.history.empty() || !run.checkpoint || !run.checkpoint->has_text(kNotesKept)) return;
  for (const ChangedDescription& change : run.history)
    run.descriptions.push_back(parse_system(change.before, kHistoryFile, run.path).system);
  run.descriptions.push_back(system_of(run));
  const auto newest = static_cast<int>(run.descriptions.size());
  run.made_under.assign(run.episodes.size(), newest);
  const LabNotes notes = parse_notes(run.checkpoint->text(kNotesKept), "notes of the checkpoint");
  for (int n = 1; n <= std::min(notes.count(), static_cast<int>(run.made_under.size())); ++n)
    run.made_under[static_cast<std::size_t>(n) - 1] = std::min(notes[n].description, newest);
}

void check_beliefs(RunRecord& run, const NamedValues& checkpoint, int done) {
  const std::string file = (run.path / "beliefs.jsonl").string();
  std::size_t number = 0;
  for (const std::string_view line : split(trim(checkpoint.text("beliefs")), '\n')) {
    if (line.empty()) continue;
    if (number >= run.beliefs.size()) {
      run.beliefs.push_back(belief_record({line, "beliefs of the checkpoint"}));
      run.recovered.push_back(
          fmt::format("beliefs.jsonl: row {} was taken from the checkpoint", number + 1));
    } else if (belief_json(run.beliefs[number]).dump() != line) {
      run.beliefs[number] = belief_record({line, "beliefs of the checkpoint"});
      run.damaged.push_back(
          fmt::format("{}:{}: the row was changed after it was written", file, number + 1));
    }
    ++number;
  }
  // Whoever writes may be ahead of the checkpoint, but not behind it.
  for (; number < run.beliefs.size(); ++number)
    if (run.beliefs[number].episode <= done)
      run.damaged.push_back(fmt::format("{}:{}: there is a row too many", file, number + 1));
}

// The checksums of the files that the checkpoint has seen.
Ledger ledger_of(const NamedValues& checkpoint, int done) {
  if (knows_files(checkpoint)) return parse_ledger(checkpoint.text("files"), checkpoint.origin);
  Ledger ledger;
  const Matrix& sums = checkpoint.matrix("episode_checksums", done, 1);
  for (int episode = 1; episode <= done; ++episode) {
    const double sum = sums(episode - 1, 0);
    if (!(sum >= 0 && sum < 4294967296.0))
      throw InputError(fmt::format("{}: episode {} has no checksum", checkpoint.origin, episode));
    ledger[episode_name("episodes", episode)] = static_cast<std::uint32_t>(sum);
  }
  return ledger;
}

// What 0.1 wrote is checked from the next episode on.
void add_unchecked(RunRecord& run, int done) {
  for (const char* folder : {"predictions", "tasks"})
    for (int episode = 1; episode <= done; ++episode) {
      const std::string name = episode_name(folder, episode);
      if (std::filesystem::exists(run.path / name))
        run.files[name] = crc32(read_text(run.path / name));
    }
}

void check_files(RunRecord& run, const NamedValues& checkpoint, int done) {
  for (const auto& [name, sum] : ledger_of(checkpoint, done)) {
    const std::filesystem::path file = run.path / name;
    const bool task = name.starts_with("tasks/");
    // They are being made anew.
    if (task && being_replaced(checkpoint)) continue;
    // Episodes were read already.
    const auto read = run.files.find(name);
    const bool there = read != run.files.end() || std::filesystem::exists(file);
    const std::uint32_t found = read != run.files.end() ? read->second
                                : there                 ? crc32(read_text(file))
                                                        : 0;
    if (there && found == sum) {
      run.files[name] = sum;
      continue;
    }
    run.changed.insert(name);
    const bool told = std::any_of(run.damaged.begin(), run.damaged.end(), [&](const auto& damage) {
      return damage.starts_with(file.string());
    });
    if (!told)
      run.damaged.push_back(file.string() + (there ? ": the file was changed after it was written"
                                                   : ": the file is missing"));
  }
  for (int episode = 1; episode <= done; ++episode) {
    const auto i = static_cast<std::size_t>(episode) - 1;
    if (i >= run.episodes.size()) run.episodes.resize(i + 1);
    if (run.changed.contains(episode_name("episodes", episode))) run.episodes[i].reset();
  }
  if (!knows_files(checkpoint)) add_unchecked(run, done);
}

// What the checkpoint knows is checked against what stands in the files.
void check_against_checkpoint(RunRecord& run) {
  const NamedValues& checkpoint = *run.checkpoint;
  const auto done = static_cast<int>(checkpoint.count("episode"));
  check_files(run, checkpoint, done);
  check_beliefs(run, checkpoint, done);
}

void read_episodes(RunRecord& run) {
  int last = 0;
  std::error_code error;
  const std::filesystem::directory_iterator entries(run.path / "episodes", error);
  if (error && error != std::errc::no_such_file_or_directory)
    throw InputError(
        fmt::format("cannot open '{}': {}", (run.path / "episodes").string(), error.message()));
  for (const auto& entry : entries) {
    const auto number = parse_integer(entry.path().stem().string());
    if (number && *number > 0 && entry.path().filename() == episode_file(static_cast<int>(*number)))
      last = std::max(last, static_cast<int>(*number));
  }
  run.episodes.resize(static_cast<std::size_t>(last));
  for (int episode = 1; episode <= last; ++episode) {
    const std::filesystem::path file = run.path / "episodes" / episode_file(episode);
    const auto i = static_cast<std::size_t>(episode) - 1;
    if (!std::filesystem::exists(file)) continue;
    const std::string text = read_text(file);
    run.files[episode_name("episodes", episode)] = crc32(text);
    try {
      run.episodes[i] = parse_trajectory(text, file.string(), run.spec);
    } catch (const InputError& bad) {
      run.damaged.emplace_back(bad.what());
    }
  }
}

}  // namespace

bool RunRecord::holds(const std::string& name) const {
  return !changed.contains(name) && std::filesystem::exists(path / name);
}

const System* RunRecord::description_of(std::size_t index) const {
  if (index >= made_under.size()) return nullptr;
  return &descriptions.at(static_cast<std::size_t>(made_under[index]) - 1);
}

const Box& RunRecord::limits_of(std::size_t index) const {
  const System* described = description_of(index);
  return described ? described->spec().limits : spec.limits;
}

RunRecord read_run(const std::filesystem::path& path) {
  RunRecord run;
  read_head(run, path);
  // The checkpoint first: while somebody writes, the other files can only be ahead of it.
  run.checkpoint = read_checkpoint(run, read_archive);
  read_results(run, run.checkpoint, nullptr);
  run.spec = system_of(run).spec();
  run.beliefs = read_rows(run, "beliefs.jsonl", belief_record);
  read_episodes(run);
  try {
    read_history(run);
    if (run.checkpoint) check_against_checkpoint(run);
    if (is_laboratory(run)) add_laboratory(run);
    read_descriptions(run);
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
    run.checkpoint.reset();
  }
  share_networks(run.beliefs);
  return run;
}

std::vector<Transitions> learned_transitions(const RunRecord& run) {
  std::vector<Transitions> learned;
  const auto count = static_cast<std::size_t>(run.checkpoint->count("episode"));
  for (std::size_t i = 0; i < count; ++i)
    learned.push_back(transitions_of(run.episodes[i].value(), run.limits_of(i), run.spec.history));
  return learned;
}

EndsSeen ends_seen(const RunRecord& run) {
  EndsSeen ends;
  const auto count = static_cast<std::size_t>(run.checkpoint->count("episode"));
  for (std::size_t i = 0; i < count; ++i)
    note_episode(run.episodes[i].value(), run.limits_of(i), ends);
  return ends;
}

}  // namespace rhc
