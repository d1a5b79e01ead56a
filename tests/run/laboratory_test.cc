#include "rhc/run/laboratory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "rhc/core/error.h"
#include "rhc/format/csv_table.h"
#include "rhc/format/files.h"
#include "rhc/format/npz.h"
#include "rhc/run/evaluate_run.h"
#include "rhc/store/trajectory_csv.h"
#include "tests/rig.h"
#include "tests/run_files.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

Config lab_config() {
  Config config = tiny_config("rig");
  config.episodes = 0;
  config.judge.task = false;
  config.judge.test_trajectories = config.judge.best_achievable_transitions = 0;
  return config;
}

// A laboratory in a directory of its own, with the means to carry experiments out.
class Lab : public testing::Test {
 protected:
  Lab() { Laboratory::create(path(), rig(), lab_config()); }

  std::filesystem::path path() const { return dir_.path() / "lab"; }
  Laboratory open() const { return {path(), 1}; }

  // A file with what the true rig does.
  std::filesystem::path measured(const Matrix& actions) {
    return dir_.write(fmt::format("m{}.csv", ++files_), rig_log(actions));
  }

  Matrix ask_and_tell(const TellSettings& settings = {}) {
    Laboratory lab = open();
    const Matrix actions = lab.ask({})[0].actions;
    lab.tell(measured(actions), settings);
    return actions;
  }

  std::string model() const { return read_text(path() / "model.json"); }

  TemporaryDirectory dir_;
  int files_ = 0;
};

TEST_F(Lab, AsksAsARunDoesOnTheSameData) {
  Campaign campaign(lab_config(), rig().system, 1);
  for (int i = 0; i < 3; ++i) {
    const Matrix actions = ask_and_tell();
    EXPECT_EQ(actions, campaign.ask().actions) << i;
    campaign.tell(open_loop(Pendulum{}, actions));
  }
}

// Also of a mistake that is in all logs, which no model that was learned from them could find.
TEST_F(Lab, SaysWhichHistoryAnActionThatActsLateNeeds) {
  Matrix asked(1, 150), acted = Matrix::Zero(1, 150);
  RandomStream randomness(1, "asked");
  for (double& v : asked.reshaped()) v = randomness.uniform(-1, 1);
  acted.rightCols(148) = asked.leftCols(148);
  std::istringstream rows(rig_log(acted));
  std::string text, row;
  std::getline(rows, text);
  for (Index t = 0; std::getline(rows, row); ++t)
    text += "\n" + row.substr(0, row.rfind(',') + 1) + (t < 150 ? exact(asked(0, t)) : "");
  const Told told = open().tell(dir_.write("late.csv", text + "\n"), {.import = true});
  const std::string remarks = fmt::format("{}", fmt::join(told.remarks, "; "));
  EXPECT_NE(remarks.find("'torque' acts 2 steps late"), std::string::npos) << remarks;
  EXPECT_NE(remarks.find("set history = 3"), std::string::npos) << remarks;
}

TEST_F(Lab, GivesTheSamePlanUntilItIsTold) {
  ask_and_tell();
  const Matrix first = open().ask({})[0].actions;
  EXPECT_EQ(open().ask({})[0].actions, first);
  EXPECT_EQ(open().rehearse({}).actions, first);
  EXPECT_EQ(open().notes().count(), 2);
}

TEST_F(Lab, RehearsesWithoutATrace) {
  ask_and_tell();
  const Matrix rehearsed = open().rehearse({}).actions;
  EXPECT_EQ(open().notes().count(), 1);
  EXPECT_EQ(open().ask({})[0].actions, rehearsed);
}

// What was looked at with one margin is not handed out for another.
TEST_F(Lab, ARehearsalWithAnotherMarginIsNotThePlan) {
  ask_and_tell();
  const auto asked = [&] {
    Laboratory lab = open();
    EXPECT_EQ(lab.rehearse({.sigmas = 0}).sigmas, 0);
    return lab.ask({.sigmas = 3})[0];
  }();
  EXPECT_EQ(asked.sigmas, 3);
  EXPECT_EQ(open().ask({.anew = true, .sigmas = 3})[0].actions, asked.actions);
}

