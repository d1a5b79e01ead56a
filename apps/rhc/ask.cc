#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "apps/rhc/commands.h"
#include "apps/rhc/lab.h"
#include "apps/rhc/threads_option.h"
#include "rhc/core/error.h"
#include "rhc/evaluate/task_outlook.h"
#include "rhc/explore/trouble.h"
#include "rhc/plan/margin.h"

namespace rhc::app {

namespace {

struct AskOptions {
  std::string run, out, start, seen;
  MeasuredSettings measured;
  AskSettings ask;
  int threads = 1;
  bool dry_run = false, anyway = false;
};

// Below these, another experiment teaches next to nothing: nats a step and observation, and the
// share of the task's cost that it could save.
constexpr double kLeastNats = 0.05, kLeastGain = 0.01;
constexpr int kDraws = 8;

std::string trouble_of(const Laboratory& lab, const Proposal& proposal) {
  return plan_trouble(proposal.status, proposal.actions, lab.system().system.spec());
}

void print_worth(const Laboratory& lab, const Proposal& proposal, int threads) {
  const Config& config = lab.campaign().config();
  const DynamicsModel* model = lab.campaign().model();
  if (!model) {
    fmt::print(stderr,
               "Nothing is known yet: the actions are held at random, and what they do cannot be "
               "predicted.\n");
    return;
  }
  if (proposal.information && trouble_of(lab, proposal).empty()) {
    const auto steps = static_cast<double>(proposal.actions.cols() * model->outputs());
    fmt::print(stderr, "For the model it is {}: {:.3g} nats about {} parameters are expected.\n",
               *proposal.information >= kLeastNats * steps ? "worth it" : "hardly worth it",
               *proposal.information, model->regression.parameters());
  }
  const auto outlook =
      task_outlook(*model, lab.system().system, config.plan.stay_inside,
                   task_planner_settings(config, threads), controller_settings(config), kDraws);
  if (!outlook) return;
  fmt::print(
      stderr,
      "For the task, run with feedback, it is {}: full knowledge would save {:.3g} of {:.6g} "
      "({:.1f} %).\n",
      outlook->gain >= kLeastGain * outlook->expected ? "worth it" : "hardly worth it",
      outlook->gain, outlook->expected, 100 * outlook->gain / std::max(outlook->expected, 1e-300));
}

// What is to be said of how it was planned.
void print_plan_remarks(const Laboratory& lab, const Proposal& proposal, double sigmas) {
  const std::string trouble = trouble_of(lab, proposal);
  if (const LearnedLimits& learned = lab.campaign().limits();
      learned.any() && proposal.planned() && lab.campaign().config().plan.stay_inside)
    fmt::print(stderr, "The machine itself ended experiments elsewhere, so plans stay where {}.\n",
               in_words(learned, lab.system().system.spec()));
  if (proposal.status == name(PlanStatus::repeated)) {
    fmt::print(stderr,
               "The model is still too vague: by {} deviations no plan stays inside the limits. So "
               "this experiment is like the first one, at other levels, within the share of the "
               "bounds that is allowed while nothing is known. What it does cannot be foreseen "
               "well; stay near the machine.\n",
               sigmas);
    return;
  }
  if (proposal.status != name(PlanStatus::shrunk)) {
    if (!trouble.empty()) fmt::print(stderr, "This is the best there is: {}.\n", trouble);
    return;
  }
  fmt::print(stderr,
             "No plan was found that stays inside the limits by {} deviations; the actions of the "
             "best were made smaller until it did{}. `--sigmas` takes a smaller margin.\n",
             sigmas,
             !trouble.empty() ? ", and nothing is left of them: the machine would rest" : "");
}

std::optional<Breach> breach_of(const Proposal& proposal, const SystemSpec& spec, double sigmas) {
  if (!proposal.forecast || sigmas == 0) return std::nullopt;
  // It is known not to keep its margin, and is asked for all the same.
  if (proposal.status == name(PlanStatus::repeated)) return std::nullopt;
  return first_breach(*proposal.forecast, spec.limits, sigmas);
}

bool leads_outside(const std::string& status) {
  return status == name(PlanStatus::repeated) || status == name(PlanStatus::infeasible) ||
         status == name(PlanStatus::failed);
}

// The rest of an experiment that is under way, from where the machine is now.
int ask_rest(const AskOptions& options, Laboratory& lab) {
  const SystemSpec& spec = lab.system().system.spec();
  const double sigmas = options.ask.sigmas.value_or(spec.safety.sigmas);
  auto [episode, seen, remarks] = lab.plan_rest(options.seen, options.measured, options.ask.sigmas);
  for (const std::string& remark : remarks)
    fmt::print(stderr, "rhc: {}: {}\n", options.seen, remark);
  // The machine is moving: what was allowed from rest while nothing was known is not allowed here.
  const bool none = leads_outside(episode.proposal.status);
  const std::optional<Breach> breach =
      sigmas == 0 || none ? std::nullopt : first_breach(episode.rest, spec.limits, sigmas);
  if ((none || breach) && options.anyway)
    episode = lab.plan_rest(options.seen, options.measured, 0).episode;
  const Proposal& proposal = episode.proposal;
  const Matrix rest = proposal.actions.rightCols(proposal.actions.cols() - seen);
  fmt::print(stderr, "Experiment {}: {} of {} steps were seen, the other {} are planned anew\n",
             proposal.episode, seen, spec.horizon, rest.cols());
  if (proposal.information)
    fmt::print(stderr, "All of it is expected to tell {:.3g} nats about {} parameters.\n",
               *proposal.information, lab.campaign().model()->regression.parameters());
  if (!none) print_plan_remarks(lab, proposal, sigmas);
  print_envelope(stderr, lab.system(), episode.rest, seen);
  if ((none || breach) && !options.anyway && !options.dry_run)
    throw IoError(fmt::format(
        "no rest was found whose prediction stays inside the limits by {} deviations{}. The plan "
        "that was asked for is as it was; bring the machine to rest, take a smaller margin "
        "(--sigmas), or none at all (--anyway)",
        sigmas,
        breach ? fmt::format(": '{}' may reach {:.4g} at step {}",
                             spec.observation[static_cast<std::size_t>(breach->observation)].name,
                             breach->value, seen + breach->step)
               : ""));
  if (options.dry_run) return kDone;
  lab.replace(proposal);
  write_or_print(options.out, proposal_csv(lab.system(), rest, episode.rest, seen));
  if (!options.out.empty())
    fmt::print(stderr,
               "The rest of experiment {} is in {}; `rhc tell {} FILE` takes all that is "
               "measured\n",
               proposal.episode, options.out, options.run);
  return kDone;
}

int ask(const AskOptions& options) {
  if (!options.dry_run) keep_what_was_learned(options.run, options.threads);
  Laboratory lab(options.run, options.threads);
  print_remarks(lab, options.run);
  if (!options.seen.empty()) return ask_rest(options, lab);
  AskSettings settings = options.ask;
  if (lab.asked_before_change() && !settings.anew) {
    settings.anew = true;
    fmt::print(stderr,
               "The description was changed after the last plan was asked for: it is planned "
               "anew.\n");
  }
  if (!options.start.empty())
    settings.before = parse_measured_start(options.start, lab.system(), options.measured);
  const SystemSpec& spec = lab.system().system.spec();
  const double sigmas = settings.sigmas.value_or(spec.safety.sigmas);

  // Looked at before anything is asked for.
  Proposal first = lab.rehearse(settings);
  const bool known = first.episode <= lab.notes().count();
  const bool moved = known && lab.notes()[first.episode].start != first.start;
  const bool again = known && !moved && !settings.anew && !settings.sigmas;
  const std::optional<Breach> breach = again ? std::nullopt : breach_of(first, spec, sigmas);
  if (breach && options.anyway) {
    settings.sigmas = 0;
    first = lab.rehearse(settings);
  }
  fmt::print(stderr, "Experiment {}: {} steps of {} s{}\n", first.episode, spec.horizon,
             spec.time_step,
             moved   ? ", in place of the plan that was asked for before, from another start"
             : again ? ", as asked for before"
                     : "");
  print_worth(lab, first, options.threads);
  print_plan_remarks(lab, first, sigmas);
  if (first.forecast) print_envelope(stderr, lab.system(), *first.forecast);
  if (breach && !options.anyway && !options.dry_run)
    throw IoError(fmt::format(
        "no experiment was found whose prediction stays inside the limits by {} deviations: even "
        "at rest '{}' may reach {:.4g} at step {}. Nothing was asked for; begin from a quieter "
        "start (--start), take a smaller margin (--sigmas), or none at all (--anyway)",
        sigmas, spec.observation[static_cast<std::size_t>(breach->observation)].name, breach->value,
        breach->step));
  if (options.dry_run) return kDone;

  const std::vector<Proposal> proposals = lab.ask(settings);
  for (const Proposal& proposal : proposals) {
    if (proposal.episode != first.episode && proposal.forecast) {
      fmt::print(stderr, "Experiment {}:\n", proposal.episode);
      print_plan_remarks(lab, proposal, sigmas);
      print_envelope(stderr, lab.system(), *proposal.forecast);
    }
    std::string file = options.out;
    if (!file.empty() && proposals.size() > 1) {
      const std::filesystem::path path(file);
      file = (path.parent_path() / fmt::format("{}-{}{}", path.stem().string(), proposal.episode,
                                               path.extension().string()))
                 .string();
    }
    if (options.out.empty() && proposals.size() > 1)
      fmt::print("# experiment {}\n", proposal.episode);
    write_or_print(file, proposal_csv(lab.system(), proposal.actions, proposal.forecast));
    if (!file.empty()) fmt::print(stderr, "Experiment {} is in {}\n", proposal.episode, file);
  }
  if (!options.out.empty())
    fmt::print(stderr, "`rhc tell {} FILE` takes what is measured\n", options.run);
  return kDone;
}

}  // namespace

void add_ask(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<AskOptions>();
  CLI::App* command = program.add_subcommand(
      "ask",
      "Plan the next experiment of a run that `rhc new` began. Asked twice, it is the same plan\n"
      "Example: rhc ask runs/lab --out plan.csv");
  command->add_option("run", options->run, "Run directory")->type_name("RUN")->required();
  command
      ->add_option("--out", options->out,
                   "CSV file for the plan (default: the standard output): time, actions, and "
                   "what is\nexpected to be measured with its 95 % band")
      ->type_name("FILE");
  CLI::Option* start =
      command->add_option("--start", options->start, kMeasuredStart)->type_name("VALUES");
  CLI::Option* seen = command
                          ->add_option("--seen", options->seen,
                                       "What was measured of the experiment so far, as `rhc tell` "
                                       "takes it: the rest is planned\n"
                                       "anew from where the machine is now")
                          ->type_name("FILE");
  add_measured_options(*command, options->measured);
  CLI::Option* count = command
                           ->add_option("--count", options->ask.count,
                                        "Experiments to carry out before any is told (default 1)")
                           ->check(CLI::Range(1, 100));
  CLI::Option* anew = command->add_flag(
      "--anew", options->ask.anew, "Plan again what was asked for already, with what is known now");
  for (CLI::Option* other : {start, count, anew}) seen->excludes(other);
  // As where a shell's variable is not set: the whole plan is no answer for a machine that moves.
  seen->check(
      [](const std::string& file) { return file.empty() ? "the file's name is empty" : ""; });
  command->add_flag("--dry-run", options->dry_run,
                    "Only show what is expected to happen; nothing is asked for");
  add_sigmas_option(*command, options->ask.sigmas);
  command->add_flag("--anyway", options->anyway, "Plan without that margin where no plan keeps it");
  add_threads_option(*command, options->threads);
  command->callback([options, &exit_code] { exit_code = ask(*options); });
}

}  // namespace rhc::app
