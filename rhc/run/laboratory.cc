#include "rhc/run/laboratory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "rhc/core/error.h"
#include "rhc/describe/log_file.h"
#include "rhc/format/crc32.h"
#include "rhc/format/files.h"
#include "rhc/run/record_remarks.h"
#include "rhc/run/told_remarks.h"
#include "rhc/store/trajectory_csv.h"

namespace rhc {

namespace {

// Nothing but where it began.
Trajectory empty_trajectory(const SystemSpec& spec, const Vector& start) {
  return {start, Matrix(static_cast<Index>(spec.action.size()), 0)};
}

}  // namespace

void Laboratory::create(const std::filesystem::path& path, const SystemFile& system,
                        const Config& config) {
  // Refused here rather than after a directory was made.
  Campaign campaign(config, system.system, 1);
  campaign.ask();
  LabNotes none;
  none.descriptions = crc32(system.text + '\0');
  const std::string notes = notes_json(none);
  RunDirectory run(path, config, Sync::now, system.text, notes);
  run.keep(kNotesKept, notes);
  run.commit(MetricsRow{}, std::nullopt, campaign.save());
  run.close(kOpen);
}

Laboratory::Laboratory(const std::filesystem::path& path, int threads, Damage damage)
    : path_(path), threads_(threads) {
  // A place that holds no laboratory is refused before a lock is left there.
  if (!is_laboratory(read_summary(path)))
    throw InputError(fmt::format(
        "'{}' is a run that rhc carries out by itself (`rhc resume`); `rhc new` begins one whose "
        "experiments are yours",
        path.string()));
  settle(Lock(path), damage);
}

std::filesystem::path Laboratory::file_of(const char* folder, int experiment) const {
  return path_ / folder / episode_file(experiment);
}

const SystemFile& Laboratory::description_of(int experiment) const {
  return descriptions_.at(static_cast<std::size_t>(notes_[experiment].description) - 1);
}

// The file first: the checkpoint may be behind it, but not before.
void Laboratory::write_notes() {
  ++notes_.revision;
  write_atomically(path_ / kLabNotes, notes_json(notes_));
  run_->keep(kNotesKept, notes_json(without_times(notes_)));
}

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
  const System& described = description_of(experiment).system;
  const Vector start =
      note.start.size() > 0 ? note.start : described.observe(described.spec().start);
  return trajectory_csv(spec(), empty_trajectory(spec(), start));
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
      if (const DynamicsModel* model = campaign_.model())
        run_.write_model(model->regression);
      else
        run_.remove_model();
      run_.commit(row, campaign_.learner().record(row.episode), campaign_.save());
      last = row;
    }

   private:
    RunDirectory& run_;
    const Campaign& campaign_;
  } kept(*run_, *campaign_);

  // Each experiment is learned from under the description that it was made under.
  const auto made = [&](int n) {
    describe(notes_[n].description);
    return recorded(n);
  };
  // Nobody judges what is believed of a machine but the machine itself.
  algorithm_1(*campaign_,
              {.propose = made,
               .carry_out = [&](const Proposal& proposal) { return measured(proposal); },
               .judge = [](const DynamicsModel*, MetricsRow&) {}},
              kept, experiment);
  describe(static_cast<int>(descriptions_.size()));
  return kept.last;
}

void Laboratory::describe(int description) {
  if (description == described_) return;
  campaign_->describe(descriptions_.at(static_cast<std::size_t>(description) - 1).system);
  described_ = description;
}

// What was asked for, as far as anybody did and nobody changed it.
Proposal Laboratory::recorded(int experiment) const {
  const ExperimentNote& note = notes_[experiment];
  Proposal proposal{.episode = experiment,
                    .start = note.start,
                    .before = past_of(note),
                    .information = note.information,
                    .status = note.plan_status};
  if (whole("plans", experiment))
    proposal.actions = read_actions(file_of("plans", experiment), spec());
  if (whole("predictions", experiment))
    proposal.forecast = read_forecast(file_of("predictions", experiment), spec());
  return proposal;
}

bool Laboratory::whole(const char* folder, int experiment) const {
  return !changed_.contains(episode_name(folder, experiment)) &&
         std::filesystem::exists(file_of(folder, experiment));
}

std::vector<Proposal> Laboratory::under_way() const {
  std::vector<Proposal> all;
  for (int n = 1; n <= notes_.count(); ++n)
    if (notes_[n].state == ExperimentState::asked) all.push_back(recorded(n));
  return all;
}

Trajectory Laboratory::at_rest(const Vector& start) const {
  return standing_at(start, spec().action_bounds.size());
}