TEST_F(Lab, PlansFromWhereTheMachineStands) {
  ask_and_tell();
  const Vector start = rig().system.observe(Eigen::Vector2d(1, 0.5));
  open().ask({});
  const Proposal there = open().ask({.before = standing_at(start, 1)})[0];
  EXPECT_EQ(there.episode, 2);
  EXPECT_EQ(there.forecast->mean.col(0), start);
  EXPECT_EQ(open().ask({})[0].actions, there.actions) << "asked again, it is the same";
}

// A moving machine is somewhere else than one at rest, also for a later process.
TEST_F(Lab, RemembersWhatWasBeforeTheStart) {
  ask_and_tell();
  const Trajectory seen = open_loop(Pendulum{}, Matrix::Constant(1, 6, 0.8));
  const Trajectory last{seen.observations.rightCols(2), seen.actions.rightCols(1)};
  const Proposal moving = open().ask({.before = seen})[0];
  EXPECT_TRUE(same(moving.before, last));
  EXPECT_EQ(open().ask({.before = seen})[0].actions, moving.actions);
  EXPECT_TRUE(same(open().ask({.anew = true})[0].before, last));
  EXPECT_EQ(
      open().rehearse({.before = standing_at(seen.observations.rightCols(1), 1)}).before.steps(), 0)
      << "at rest there it is another plan";
}

TEST_F(Lab, LearnsALimitFromALogThatTheMachineEnded) {
  const Matrix actions = open().ask({})[0].actions;
  const std::filesystem::path log = measured(actions.leftCols(7));
  const Told told = open().tell(log, {.ended = true});
  EXPECT_EQ(told.steps, 7);
  ASSERT_FALSE(told.remarks.empty());
  EXPECT_NE(told.remarks.back().find("the plant ended it; plans stay where "), std::string::npos);
  const LearnedLimits learned = open().campaign().limits();
  EXPECT_TRUE(learned.any()) << "also for a later process";
  open().forget(1);
  EXPECT_FALSE(open().campaign().limits().any());
}

TEST_F(Lab, PlansTheRestFromWhereTheMachineIs) {
  ask_and_tell();
  const Matrix asked = open().ask({})[0].actions;
  const std::filesystem::path so_far = measured(asked.leftCols(8));
  const std::string before = read_text(path() / kLabNotes);
  const Laboratory::Rest rest = open().plan_rest(so_far, {}, {});
  const Proposal& again = rest.episode.proposal;
  EXPECT_EQ(rest.seen, 8);
  EXPECT_EQ(again.episode, 2);
  EXPECT_EQ(again.actions.leftCols(8), asked.leftCols(8));
  EXPECT_EQ(again.actions.cols(), 20);
  EXPECT_NEAR(
      (rest.episode.rest.mean.col(0) - open_loop(Pendulum{}, asked).observations.col(8)).norm(), 0,
      0.05);
  EXPECT_EQ(read_text(path() / kLabNotes), before) << "planned without a trace";
  open().replace(again);
  EXPECT_EQ(open().ask({})[0].actions, again.actions);
  EXPECT_EQ(open().ask({})[0].information, again.information);
  // What is told of it in the end is learned from as from any other.
  open().tell(measured(again.actions), {});
  EXPECT_EQ(open().campaign().learner().transitions(), 40);
  EXPECT_EQ(open().notes()[2].state, ExperimentState::told);
}

TEST_F(Lab, PlansTheRestOfTheFirstExperimentWithWhatItHasSeen) {
  const Matrix asked = open().ask({})[0].actions;
  const Laboratory::Rest rest = open().plan_rest(measured(asked.leftCols(10)), {}, {});
  EXPECT_EQ(rest.episode.proposal.actions.leftCols(10), asked.leftCols(10));
  EXPECT_NE(rest.episode.proposal.actions, asked) << "from here on it is planned";
  EXPECT_FALSE(rest.episode.proposal.forecast) << "nothing was announced of its beginning";
  EXPECT_EQ(rest.episode.rest.mean.cols(), 11);
}

TEST_F(Lab, PlansNoRestOfAPlanThatSomebodyChanged) {
  const Matrix asked = open().ask({})[0].actions;
  std::ofstream(path() / "plans/0001.csv", std::ios::app) << "9\n";
  const std::string refused =
      message_of<InputError>([&] { open().plan_rest(measured(asked.leftCols(10)), {}, {}); });
  EXPECT_NE(refused.find("bring the machine to rest"), std::string::npos) << refused;
}

