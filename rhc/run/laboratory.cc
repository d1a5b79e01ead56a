#include "rhc/run/laboratory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rhc/core/error.h"
#include "rhc/format/files.h"
#include "rhc/run/told_remarks.h"
#include "rhc/store/trajectory_csv.h"

namespace rhc {

namespace {

// Of a run that waits for somebody to carry an experiment out.
constexpr char kOpen[] = "open";

bool has_data(ExperimentState state) {
  return state != ExperimentState::asked && state != ExperimentState::forgotten;
}

// Nothing but where it began.
Trajectory empty_trajectory(const SystemSpec& spec, const Vector& start) {
  return {start, Matrix(static_cast<Index>(spec.action.size()), 0)};
}

}  // namespace

bool is_laboratory(const std::filesystem::path& run) {
  return std::filesystem::exists(run / kLabNotes);
}

void Laboratory::create(const std::filesystem::path& path, const SystemFile& system,
                        const Config& config) {
  // Refused here rather than after a directory was made.
  Campaign campaign(config, system.system, 1);
  campaign.ask();
  RunDirectory run(path, config, Sync::now, system.text);
  for (const char* folder : {"plans", "measured", "forgotten"}) make_directories(path / folder);
  write_atomically(path / kLabNotes, notes_json({}));
  run.commit(MetricsRow{}, std::nullopt, campaign.save());
  run.close(kOpen);
}

Laboratory::Laboratory(const std::filesystem::path& path, int threads)
    : path_(path),
      threads_(threads),
      file_{[&] {
        const RunSummary run = read_summary(path);
        if (!is_laboratory(path))
          throw InputError(fmt::format(
              "'{}' is a run that rhc carries out by itself (`rhc resume`); `rhc new` begins one "
              "whose experiments are yours",
              path.string()));
        return read_system_file(path / kSystemFile);
      }()},
      notes_(read_notes(path / kLabNotes)) {
  settle();
}

std::filesystem::path Laboratory::file_of(const char* folder, int experiment) const {
  return path_ / folder / episode_file(experiment);
}

void Laboratory::write_notes() const { write_atomically(path_ / kLabNotes, notes_json(notes_)); }

int Laboratory::last_done() const {
  int last = 0;
  for (int n = 1; n <= notes_.count(); ++n)
    if (notes_[n].state != ExperimentState::asked) last = n;
  return last;
}

// As it stands in episodes/: what was told, or nothing.
std::string Laboratory::episode_text(int experiment) const {
  const ExperimentNote& note = notes_[experiment];
  if (has_data(note.state) && !note.source.empty())
    return read_text(file_of("measured/read", experiment));
  const Vector start = note.start.size() > 0 ? note.start : file_.system.observe(spec().start);
  return trajectory_csv(spec(), empty_trajectory(spec(), start));
}

// Whatever follows from the experiments is made anew; each step may be repeated.
void Laboratory::forget_what_was_learned() const {
  for (int n = 1; n <= notes_.count(); ++n) {
    if (notes_[n].state == ExperimentState::forgotten &&
        std::filesystem::exists(file_of("measured", n)))
      std::filesystem::rename(file_of("measured", n), file_of("forgotten", n));
    if (n <= last_done()) write_atomically(file_of("episodes", n), episode_text(n));
  }
  for (const char* file : {"checkpoint", "metrics.jsonl", "beliefs.jsonl", "model.json"})
    std::filesystem::remove(path_ / file);
}

void Laboratory::settle() {
  rehearsed_.reset();
  run_.reset();
  campaign_.reset();
  // All but what was told follows from it, so that damage to the rest is mended by learning anew.
  notes_.relearn = notes_.relearn || !read_run(path_).damaged.empty();
  if (notes_.relearn) {
    const Lock lock(path_);
    forget_what_was_learned();
  }
  run_.emplace(RunDirectory::look_into(path_, last_done()));
  const RunRecord& past = run_->past();
  campaign_.emplace(past.config, file_.system, threads_);
  if (past.checkpoint) {
    campaign_->restore(*past.checkpoint, learned_episodes(past));
  } else {
    run_->commit(MetricsRow{}, std::nullopt, campaign_->save());
  }
  learn_up_to(last_done());
  if (notes_.relearn) {
    notes_.relearn = false;
    write_notes();
  }
  run_->close(kOpen);
}

// What was asked for, as far as anybody did.
Proposal Laboratory::recorded(int experiment) const {
  const ExperimentNote& note = notes_[experiment];
  Proposal proposal{.episode = experiment,
                    .start = note.start,
                    .information = note.information,
                    .status = note.plan_status};
  const std::filesystem::path plan = file_of("plans", experiment),
                              prediction = file_of("predictions", experiment);
  if (std::filesystem::exists(plan)) proposal.actions = read_actions(plan, spec());
  if (std::filesystem::exists(prediction)) proposal.forecast = read_forecast(prediction, spec());
  return proposal;
}

Trajectory Laboratory::measured(const Proposal& proposal) const {
  return parse_trajectory(episode_text(proposal.episode),
                          file_of("episodes", proposal.episode).string(), spec());
}

// The row of the last one; nothing where all had been learned from already.
std::optional<MetricsRow> Laboratory::learn_up_to(int experiment) {
  class Kept final : public Follower {
   public:
    Kept(RunDirectory& run, const Campaign& campaign) : run_(run), campaign_(campaign) {}

    std::optional<MetricsRow> last;

    void seen(const Proposal& proposal, const Trajectory& seen) override {
      run_.write_episode(proposal.episode, campaign_.system().spec(), seen);
    }
    void learned(MetricsRow& row) override {
      // The rows of a laboratory hold no seconds, so that learning anew gives the same bytes.
      row.plan_seconds = row.fit_seconds = row.evaluate_seconds = 0;
      if (const DynamicsModel* model = campaign_.model()) run_.write_model(model->regression);
      run_.commit(row, campaign_.learner().record(row.episode), campaign_.save());
      last = row;
    }

   private:
    RunDirectory& run_;
    const Campaign& campaign_;
  } kept(*run_, *campaign_);

  // Nobody judges what is believed of a machine but the machine itself.
  algorithm_1(*campaign_,
              {.propose = [&](int n) { return recorded(n); },
               .carry_out = [&](const Proposal& proposal) { return measured(proposal); },
               .judge = [](const DynamicsModel*, MetricsRow&) {}},
              kept, experiment);
  return kept.last;
}

std::vector<Proposal> Laboratory::under_way() const {
  std::vector<Proposal> all;
  for (int n = 1; n <= notes_.count(); ++n)
    if (notes_[n].state == ExperimentState::asked) all.push_back(recorded(n));
  return all;
}

Vector Laboratory::start_of(const AskSettings& settings) const {
  const Vector start = settings.start.value_or(file_.system.observe(spec().start));
  const Index outside = spec().limits.first_outside(start);
  if (outside >= 0)
    throw InputError(fmt::format("the start is outside the limits: {} = {} is not in [{}, {}]",
                                 spec().observation[static_cast<std::size_t>(outside)].name,
                                 start[outside], spec().limits.lower[outside],
                                 spec().limits.upper[outside]));
  return start;
}

// What was rehearsed is not planned twice.
Proposal Laboratory::propose(int experiment, const ProposalSettings& wanted,
                             const std::vector<Proposal>& others) {
  if (rehearsed_ && others.empty() && rehearsed_->episode == experiment &&
      rehearsed_->start == wanted.start &&
      rehearsed_->sigmas == wanted.sigmas.value_or(spec().safety.sigmas))
    return *rehearsed_;
  ProposalSettings announced = wanted;
  announced.announced = true;
  return campaign_->propose(experiment, announced, others);
}

void Laboratory::keep(const Proposal& proposal) {
  const int n = proposal.episode;
  if (proposal.forecast) run_->write_prediction(n, spec(), *proposal.forecast);
  write_atomically(file_of("plans", n), actions_csv(spec(), proposal.actions));
  ExperimentNote note{.start = proposal.start,
                      .information = proposal.information,
                      .plan_status = proposal.status,
                      .asked = utc_now()};
  if (n > notes_.count())
    notes_.experiments.push_back(std::move(note));
  else
    notes_[n] = std::move(note);
  write_notes();
}

bool Laboratory::anew(const AskSettings& settings, const std::vector<Proposal>& asked) const {
  const bool elsewhere = settings.start && !asked.empty() && asked[0].start != start_of(settings);
  return settings.anew || settings.sigmas || elsewhere;
}

std::vector<Proposal> Laboratory::ask(const AskSettings& settings) {
  const Vector start = start_of(settings);
  std::vector<Proposal> asked = under_way();
  if (anew(settings, asked)) {
    // Under their old numbers, and each as if the later ones had never been.
    std::vector<Proposal> again;
    for (const Proposal& old : asked) {
      again.push_back(
          propose(old.episode, {settings.start ? start : old.start, settings.sigmas}, again));
      keep(again.back());
    }
    asked = std::move(again);
  }
  const auto wanted = static_cast<std::size_t>(settings.count);
  while (asked.size() < wanted) {
    asked.push_back(propose(notes_.count() + 1, {start, settings.sigmas}, asked));
    keep(asked.back());
  }
  asked.erase(asked.begin() + settings.count, asked.end());
  return asked;
}

Proposal Laboratory::rehearse(const AskSettings& settings) {
  const Vector start = start_of(settings);
  const std::vector<Proposal> asked = under_way();
  if (!asked.empty() && !anew(settings, asked)) return asked[0];
  rehearsed_.reset();
  rehearsed_ = asked.empty()
                   ? propose(notes_.count() + 1, {start, settings.sigmas}, {})
                   : propose(asked[0].episode,
                             {settings.start ? start : asked[0].start, settings.sigmas}, {});
  return *rehearsed_;
}

int Laboratory::number_to_tell(const TellSettings& settings) const {
  if (settings.import) {
    if (settings.experiment)
      throw InputError("--import gives the data a new number; leave --experiment out");
    return notes_.count() + 1;
  }
  if (settings.experiment) {
    const ExperimentState state = notes_[*settings.experiment].state;
    if (state == ExperimentState::forgotten)
      throw InputError(fmt::format(
          "experiment {} was taken back; `--import` tells its data again, under a new number",
          *settings.experiment));
    if (state != ExperimentState::asked)
      throw InputError(
          fmt::format("experiment {} was told already ({}); `rhc forget {} {}` takes it back",
                      *settings.experiment, notes_[*settings.experiment].told, path_.string(),
                      *settings.experiment));
    return *settings.experiment;
  }
  for (int n = 1; n <= notes_.count(); ++n)
    if (notes_[n].state == ExperimentState::asked) return n;
  throw InputError(fmt::format(
      "no experiment is under way: `rhc ask {}` plans one, and `--import` takes data that were not "
      "asked for",
      path_.string()));
}

void Laboratory::check_told(int number, const Trajectory& trajectory,
                            const TellSettings& settings) const {
  const Index steps = trajectory.steps();
  if (settings.import) {
    if (steps < spec().history)
      throw InputError(fmt::format("there are too few rows to learn from; at least {} are needed",
                                   spec().history + 1));
    return;
  }
  const bool ended = !spec().limits.contains(trajectory.observations.col(steps));
  if (steps < spec().horizon && !ended && !settings.aborted)
    throw InputError(fmt::format(
        "experiment {} has {} steps, but {} were measured; say --aborted where it ended early",
        number, spec().horizon, steps));
}

void Laboratory::refuse_double(const std::string& text) const {
  for (int n = 1; n <= notes_.count(); ++n)
    if (has_data(notes_[n].state) && std::filesystem::exists(file_of("measured", n)) &&
        read_text(file_of("measured", n)) == text)
      throw InputError(fmt::format("the same measurements were told as experiment {} already", n));
}

Told Laboratory::tell(const std::optional<std::filesystem::path>& file,
                      const TellSettings& settings) {
  const int number = number_to_tell(settings);
  if (!file && !settings.aborted)
    throw InputError("tell what? name the file with the measurements, or say --aborted");
  Told told{.experiment = number};
  ExperimentNote note = number <= notes_.count() ? notes_[number] : ExperimentNote{};
  note.state = settings.import    ? ExperimentState::imported
               : settings.aborted ? ExperimentState::aborted
                                  : ExperimentState::told;
  note.told = utc_now();

  // First all that the notes will speak of, then the notes, then what follows from them.
  if (file) {
    const std::string text = read_input(*file);
    MeasuredSettings how = settings.measured;
    if (!settings.import) how.actions = recorded(number).actions;
    Measured measured = parse_measured(text, file->string(), file_, how);
    check_told(number, measured.trajectory, settings);
    refuse_double(text);
    std::optional<Proposal> asked;
    if (!settings.import) asked = recorded(number);
    for (std::string& remark : remarks_on(measured.trajectory, asked, file_))
      measured.remarks.push_back(std::move(remark));
    make_directories(path_ / "measured/read");
    write_atomically(file_of("measured", number), text);
    write_atomically(file_of("measured/read", number), trajectory_csv(spec(), measured.trajectory));
    note.source = file->string();
    told.steps = measured.trajectory.steps();
    told.remarks = std::move(measured.remarks);
  }
  if (number > notes_.count())
    notes_.experiments.push_back(std::move(note));
  else
    notes_[number] = std::move(note);
  notes_.relearn = number <= campaign_->told();
  write_notes();
  rehearsed_.reset();

  if (notes_.relearn) {
    settle();
  } else {
    run_->extend(number);
    told.row = learn_up_to(number);
    run_->close(kOpen);
  }
  if (!file) told.row.reset();
  told.transitions = campaign_->learner().transitions();
  return told;
}

void Laboratory::forget(int experiment) {
  ExperimentNote& note = notes_[experiment];
  if (note.state == ExperimentState::forgotten)
    throw InputError(fmt::format("experiment {} was taken back already", experiment));
  note.state = ExperimentState::forgotten;
  notes_.relearn = true;
  write_notes();
  settle();
}

}  // namespace rhc