// What was seen and done before an experiment was asked for, its start included.
Trajectory Laboratory::past_of(const ExperimentNote& note) const {
  const Index steps = note.past_actions.cols();
  if (steps == 0 || note.past_actions.rows() != spec().action_bounds.size())
    return at_rest(note.start);
  Trajectory past{Matrix(note.start.size(), steps + 1), note.past_actions};
  past.observations << note.past_observations, note.start;
  return past;
}

// A plan depends on the last observations that the model sees, and on the action before the first
// one of its own.
Trajectory Laboratory::before_of(const AskSettings& settings) const {
  if (!settings.before) return inside(at_rest(system().system.observe(spec().start)));
  const Trajectory& before = *settings.before;
  const Index steps = std::min(before.steps(), std::max<Index>(1, spec().history - 1));
  return inside({before.observations.rightCols(steps + 1), before.actions.rightCols(steps)});
}

Trajectory Laboratory::inside(Trajectory before) const {
  check_start(spec(), before.observations.rightCols(1));
  return before;
}

// What was rehearsed is not planned twice.
Proposal Laboratory::propose(int experiment, const ProposalSettings& wanted,
                             const std::vector<Proposal>& others) {
  if (rehearsed_ && others.empty() && rehearsed_->episode == experiment &&
      same(rehearsed_->before, *wanted.before) &&
      rehearsed_->sigmas == wanted.sigmas.value_or(spec().safety.sigmas))
    return *rehearsed_;
  ProposalSettings announced = wanted;
  announced.announced = true;
  return campaign_->propose(experiment, announced, others);
}

void Laboratory::keep(const Proposal& proposal) {
  const int n = proposal.episode;
  const Index past = proposal.before.steps();
  ExperimentNote note{.start = proposal.start,
                      .past_observations = proposal.before.observations.leftCols(past),
                      .past_actions = proposal.before.actions,
                      .information = proposal.information,
                      .plan_status = proposal.status,
                      .asked = utc_now(),
                      .description = static_cast<int>(descriptions_.size())};
  if (proposal.forecast) {
    note.files[episode_name("predictions", n)] =
        run_->write_prediction(n, spec(), *proposal.forecast);
  }
  const std::string plan = actions_csv(spec(), proposal.actions);
  write_atomically(file_of("plans", n), plan);
  note.files[episode_name("plans", n)] = crc32(plan);
  for (const char* folder : {"plans", "predictions"}) changed_.erase(episode_name(folder, n));
  if (n > notes_.count())
    notes_.experiments.push_back(std::move(note));
  else
    notes_[n] = std::move(note);
  write_notes();
}

bool Laboratory::anew(const AskSettings& settings, const std::vector<Proposal>& asked) const {
  const bool elsewhere =
      settings.before && !asked.empty() && !same(asked[0].before, before_of(settings));
  return settings.anew || settings.sigmas || elsewhere || asked_before_change();
}

bool Laboratory::asked_before_change() const {
  for (int n = 1; n <= notes_.count(); ++n)
    if (notes_[n].state == ExperimentState::asked && &description_of(n) != &system()) return true;
  return false;
}

// A plan that somebody changed is not handed out as ours.
void Laboratory::refuse_changed_plans(const std::vector<Proposal>& asked) const {
  for (const Proposal& proposal : asked)
    for (const char* folder : {"plans", "predictions"}) {
      const std::string name = episode_name(folder, proposal.episode);
      if (changed_.contains(name))
        throw InputError(fmt::format(
            "{}: the file was changed or removed after experiment {} was asked for; `rhc ask {} "
            "--anew` plans it again",
            (path_ / name).string(), proposal.episode, path_.string()));
    }
}

std::vector<Proposal> Laboratory::ask(const AskSettings& settings) {
  const int revision = notes_.revision;
  const Trajectory before = before_of(settings);
  std::vector<Proposal> asked = under_way();
  if (anew(settings, asked)) {
    // Under their old numbers, and each as if the later ones had never been.
    std::vector<Proposal> again;
    for (const Proposal& old : asked) {
      again.push_back(propose(
          old.episode, {settings.before ? before : inside(old.before), settings.sigmas}, again));
      keep(again.back());
    }
    asked = std::move(again);
  }
  refuse_changed_plans(asked);
  const auto wanted = static_cast<std::size_t>(settings.count);
  while (asked.size() < wanted) {
    asked.push_back(propose(notes_.count() + 1, {before, settings.sigmas}, asked));
    keep(asked.back());
  }
  asked.erase(asked.begin() + settings.count, asked.end());
  if (notes_.revision != revision) {
    run_->amend();
    run_->close(kOpen);
  }
  return asked;
}