TEST_F(Lab, SaysWhyThereIsNoRestToPlan) {
  const auto refused = [&](const std::filesystem::path& file) {
    return message_of<InputError>([&] { open().plan_rest(file, {}, {}); });
  };
  const Matrix some = Matrix::Constant(1, 20, 0.5);
  EXPECT_NE(refused(measured(some.leftCols(5))).find("no experiment is under way"),
            std::string::npos);
  open().ask({});
  EXPECT_NE(refused(measured(some.leftCols(1))).find("too few to plan with"), std::string::npos);
  EXPECT_NE(refused(measured(some)).find("all were carried out"), std::string::npos);
  EXPECT_NE(refused("nowhere.csv").find("nowhere.csv"), std::string::npos);
  const SystemFile narrow =
      rig(with(kRig, "range = [-8, 8]", "range = [-8, 8]\nlimits = [-0.2, 0.2]"));
  open().change(narrow, {"limits"});
  EXPECT_NE(refused(measured(some.leftCols(10))).find("the description was changed"),
            std::string::npos);
  open().ask({.anew = true});
  EXPECT_NE(refused(measured(some.leftCols(10))).find("the limits were left at step"),
            std::string::npos);
}

TEST_F(Lab, LearnsTheSameInWhateverOrderItIsTold) {
  ask_and_tell();
  const std::vector<Proposal> three = open().ask({.count = 3});
  ASSERT_EQ(three.size(), 3u);
  EXPECT_NE(three[0].actions, three[1].actions);
  EXPECT_EQ(three[2].episode, 4);
  std::vector<std::filesystem::path> files;
  for (const Proposal& proposal : three) files.push_back(measured(proposal.actions));

  const std::filesystem::path other = dir_.path() / "other";
  std::filesystem::copy(path(), other, std::filesystem::copy_options::recursive);
  for (const int i : {2, 0, 1})
    open().tell(files[static_cast<std::size_t>(i)], {.experiment = 2 + i});
  const std::string out_of_order = model();
  for (const int i : {0, 1, 2}) Laboratory(other, 1).tell(files[static_cast<std::size_t>(i)], {});
  EXPECT_EQ(out_of_order, read_text(other / "model.json"));
  EXPECT_EQ(read_text(path() / "metrics.jsonl").size() > 0, true);
  EXPECT_EQ(open().campaign().learner().transitions(), 80);
}

TEST_F(Lab, ForgetsAsIfItHadNeverBeen) {
  ask_and_tell();
  const Matrix second = open().ask({})[0].actions;
  const std::filesystem::path other = dir_.path() / "other";
  std::filesystem::copy(path(), other, std::filesystem::copy_options::recursive);
  open().tell(measured(second), {});
  const Matrix third = ask_and_tell();
  open().forget(2);
  EXPECT_EQ(open().campaign().learner().transitions(), 40);
  EXPECT_TRUE(std::filesystem::exists(path() / "forgotten/0002.csv"));
  EXPECT_FALSE(std::filesystem::exists(path() / "measured/0002.csv"));

  // In the other, the second was aborted before anything was measured.
  Laboratory(other, 1).tell(std::nullopt, {.aborted = true});
  Laboratory lab(other, 1);
  lab.tell(measured(third), {.import = true});
  EXPECT_EQ(model(), read_text(other / "model.json"));
  EXPECT_NE(message_of<InputError>([&] { open().forget(2); }).find("taken back already"),
            std::string::npos);
}

// An experiment without data leaves the evidence of the others, whoever tells it and when.
TEST_F(Lab, KeepsTheEvidenceWhereNothingWasMeasured) {
  ask_and_tell();
  open().ask({});
  open().tell(std::nullopt, {.aborted = true});
  const std::vector<MetricsRow> rows = read_run(path()).rows;
  ASSERT_TRUE(rows[1].evidence);
  EXPECT_EQ(rows[2].evidence, rows[1].evidence);
}

TEST_F(Lab, IsAsItWasWhereItWasOnlyLookedAt) {
  const auto expect_untouched = [&] {
    const Files before = all_files(path());
    open().rehearse({});
    EXPECT_THROW(open().tell(std::filesystem::path("nowhere.csv"), {}), InputError);
    EXPECT_EQ(difference(all_files(path()), before), "");
  };
  expect_untouched();
  ask_and_tell();
  expect_untouched();
  open().ask({});
  expect_untouched();
  EXPECT_EQ(read_run(path()).status(), "open");
}

