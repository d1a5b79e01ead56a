#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rhc/core/error.h"
#include "rhc/format/crc32.h"
#include "rhc/format/files.h"
#include "rhc/run/laboratory.h"
#include "rhc/store/trajectory_csv.h"

// Opening a laboratory: what an earlier process left unfinished, and what was damaged.

namespace rhc {

namespace {

// By hand, rather than by a change that was cut off.
bool description_changed(const RunRecord& run) {
  const std::filesystem::path file = run.path / kSystemFile;
  if (!std::filesystem::exists(file)) return true;
  const std::string text = read_text(file);
  const bool cut_off = !run.history.empty() && text == run.history.back().before;
  return text != run.description && !cut_off;
}

}  // namespace

// What a person must decide about. The rest follows from what was told, and is made anew.
void Laboratory::refuse_damage(const RunRecord& run, const LabRecord& lab, Damage damage) const {
  const std::filesystem::path file = path_ / kSystemFile;
  const bool there = std::filesystem::exists(file);
  if (description_changed(run) && damage == Damage::refused)
    throw InputError(fmt::format(
        "{}: {}. Nothing is planned or learned from such a description: {}`rhc resume {} --repair` "
        "puts the one back that the run goes by",
        file.string(), there ? "the description was changed by hand" : "the file is missing",
        there ? fmt::format("`rhc change {} {}` takes the change over, ", path_.string(),
                            file.string())
              : "",
        path_.string()));
  if (!lab.lost.empty())
    throw InputError(fmt::format(
        "{}\nPut a copy of it back, or let `rhc resume {} --repair` take the experiment back, as "
        "`rhc forget` does",
        fmt::join(lab.damaged, "\n     "), path_.string()));
}

// Whether what was learned is of other experiments than the notes tell of.
bool Laboratory::learned_from_others(const RunRecord& run) const {
  if (!run.checkpoint) return true;
  const auto learned = static_cast<int>(run.checkpoint->count("episode"));
  if (learned > last_done()) return true;
  for (int n = 1; n <= learned; ++n) {
    const auto known = run.files.find(episode_name("episodes", n));
    if (known == run.files.end() || known->second != crc32(episode_text(n))) return true;
  }
  return false;
}

// What 0.1 told and asked for is checked from now on.
bool Laboratory::add_checksums() {
  bool added = false;
  for (int n = 1; n <= notes_.count(); ++n) {
    if (!notes_[n].files.empty()) continue;
    for (const char* folder : {"plans", "predictions", "measured", "measured/read"})
      if (std::filesystem::exists(file_of(folder, n))) {
        notes_[n].files[episode_name(folder, n)] = crc32(read_text(file_of(folder, n)));
        added = true;
      }
  }
  if (notes_.descriptions != sum_of_descriptions()) {
    notes_.descriptions = sum_of_descriptions();
    added = true;
  }
  return added;
}

// Of all of them, for the day when the checkpoint is gone.
std::uint32_t Laboratory::sum_of_descriptions() const {
  std::string all;
  for (const SystemFile& description : descriptions_) all += description.text + '\0';
  return crc32(all);
}

// The descriptions, of which each experiment names one.
void Laboratory::take_descriptions(const RunRecord& run) {
  descriptions_.clear();
  for (const ChangedDescription& change : run.history)
    descriptions_.push_back(parse_system(change.before, kHistoryFile, path_));
  descriptions_.push_back(system_file_of(run));
  for (int n = 1; n <= notes_.count(); ++n)
    if (static_cast<std::size_t>(notes_[n].description) > descriptions_.size())
      throw InputError(fmt::format(
          "{}: experiment {} was made under description {}, which is lost; put a copy of the file "
          "back",
          (path_ / kHistoryFile).string(), n, notes_[n].description));
}

// What the notes say is done to the files that were told.
void Laboratory::sort_measurements(const LabRecord& lab) {
  for (const auto& [name, text] : lab.put_back) write_atomically(path_ / name, text);
  for (const int n : lab.lost) notes_[n].state = ExperimentState::forgotten;
  for (int n = 1; n <= notes_.count(); ++n)
    if (notes_[n].state == ExperimentState::forgotten &&
        std::filesystem::exists(file_of("measured", n)))
      std::filesystem::rename(file_of("measured", n), file_of("forgotten", n));
}

// Brings all that follows from the notes in line with them; each step may be repeated.
void Laboratory::settle(Lock lock, Damage damage) {
  rehearsed_.reset();
  run_.reset();
  campaign_.reset();
  RunRecord past = read_run(path_);
  const LabRecord lab = std::move(past.lab).value();
  if (damage != Damage::repaired) refuse_damage(past, lab, damage);
  notes_ = lab.notes;
  changed_ = lab.changed;
  remarks_ = past.recovered;
  remarks_.insert(remarks_.end(), past.damaged.begin(), past.damaged.end());
  take_descriptions(past);
  if (!past.checkpoint && notes_.descriptions && *notes_.descriptions != sum_of_descriptions())
    throw InputError(fmt::format(
        "{} or {}: the file was changed after it was written, and the checkpoint that knew it is "
        "gone; put a copy of one of them back",
        (path_ / kSystemFile).string(), kHistoryFile));
  const bool added = add_checksums();
  sort_measurements(lab);

  const bool other_description = description_changed(past);
  // What follows from what was told is mended by learning anew.
  const std::size_t not_learned = lab.damaged.size() + (other_description ? 1 : 0);
  if (notes_.relearn || past.damaged.size() > not_learned || learned_from_others(past)) {
    past.checkpoint.reset();
    past.rows.clear();
    past.beliefs.clear();
  }
  notes_.relearn = false;
  const std::string notes = notes_json(without_times(notes_));
  const bool in_line = past.manifest.status == kOpen &&
                       past.manifest.episodes_done == last_done() && past.recovered.empty() &&
                       !(other_description && damage == Damage::repaired) && past.checkpoint &&
                       past.checkpoint->has_text(kNotesKept) &&
                       past.checkpoint->text(kNotesKept) == notes;

  run_.emplace(RunDirectory::look_into(std::move(lock), std::move(past), last_done()));
  run_->keep(kNotesKept, notes);
  if (!lab.lost.empty() || added)
    write_notes();
  else if (!lab.recovered.empty())
    write_atomically(path_ / kLabNotes, notes_json(notes_));
  campaign_.emplace(run_->past().config, system().system, threads_);
  described_ = static_cast<int>(descriptions_.size());
  if (run_->past().checkpoint)
    campaign_->restore(*run_->past().checkpoint, learned_transitions(run_->past()),
                       ends_seen(run_->past()));
  else
    run_->commit(MetricsRow{}, std::nullopt, campaign_->save());
  if (!in_line) run_->amend();
  learn_up_to(last_done());
  run_->close(kOpen);
}

void Laboratory::settle_again() {
  run_.reset();
  settle(Lock(path_), Damage::refused);
}

}  // namespace rhc