Proposal Laboratory::rehearse(const AskSettings& settings) {
  const Trajectory before = before_of(settings);
  const std::vector<Proposal> asked = under_way();
  if (!asked.empty() && !anew(settings, asked)) {
    refuse_changed_plans(asked);
    return asked[0];
  }
  rehearsed_.reset();
  rehearsed_ =
      asked.empty()
          ? propose(notes_.count() + 1, {before, settings.sigmas}, {})
          : propose(asked[0].episode,
                    {settings.before ? before : inside(asked[0].before), settings.sigmas}, {});
  return *rehearsed_;
}

Laboratory::Rest Laboratory::plan_rest(const std::filesystem::path& file,
                                       const MeasuredSettings& how, std::optional<double> sigmas) {
  const int number = number_to_tell({});
  const std::vector<Proposal> asked = under_way();
  const std::string instead = fmt::format(
      "`rhc tell {} FILE --aborted` takes what was measured, "
      "and `rhc ask {}` plans the next experiment",
      path_.string(), path_.string());
  if (asked_before_change())
    throw InputError("the description was changed after experiment " + std::to_string(number) +
                     " was asked for: its rest is not planned anew; " + instead);
  for (const char* folder : {"plans", "predictions"})
    if (changed_.contains(episode_name(folder, number)))
      throw InputError(fmt::format(
          "{}: the file was changed or removed after experiment {} was asked for, so its rest is "
          "not planned anew; bring the machine to rest, then {}",
          (path_ / episode_name(folder, number)).string(), number, instead));
  MeasuredSettings reading = how;
  reading.actions = asked[0].actions;
  Measured so_far = parse_measured(read_log(file), file.string(), system(), reading);
  const Trajectory& seen = so_far.trajectory;
  if (seen.steps() >= spec().horizon)
    throw InputError(
        fmt::format("{}: experiment {} has {} steps, and all were carried out; `rhc "
                    "tell {} {}` takes what was measured",
                    file.string(), number, spec().horizon, path_.string(), file.string()));
  for (Index t = 0; t <= seen.steps(); ++t)
    if (!spec().limits.contains(seen.observations.col(t)))
      throw InputError(
          fmt::format("{}: the limits were left at step {}, which ends an experiment; "
                      "{}",
                      file.string(), t, instead));
  if (seen.steps() < 1)
    throw InputError(fmt::format(
        "{}: no step was carried out yet, so there is nothing to plan anew from; `rhc ask {} "
        "--start ...` plans from where the machine stands",
        file.string(), path_.string()));
  // The machine is moving: a log that cannot be of this experiment is told before it moves on.
  for (std::string& remark : remarks_on(seen, asked[0], system()))
    so_far.remarks.push_back(std::move(remark));
  for (std::string& remark :
       remarks_on_surprise(seen, asked[0], other_readings(seen, system()), campaign_->model(),
                           system(), fmt::format("rhc ask {} --anew", path_.string())))
    so_far.remarks.push_back(std::move(remark));
  const auto episode = campaign_->plan_rest(asked[0], seen, {.sigmas = sigmas});
  if (!episode)
    throw InputError(fmt::format(
        "{}: {} steps are too few to plan with, where nothing else is known; go on with the plan "
        "that was asked for",
        file.string(), seen.steps()));
  return {*episode, seen.steps(), std::move(so_far.remarks)};
}

void Laboratory::replace(const Proposal& proposal) {
  keep(proposal);
  run_->amend();
  run_->close(kOpen);
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
  const Box& limits = description_of(number).system.spec().limits;
  const bool ended = !limits.contains(trajectory.observations.col(steps));
  // A last stamp that comes a little early, or no row after the last action, costs a step.
  if (steps + 1 < spec().horizon && !ended && !settings.aborted && !settings.ended)
    throw InputError(fmt::format(
        "experiment {} has {} steps, but {} were measured; say --aborted where somebody ended it "
        "early, --ended where the machine itself did",
        number, spec().horizon, steps));
}

std::optional<int> Laboratory::told_as(const std::string& text) const {
  for (int n = 1; n <= notes_.count(); ++n)
    if (const auto told = notes_[n].files.find(episode_name("measured", n));
        has_data(notes_[n].state) && told != notes_[n].files.end() && told->second == crc32(text))
      return n;
  return std::nullopt;
}