TEST_F(Lab, TakesPartOfAnExperimentOnlyWhenToldSo) {
  const Matrix actions = open().ask({})[0].actions;
  const auto part = measured(actions.leftCols(7));
  EXPECT_NE(message_of<InputError>([&] {
              open().tell(part, {});
            }).find("has 20 steps, but 7 were measured; say --aborted"),
            std::string::npos);
  EXPECT_EQ(open().tell(part, {.aborted = true}).transitions, 7);
  EXPECT_EQ(open().notes()[1].state, ExperimentState::aborted);
}

TEST_F(Lab, TakesALogWhoseLastStampFallsShortOfTheLastStep) {
  const Matrix actions = open().ask({})[0].actions;
  std::string log = rig_log(actions);
  const std::string last = log.substr(log.rfind('\n', log.size() - 2) + 1);
  ASSERT_TRUE(last.starts_with("1.6,")) << last;
  log.replace(log.size() - last.size(), 4, "1.59,");
  const Told told = open().tell(std::filesystem::path(dir_.write("m.csv", log)),
                                {.measured = {.resample = true}});
  EXPECT_EQ(told.steps, 19);
  EXPECT_EQ(open().notes()[1].state, ExperimentState::told);
}

TEST_F(Lab, LearnsFromArraysAsFromTheSameRows) {
  Npz npz;
  const Matrix actions = open().ask({})[0].actions;
  for (const char* column : {"time", "theta", "thetadot", "torque"}) {
    const Matrix values =
        CsvTable(with(rig_log(actions), ",\n", ",0\n"), "log.csv", {}).numbers({column});
    npz.add(column, std::vector<double>(values.data(), values.data() + values.size()));
  }
  const Told told = open().tell(std::filesystem::path(dir_.write("m.npz", npz.bytes())), {});
  EXPECT_EQ(told.steps, 20);
  EXPECT_EQ(open().notes()[1].source, (dir_.path() / "m.npz").string());
}

TEST_F(Lab, NoticesWhatWasDoneOtherwiseThanAsked) {
  const Matrix actions = open().ask({})[0].actions;
  std::string log = rig_log(0.5 * actions);
  const std::size_t first = log.find('\n') + 1;
  log.replace(first, log.find('\n', first) - first, "0,2.5,0,0.1");
  const Told told = open().tell(std::filesystem::path(dir_.write("other.csv", log)), {});
  ASSERT_EQ(told.remarks.size(), 2u);
  EXPECT_NE(told.remarks[0].find("the actions differ"), std::string::npos) << told.remarks[0];
  EXPECT_TRUE(told.remarks[1].starts_with("'theta' began elsewhere")) << told.remarks[1];
}

