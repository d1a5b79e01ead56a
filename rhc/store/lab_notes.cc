#include "rhc/store/lab_notes.h"

#include <fmt/format.h>

#include <utility>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/format/json.h"
#include "rhc/format/json_checksum.h"

namespace rhc {

namespace {

constexpr char kNotesFormat[] = "rhc-experiments";
constexpr int kNotesVersion = 1;

const std::vector<std::string>& state_names() {
  static const std::vector<std::string> names = {"asked", "told", "aborted", "imported",
                                                 "forgotten"};
  return names;
}

ExperimentState state_named(const JsonReader& reader, const std::string& word) {
  for (std::size_t i = 0; i < state_names().size(); ++i)
    if (state_names()[i] == word) return static_cast<ExperimentState>(i);
  reader.fail(unknown_name("state", word, state_names()));
}

}  // namespace

std::string name(ExperimentState state) { return state_names()[static_cast<std::size_t>(state)]; }

const ExperimentNote& LabNotes::operator[](int number) const {
  if (number < 1 || number > count())
    throw InputError(count() == 0
                         ? fmt::format("there is no experiment {}: none was asked for yet", number)
                         : fmt::format("there is no experiment {}; they are numbered from 1 to {}",
                                       number, count()));
  return experiments[static_cast<std::size_t>(number) - 1];
}

ExperimentNote& LabNotes::operator[](int number) {
  return const_cast<ExperimentNote&>(std::as_const(*this)[number]);
}

std::string notes_json(const LabNotes& notes) {
  Json list = Json::array();
  for (int number = 1; number <= notes.count(); ++number) {
    const ExperimentNote& note = notes[number];
    Json entry{{"experiment", number}, {"state", name(note.state)}};
    if (!note.asked.empty()) entry["asked"] = note.asked;
    if (!note.told.empty()) entry["told"] = note.told;
    if (!note.source.empty()) entry["source"] = note.source;
    if (note.start.size() > 0) entry["start"] = vector_json(note.start);
    if (note.past_actions.cols() > 0) {
      entry["past_observations"] = matrix_json(note.past_observations);
      entry["past_actions"] = matrix_json(note.past_actions);
    }
    if (note.information) entry["information_planned"] = *note.information;
    if (!note.plan_status.empty()) entry["plan_status"] = note.plan_status;
    if (note.description != 1) entry["description"] = note.description;
    for (const auto& [file, sum] : note.files) entry["files"][file] = checksum_text(sum);
    list.push_back(entry);
  }
  Json all{{"format", kNotesFormat},
           {"format_version", kNotesVersion},
           {"revision", notes.revision},
           {"experiments", list}};
  if (notes.descriptions) all["descriptions"] = checksum_text(*notes.descriptions);
  if (notes.relearn) all["relearn"] = true;
  seal(all);
  return dump_any(all, 1) + "\n";
}

LabNotes parse_notes(std::string_view content, const std::string& where) {
  const JsonReader reader(content, where);
  reader.check_format(kNotesFormat, "list of experiments", kNotesVersion);
  check_seal(reader);
  LabNotes notes;
  if (reader.has("revision")) notes.revision = static_cast<int>(reader.count("revision", 0));
  if (reader.has("descriptions"))
    notes.descriptions = checksum_of(reader, reader.at("descriptions"));
  if (reader.has("relearn")) {
    const Json& relearn = reader.at("relearn");
    if (!relearn.is_boolean()) reader.fail("'relearn' is not true or false");
    notes.relearn = relearn.get<bool>();
  }
  const Json& list = reader.at("experiments");
  if (!list.is_array()) reader.fail("'experiments' is not a list");
  for (const Json& item : list) {
    const JsonReader entry(item.dump(), fmt::format("{}: experiment {}", where, notes.count() + 1));
    if (entry.count("experiment", 1) != notes.count() + 1) entry.fail("is out of order");
    ExperimentNote note{.state = state_named(entry, entry.text("state"))};
    const auto text = [&](const char* key) { return entry.has(key) ? entry.text(key) : ""; };
    note.asked = text("asked");
    note.told = text("told");
    note.source = text("source");
    note.plan_status = text("plan_status");
    if (entry.has("start")) note.start = entry.vector("start", entry.size("start"));
    if (entry.has("past_actions")) {
      const Index acted = entry.size("past_actions");
      const Json& first = entry.at("past_actions")[0];
      const auto steps = static_cast<Index>(first.is_array() ? first.size() : 0);
      note.past_actions = entry.matrix("past_actions", acted, steps);
      note.past_observations = entry.matrix("past_observations", note.start.size(), steps);
    }
    if (entry.has("information_planned")) note.information = entry.number("information_planned");
    if (entry.has("description"))
      note.description = static_cast<int>(entry.count("description", 1));
    if (entry.has("files"))
      for (const auto& [name, sum] : entry.at("files").items())
        note.files[name] = checksum_of(entry, sum);
    notes.experiments.push_back(std::move(note));
  }
  return notes;
}

LabNotes without_times(LabNotes notes) {
  for (ExperimentNote& note : notes.experiments) note.asked = note.told = "";
  return notes;
}

}  // namespace rhc