Told Laboratory::tell(const std::optional<std::filesystem::path>& file,
                      const TellSettings& settings) {
  const int number = number_to_tell(settings);
  if (!file && !settings.aborted)
    throw InputError("tell what? name the file with the measurements, or say --aborted");
  if (!file && settings.ended)
    throw InputError("--ended is of what was measured until then: name the file with that");
  Told told{.experiment = number};
  ExperimentNote note = number <= notes_.count()
                            ? notes_[number]
                            : ExperimentNote{.description = static_cast<int>(descriptions_.size())};
  const SystemFile& described = descriptions_.at(static_cast<std::size_t>(note.description) - 1);
  note.state = settings.import    ? ExperimentState::imported
               : settings.aborted ? ExperimentState::aborted
                                  : ExperimentState::told;
  note.told = utc_now();

  // First all that the notes will speak of, then the notes, then what follows from them.
  if (file) {
    const std::string text = read_log(*file);
    MeasuredSettings how = settings.measured;
    if (!settings.import) how.actions = recorded(number).actions;
    Measured measured = parse_measured(text, file->string(), described, how);
    measured.trajectory.ended = settings.ended;
    check_told(number, measured.trajectory, settings);
    if (const auto before = told_as(text))
      throw InputError(
          fmt::format("the same measurements were told as experiment {} already", *before));
    std::optional<Proposal> asked;
    if (!settings.import && whole("plans", number)) asked = recorded(number);
    if (!settings.import && !asked)
      measured.remarks.push_back(
          fmt::format("{} was changed or removed after it was asked for: what was measured is not "
                      "compared with it",
                      episode_name("plans", number)));
    for (std::string& remark : remarks_on(measured.trajectory, asked, described))
      measured.remarks.push_back(std::move(remark));
    std::vector<LogReading> readings = other_readings(measured.trajectory, described);
    for (LogReading& reading : other_angle_units(text, file->string(), described, how))
      readings.push_back(std::move(reading));
    for (std::string& remark :
         remarks_on_surprise(measured.trajectory, asked, readings, campaign_->model(), described,
                             fmt::format("rhc forget {} {}", path_.string(), number)))
      measured.remarks.push_back(std::move(remark));
    if (asked && asked->forecast)
      told.announced = announced_and_came(measured.trajectory, *asked->forecast, described);
    make_directories(path_ / "measured/read");
    const std::string read = trajectory_csv(spec(), measured.trajectory);
    write_atomically(file_of("measured", number), text);
    write_atomically(file_of("measured/read", number), read);
    note.files[episode_name("measured", number)] = crc32(text);
    note.files[episode_name("measured/read", number)] = crc32(read);
    note.source = file->string();
    told.steps = measured.trajectory.steps();
    told.remarks = std::move(measured.remarks);
  }
  if (number > notes_.count())
    notes_.experiments.push_back(std::move(note));
  else
    notes_[number] = std::move(note);
  write_notes();
  rehearsed_.reset();

  if (number <= campaign_->told()) {
    settle_again();
  } else {
    run_->extend(number);
    told.row = learn_up_to(number);
    run_->close(kOpen);
    for (const std::string& remark : campaign_->remarks()) told.remarks.push_back(remark);
  }
  if (file)
    for (std::string& remark : remarks_on_record()) told.remarks.push_back(std::move(remark));
  if (!file) told.row.reset();
  told.transitions = campaign_->learner().transitions();
  return told;
}

std::vector<std::string> Laboratory::remarks_on_record() const {
  std::vector<Trajectory> episodes;
  for (int n = 1; n <= notes_.count(); ++n)
    if (has_data(notes_[n].state)) episodes.push_back(measured(recorded(n)));
  std::vector<std::string> remarks;
  if (auto remark = remark_on_history(episodes, spec())) remarks.push_back(std::move(*remark));
  const bool forgets = campaign_->config().model.forgetting > 0;
  if (const DynamicsModel* model = campaign_->model(); model && !forgets)
    if (auto remark = remark_on_drift(episodes, *model, spec()))
      remarks.push_back(std::move(*remark));
  return remarks;
}

void Laboratory::forget(int experiment) {
  ExperimentNote& note = notes_[experiment];
  if (note.state == ExperimentState::forgotten)
    throw InputError(fmt::format("experiment {} was taken back already", experiment));
  note.state = ExperimentState::forgotten;
  write_notes();
  settle_again();
}

void Laboratory::change(const SystemFile& system, const std::vector<std::string>& differences) {
  DescriptionHistory history = run_->past().history;
  history.push_back({.time = utc_now(),
                     .experiments = notes_.count(),
                     .differences = differences,
                     .before = this->system().text});
  run_->describe(system.text, history);
  run_->close(kOpen);
  settle_again();
}

}  // namespace rhc