TEST_F(Lab, RefusesWhatWasToldAlready) {
  Laboratory lab = open();
  const auto file = measured(lab.ask({})[0].actions);
  lab.tell(file, {});
  EXPECT_NE(message_of<InputError>([&] {
              lab.tell(file, {.import = true});
            }).find("told as experiment 1 already"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([&] { lab.tell(file, {}); }).find("no experiment is under way"),
            std::string::npos);
  EXPECT_NE(
      message_of<InputError>([&] { lab.tell(file, {.experiment = 1}); }).find("was told already"),
      std::string::npos);
  EXPECT_NE(message_of<InputError>([&] {
              lab.tell(file, {.experiment = 9});
            }).find("numbered from 1 to 1"),
            std::string::npos);
}

TEST_F(Lab, ImportsDataOfAnyLength) {
  Laboratory lab = open();
  const Told told = lab.tell(measured(Matrix::Constant(1, 57, 0.3)), {.import = true});
  EXPECT_EQ(told.transitions, 57);
  EXPECT_TRUE(lab.ask({})[0].forecast) << "it knows something before the first experiment";
}

// Whatever the process had done when it ended: after its file is noted, the experiment is learned.
TEST_F(Lab, FinishesWhatAnotherProcessDidNot) {
  ask_and_tell();
  Laboratory lab = open();
  const Matrix actions = lab.ask({})[0].actions;
  const std::filesystem::path before = dir_.path() / "before";
  std::filesystem::copy(path(), before, std::filesystem::copy_options::recursive);
  lab.tell(measured(actions), {});
  for (const char* file : {"measured/0002.csv", "measured/read/0002.csv", "experiments.json"})
    std::filesystem::copy(path() / file, before / file,
                          std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(Laboratory(before, 1).campaign().learner().transitions(), 40);
  EXPECT_EQ(read_text(before / "model.json"), model());
}

TEST_F(Lab, FinishesForgettingAfterAnyStep) {
  ask_and_tell();
  ask_and_tell();
  const std::filesystem::path other = dir_.path() / "other";
  LabNotes notes = parse_notes(read_text(path() / kLabNotes), kLabNotes);
  notes[1].state = ExperimentState::forgotten;
  ++notes.revision;
  std::filesystem::copy(path(), other, std::filesystem::copy_options::recursive);
  open().forget(1);
  write_atomically(other / kLabNotes, notes_json(notes));
  std::filesystem::remove(other / "checkpoint");
  EXPECT_EQ(Laboratory(other, 1).campaign().learner().transitions(), 20);
  EXPECT_EQ(read_text(other / "model.json"), model());
}

TEST_F(Lab, MendsWhatFollowsFromTheMeasurements) {
  ask_and_tell();
  ask_and_tell();
  const std::string before = model();
  for (const char* file : {"checkpoint", "episodes/0001.csv", "metrics.jsonl", "beliefs.jsonl"}) {
    write_atomically(path() / file, "nonsense");
    EXPECT_EQ(open().campaign().learner().transitions(), 40) << file;
    EXPECT_EQ(model(), before) << file;
    EXPECT_TRUE(read_run(path()).damaged.empty()) << file;
  }
}

TEST_F(Lab, PutsBackWhatWasToldFromTheCopyInTheEpisodes) {
  ask_and_tell();
  const std::filesystem::path file = path() / "measured/read/0001.csv";
  const std::string told = read_text(file);
  write_atomically(file, with(told, "1", "2"));
  EXPECT_NE(open().remarks().at(0).find("measured/read/0001.csv"), std::string::npos);
  EXPECT_EQ(read_text(file), told);
  EXPECT_TRUE(open().remarks().empty());
}

TEST_F(Lab, RefusesToLearnFromWhatIsNotAsItWasTold) {
  ask_and_tell();
  ask_and_tell();
  for (const char* folder : {"measured/read", "episodes"})
    write_atomically(path() / folder / "0001.csv",
                     with(read_text(path() / folder / "0001.csv"), "1", "2"));
  EXPECT_NE(message_of<InputError>([&] { open(); }).find("measured/read/0001.csv"),
            std::string::npos);
  Laboratory repaired(path(), 1, Laboratory::Damage::repaired);
  EXPECT_EQ(repaired.notes()[1].state, ExperimentState::forgotten);
  EXPECT_EQ(repaired.campaign().learner().transitions(), 20);
}

TEST_F(Lab, ObeysNoDescriptionThatWasChangedByHand) {
  ask_and_tell();
  write_atomically(path() / "system.toml", with(kRig, "bounds = [-1, 1]", "bounds = [-5, 5]"));
  EXPECT_NE(message_of<InputError>([&] { open(); }).find("`rhc change "), std::string::npos);
  const Laboratory repaired(path(), 1, Laboratory::Damage::repaired);
  EXPECT_EQ(read_text(path() / "system.toml"), kRig);
  EXPECT_EQ(repaired.system().system.spec().action_bounds.upper[0], 1);
}

TEST_F(Lab, HandsOutNoPlanThatWasChanged) {
  ask_and_tell();
  const Matrix asked = open().ask({})[0].actions;
  for (const char* folder : {"plans", "predictions"}) {
    const std::filesystem::path file = path() / folder / "0002.csv";
    write_atomically(file, with(read_text(file), "0", "1"));
    EXPECT_NE(message_of<InputError>([&] { open().ask({}); }).find("--anew"), std::string::npos);
    EXPECT_EQ(open().ask({.anew = true})[0].actions, asked) << "nothing else was learned";
    EXPECT_EQ(open().ask({})[0].actions, asked);
  }
}

TEST_F(Lab, TakesItsNotesFromTheCheckpointWhereTheyAreGoneOrOlder) {
  ask_and_tell();
  const std::string older = read_text(path() / kLabNotes);
  ask_and_tell();
  const std::string newest = read_text(path() / kLabNotes);
  for (const std::string& there : {std::string(), older, with(newest, "told", "tolt"),
                                   with(newest, "\"state\": \"told\"", "\"state\": \"asked\"")}) {
    write_atomically(path() / kLabNotes, there);
    const Laboratory lab = open();
    EXPECT_EQ(lab.campaign().learner().transitions(), 40);
    ASSERT_FALSE(lab.remarks().empty());
    EXPECT_NE(lab.remarks()[0].find(kLabNotes), std::string::npos) << lab.remarks()[0];
  }
  std::filesystem::remove(path() / kLabNotes);
  EXPECT_TRUE(is_laboratory(read_summary(path())));
  EXPECT_EQ(open().notes().count(), 2);
}

TEST_F(Lab, KeepsItsSettingsWhateverStandsInTheFile) {
  ask_and_tell();
  const std::string settings = read_text(path() / "config.toml"), before = model();
  for (const std::string& there :
       {std::string(), with(settings, "\nseed = 1", "\nseed = 7"), settings.substr(0, 300)}) {
    write_atomically(path() / "config.toml", there);
    EXPECT_FALSE(open().remarks().empty());
    EXPECT_EQ(read_text(path() / "config.toml"), settings);
    EXPECT_EQ(model(), before);
  }
}

TEST_F(Lab, ThatForgotItsOnlyExperimentBelievesNothing) {
  ask_and_tell();
  open().forget(1);
  EXPECT_TRUE(open().remarks().empty()) << open().remarks()[0];
  EXPECT_EQ(read_text(path() / "beliefs.jsonl"), "");
  EXPECT_FALSE(std::filesystem::exists(path() / "model.json"));
}

TEST_F(Lab, PlansByNoDescriptionThatWasChangedWithTheCheckpointGone) {
  ask_and_tell();
  std::filesystem::remove(path() / "checkpoint");
  write_atomically(path() / "system.toml", with(kRig, "bounds = [-1, 1]", "bounds = [-5, 5]"));
  EXPECT_NE(message_of<InputError>([&] { open(); }).find("system.toml"), std::string::npos);
  write_atomically(path() / "system.toml", kRig);
  EXPECT_EQ(open().campaign().learner().transitions(), 20);
}

SystemFile changed_rig() {
  return rig(with(with(kRig, "bounds = [-1, 1]", "bounds = [-0.25, 0.25]"), "range = [-8, 8]",
                  "range = [-8, 8]\nlimits = [-9, 9]"));
}

TEST_F(Lab, PlansByTheDescriptionThatItWasChangedTo) {
  ask_and_tell();
  EXPECT_GT(open().ask({})[0].actions.cwiseAbs().maxCoeff(), 0.26);
  open().change(changed_rig(), {"bounds"});
  EXPECT_TRUE(open().asked_before_change());
  EXPECT_LE(open().ask({})[0].actions.cwiseAbs().maxCoeff(), 0.25) << "planned anew";
  EXPECT_FALSE(open().asked_before_change());
  EXPECT_EQ(read_text(path() / "system.toml"), changed_rig().text);
  const RunRecord run = read_run(path());
  ASSERT_EQ(run.history.size(), 1u);
  EXPECT_EQ(run.history[0].before, kRig);
  EXPECT_EQ(run.damaged, std::vector<std::string>{});
}

TEST_F(Lab, IsEvaluatedUnderTheDescriptionsOfItsExperiments) {
  ask_and_tell();
  open().change(rig(with(kRig, "range = [-8, 8]", "range = [-4, 4]\nlimits = [-0.1, 0.1]")),
                {"limits"});
  const RunRecord run = read_run(path());
  const NewEvaluation now = evaluate_run(system_of(run), run, run.config, 1, {});
  EXPECT_TRUE(differences(run, now).empty()) << differences(run, now)[0].column;
}

TEST_F(Lab, PlansFromNoStartThatIsOutsideNewLimits) {
  open().ask({.before = standing_at(rig().system.observe(Eigen::Vector2d(3, 4)), 1)});
  open().change(rig(with(kRig, "range = [-8, 8]", "range = [-2, 2]\nlimits = [-3, 3]")),
                {"limits"});
  EXPECT_NE(message_of<InputError>([&] { open().ask({}); }).find("outside the limits"),
            std::string::npos);
  EXPECT_EQ(
      open().ask({.before = standing_at(rig().system.observe(Eigen::Vector2d(3, 0)), 1)}).size(),
      1u);
}

// Limits decide which steps are learned from, and ranges where the model is cautious.
TEST_F(Lab, LearnsEachExperimentUnderTheDescriptionThatItWasMadeUnder) {
  ask_and_tell();
  ask_and_tell();
  const SystemFile narrow =
      rig(with(kRig, "range = [-8, 8]", "range = [-4, 4]\nlimits = [-0.5, 0.5]"));
  open().change(narrow, {"limits"});
  EXPECT_EQ(open().campaign().learner().transitions(), 40) << "what was told before is whole";
  open().tell(measured(Matrix::Constant(1, 20, 1)), {.import = true});
  const Index transitions = open().campaign().learner().transitions();
  EXPECT_GE(transitions, 40);
  EXPECT_LT(transitions, 60);
  const std::string before = model();
  std::filesystem::remove(path() / "checkpoint");
  EXPECT_EQ(open().campaign().learner().transitions(), transitions);
  EXPECT_EQ(model(), before) << "learned anew, it is the same";
  EXPECT_TRUE(open().remarks().empty());
  EXPECT_EQ(read_run(path()).history.size(), 1u) << "and its history is known again";
  open().forget(1);
  EXPECT_EQ(open().campaign().learner().transitions(), transitions - 20);
}

TEST_F(Lab, SaysWhatShareCameInsideTheAnnouncedBands) {
  Laboratory lab = open();
  EXPECT_EQ(lab.tell(measured(lab.ask({})[0].actions), {}).announced, "")
      << "nothing was known before";
  const Told told = lab.tell(measured(lab.ask({})[0].actions), {});
  EXPECT_TRUE(told.announced.starts_with("theta ")) << told.announced;
  EXPECT_NE(told.announced.find(" % inside its 95 % band, thetadot "), std::string::npos)
      << told.announced;
}

// A log with one column multiplied.
std::string with_factor(const std::string& log, std::size_t column, double factor) {
  std::string text;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto cells = split(line, ',');
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const auto number = c == column ? parse_number(cells[c]) : std::nullopt;
      text += (c > 0 ? "," : "") + (number ? exact(factor * *number) : std::string(cells[c]));
    }
    text += "\n";
  }
  return text;
}

