// A run whose experiments are carried out by hand: what is asked for and told is kept, and nothing
// is lost whenever the process ends.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rhc/describe/measured.h"
#include "rhc/explore/algorithm.h"
#include "rhc/store/lab_record.h"
#include "rhc/store/run_directory.h"

namespace rhc {

struct AskSettings {
  int count = 1;  // experiments that may be carried out before any is told
  // What was measured and done until now, which ends where the machine stands; nothing: at rest,
  // where the description says.
  std::optional<Trajectory> before{};
  bool anew = false;               // plan again what was asked for already
  std::optional<double> sigmas{};  // another margin than the description's; then it is planned anew
};

struct TellSettings {
  std::optional<int> experiment{};  // nothing: the oldest that was asked for
  bool aborted = false;
  bool ended = false;   // early, by the machine itself
  bool import = false;  // data that were not asked for
  MeasuredSettings measured{};
};

struct Told {
  int experiment;
  Index steps = 0;        // that were measured
  Index transitions = 0;  // learned from so far, in all experiments
  std::vector<std::string> remarks{};
  std::string announced{};  // and what came of it, in words; empty where nothing was announced
  std::optional<MetricsRow> row{};  // nothing where nothing was measured
};

class Laboratory {
 public:
  // Makes a new run directory for a described system.
  static void create(const std::filesystem::path& path, const SystemFile& system,
                     const Config& config);

  // What is done about files that are not as they were written, where a person must decide.
  enum class Damage {
    refused,      // InputError that says what to do
    redescribed,  // the description is about to be replaced
    repaired,     // the description is put back, and experiments without their data are forgotten
  };

  // Opens one and finishes what an earlier process did not. InputError where there is none.
  Laboratory(const std::filesystem::path& path, int threads, Damage damage = Damage::refused);

  // What was found damaged or unfinished in opening it, in words.
  const std::vector<std::string>& remarks() const { return remarks_; }

  const SystemFile& system() const { return descriptions_.back(); }
  const LabNotes& notes() const { return notes_; }
  const Campaign& campaign() const { return *campaign_; }

  // The experiments that are to be carried out next, the oldest first. Asked again, they are the
  // same until they were told.
  std::vector<Proposal> ask(const AskSettings& settings);

  // What would be asked for, without a trace.
  Proposal rehearse(const AskSettings& settings);

  // The oldest experiment that was asked for, of which `file` holds what was measured so far, with
  // its rest planned anew; without a trace. InputError where there is no rest, or nothing to plan
  // it with.
  struct Rest {
    ReplannedEpisode episode;
    Index seen;  // steps that were carried out
    std::vector<std::string> remarks;
  };
  Rest plan_rest(const std::filesystem::path& file, const MeasuredSettings& how,
                 std::optional<double> sigmas);

  // From now on this is what was asked for under its number.
  void replace(const Proposal& proposal);

  // Takes what was measured. Without a file: the experiment was aborted before anything was.
  Told tell(const std::optional<std::filesystem::path>& file, const TellSettings& settings);

  // The experiment that was told with just these measurements.
  std::optional<int> told_as(const std::string& text) const;

  // Takes an experiment back: the model is as if it had never been.
  void forget(int experiment);

  // Whether an experiment is under way that was planned before the description was changed.
  bool asked_before_change() const;

  // Another description holds from here on, and the history says so. What was told must mean the
  // same under it.
  void change(const SystemFile& system, const std::vector<std::string>& differences);

 private:
  const SystemSpec& spec() const { return system().system.spec(); }
  const SystemFile& description_of(int experiment) const;
  std::filesystem::path file_of(const char* folder, int experiment) const;
  void write_notes();

  void settle(Lock lock, Damage damage);
  void settle_again();
  void refuse_damage(const RunRecord& run, const LabRecord& lab, Damage damage) const;
  bool learned_from_others(const RunRecord& run) const;
  void take_descriptions(const RunRecord& run);
  bool add_checksums();
  std::uint32_t sum_of_descriptions() const;
  void sort_measurements(const LabRecord& lab);
  void describe(int description);
  std::optional<MetricsRow> learn_up_to(int experiment);
  int last_done() const;
  std::string episode_text(int experiment) const;

  std::vector<Proposal> under_way() const;
  Proposal recorded(int experiment) const;
  bool whole(const char* folder, int experiment) const;
  void refuse_changed_plans(const std::vector<Proposal>& asked) const;
  Trajectory measured(const Proposal& proposal) const;
  Proposal propose(int experiment, const ProposalSettings& wanted,
                   const std::vector<Proposal>& others);
  Trajectory at_rest(const Vector& start) const;
  Trajectory past_of(const ExperimentNote& note) const;
  Trajectory before_of(const AskSettings& settings) const;
  Trajectory inside(Trajectory before) const;
  bool anew(const AskSettings& settings, const std::vector<Proposal>& asked) const;
  void keep(const Proposal& proposal);

  int number_to_tell(const TellSettings& settings) const;
  void check_told(int number, const Trajectory& trajectory, const TellSettings& settings) const;
  std::vector<std::string> remarks_on_record() const;

  std::filesystem::path path_;
  int threads_;
  std::vector<SystemFile> descriptions_;  // number k is at k - 1; the last one holds
  LabNotes notes_;
  std::set<std::string> changed_;  // files that are not as they were written
  std::vector<std::string> remarks_;
  std::optional<RunDirectory> run_;
  std::optional<Campaign> campaign_;
  int described_ = 0;  // the description that the campaign goes by
  std::optional<Proposal> rehearsed_;
};

}  // namespace rhc
