// A run whose experiments are carried out by hand: what is asked for and told is kept, and nothing
// is lost whenever the process ends.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rhc/describe/measured.h"
#include "rhc/explore/algorithm.h"
#include "rhc/store/lab_notes.h"
#include "rhc/store/run_directory.h"

namespace rhc {

struct AskSettings {
  int count = 1;                   // experiments that may be carried out before any is told
  std::optional<Vector> start{};   // observation; nothing: as the description says
  bool anew = false;               // plan again what was asked for already
  std::optional<double> sigmas{};  // another margin than the description's; then it is planned anew
};

struct TellSettings {
  std::optional<int> experiment{};  // nothing: the oldest that was asked for
  bool aborted = false;
  bool import = false;  // data that were not asked for
  MeasuredSettings measured{};
};

struct Told {
  int experiment;
  Index steps = 0;        // that were measured
  Index transitions = 0;  // learned from so far, in all experiments
  std::vector<std::string> remarks{};
  std::optional<MetricsRow> row{};  // nothing where nothing was measured
};

class Laboratory {
 public:
  // Makes a new run directory for a described system.
  static void create(const std::filesystem::path& path, const SystemFile& system,
                     const Config& config);

  // Opens one and finishes what an earlier process did not. InputError where there is none.
  Laboratory(const std::filesystem::path& path, int threads);

  const SystemFile& system() const { return file_; }
  const LabNotes& notes() const { return notes_; }
  const Campaign& campaign() const { return *campaign_; }

  // The experiments that are to be carried out next, the oldest first. Asked again, they are the
  // same until they were told.
  std::vector<Proposal> ask(const AskSettings& settings);

  // What would be asked for, without a trace.
  Proposal rehearse(const AskSettings& settings);

  // Takes what was measured. Without a file: the experiment was aborted before anything was.
  Told tell(const std::optional<std::filesystem::path>& file, const TellSettings& settings);

  // Takes an experiment back: the belief is as if it had never been.
  void forget(int experiment);

 private:
  const SystemSpec& spec() const { return file_.system.spec(); }
  std::filesystem::path file_of(const char* folder, int experiment) const;
  void write_notes() const;

  // Brings what was learned in line with the notes.
  void settle();
  void forget_what_was_learned() const;
  std::optional<MetricsRow> learn_up_to(int experiment);
  int last_done() const;
  std::string episode_text(int experiment) const;

  std::vector<Proposal> under_way() const;
  Proposal recorded(int experiment) const;
  Trajectory measured(const Proposal& proposal) const;
  Proposal propose(int experiment, const ProposalSettings& wanted,
                   const std::vector<Proposal>& others);
  Vector start_of(const AskSettings& settings) const;
  bool anew(const AskSettings& settings, const std::vector<Proposal>& asked) const;
  void keep(const Proposal& proposal);

  int number_to_tell(const TellSettings& settings) const;
  void check_told(int number, const Trajectory& trajectory, const TellSettings& settings) const;
  void refuse_double(const std::string& text) const;

  std::filesystem::path path_;
  int threads_;
  SystemFile file_;
  LabNotes notes_;
  std::optional<RunDirectory> run_;
  std::optional<Campaign> campaign_;
  std::optional<Proposal> rehearsed_;
};

// Whether the run at this path is one of these.
bool is_laboratory(const std::filesystem::path& run);

}  // namespace rhc