TEST_F(Lab, NamesTheMistakeInALogAndTheWayBack) {
  for (int i = 0; i < 4; ++i) ask_and_tell();
  const auto remarks = [&](std::size_t column, double factor) {
    Laboratory lab = open();
    const std::string log = with_factor(rig_log(lab.ask({})[0].actions), column, factor);
    const Told told = lab.tell(dir_.write("wrong.csv", log), {});
    lab.forget(told.experiment);
    return fmt::format("{}", fmt::join(told.remarks, "\n"));
  };
  const std::string speed = remarks(2, -1), angle = remarks(1, 180 / 3.14159265358979312);
  EXPECT_NE(speed.find("'thetadot' has the wrong sign"), std::string::npos) << speed;
  EXPECT_NE(speed.find(fmt::format("`rhc forget {} 5`", path().string())), std::string::npos)
      << speed;
  EXPECT_NE(angle.find("'theta' is in degrees where radians are meant"), std::string::npos)
      << angle;
}

TEST_F(Lab, IsAnOrdinaryRunToWhoeverReadsIt) {
  ask_and_tell();
  ask_and_tell();
  const RunRecord run = read_run(path());
  EXPECT_TRUE(run.damaged.empty()) << run.damaged[0];
  EXPECT_EQ(run.episodes_done(), 2);
  EXPECT_EQ(run.status(), "open");
  EXPECT_EQ(run.config.episodes, 2);
  EXPECT_EQ(run.spec.name, "rig");
  EXPECT_TRUE(run.rows[2].information_gained);
}

TEST(Laboratory, IsNotARunThatRhcCarriesOut) {
  const TemporaryDirectory dir;
  RunDirectory run(dir.path() / "run", tiny_config());
  run.close("finished");
  EXPECT_NE(message_of<InputError>([&] { Laboratory(dir.path() / "run", 1); }).find("rhc new"),
            std::string::npos);
}

}  // namespace
}  // namespace rhc
