#include "rhc/store/lab_record.h"

#include <fmt/format.h>

#include "rhc/core/error.h"
#include "rhc/format/crc32.h"
#include "rhc/format/files.h"
#include "rhc/store/run_record.h"

namespace rhc {

namespace {

constexpr char kMeasured[] = "measured/", kRead[] = "measured/read/", kForgotten[] = "forgotten/";

std::optional<std::string> text_of(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  return read_text(file);
}

std::optional<LabNotes> notes_kept(const NamedValues* checkpoint) {
  if (!checkpoint || !checkpoint->has_text(kNotesKept)) return std::nullopt;
  return parse_notes(checkpoint->text(kNotesKept), "experiments of the checkpoint");
}

// The file's, unless the checkpoint knows newer ones: whoever writes comes to the file first.
LabNotes newest_notes(const std::filesystem::path& run, const NamedValues* checkpoint,
                      LabRecord& lab) {
  const std::string file = (run / kLabNotes).string();
  const std::optional<LabNotes> kept = notes_kept(checkpoint);
  std::string why = file + ": the file is missing";
  try {
    if (const auto text = text_of(file)) {
      const LabNotes notes = parse_notes(*text, file);
      if (kept && notes.revision > kept->revision)
        lab.recovered.push_back(fmt::format(
            "{}: the file is older than {}; the next `rhc ask` or `rhc tell` brings it in line",
            (run / "checkpoint").string(), kLabNotes));
      if (!kept || notes.revision > kept->revision ||
          notes_json(without_times(notes)) == notes_json(*kept))
        return notes;
      why = file + ": the file is older than the checkpoint";
    }
  } catch (const InputError& error) {
    why = error.what();
  }
  if (!kept) throw InputError(why + "; the checkpoint does not know what stood there either");
  lab.recovered.push_back(why + "; it was taken from the checkpoint, without its times");
  return *kept;
}

// What was told stands in episodes/, too.
void mend_from_episode(const std::filesystem::path& run, LabRecord& lab, int number,
                       std::uint32_t sum) {
  const std::string name = episode_name("measured/read", number);
  const auto copy = text_of(run / episode_name("episodes", number));
  if (!copy || crc32(*copy) != sum) {
    lab.lost.insert(number);
    return;
  }
  lab.put_back[name] = *copy;
  lab.changed.erase(name);
  lab.damaged.pop_back();
  lab.recovered.push_back(
      fmt::format("{}: the file was changed after it was written, and is made anew from episodes/",
                  (run / name).string()));
}

void check_experiment(const std::filesystem::path& run, LabRecord& lab, int number) {
  const ExperimentNote& note = lab.notes[number];
  for (const auto& [name, sum] : note.files) {
    // What was taken back is moved after the notes say so.
    const bool told = name.starts_with(kMeasured), read = name.starts_with(kRead);
    if (read && !has_data(note.state)) continue;
    std::filesystem::path file = run / name;
    if (told && !read && note.state == ExperimentState::forgotten && !std::filesystem::exists(file))
      file = run / (kForgotten + episode_file(number));
    const std::optional<std::string> text = text_of(file);
    if (text && crc32(*text) == sum) continue;
    lab.changed.insert(name);
    lab.damaged.push_back(file.string() + (text ? ": the file was changed after it was written"
                                                : ": the file is missing"));
    if (read) mend_from_episode(run, lab, number, sum);
  }
}

}  // namespace

bool has_data(ExperimentState state) {
  return state != ExperimentState::asked && state != ExperimentState::forgotten;
}

LabRecord read_lab(const std::filesystem::path& run, const NamedValues* checkpoint) {
  LabRecord lab;
  lab.notes = newest_notes(run, checkpoint, lab);
  for (int number = 1; number <= lab.notes.count(); ++number) check_experiment(run, lab, number);
  return lab;
}

}  // namespace rhc
