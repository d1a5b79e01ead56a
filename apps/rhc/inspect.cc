#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "apps/rhc/commands.h"
#include "apps/rhc/progress.h"
#include "rhc/core/error.h"
#include "rhc/run/control_summary.h"
#include "rhc/run/laboratory.h"
#include "rhc/run/learned_model.h"
#include "rhc/run/noise_words.h"
#include "rhc/store/control_log.h"
#include "rhc/store/model_file.h"
#include "rhc/store/trajectory_csv.h"
#include "rhc/store/validation_file.h"

namespace rhc::app {

namespace {

struct InspectOptions {
  std::string run;
  bool json = false;
};

// It follows from the checkpoint; one that is ahead of it was left by a process that was killed.
void check_model(RunRecord& run) {
  const std::filesystem::path file = run.path / "model.json";
  try {
    if (run.owner || !run.damaged.empty()) return;
    const std::optional<DynamicsModel> model = learned_model(run);
    if (!model) return;
    if (model_json(model->regression) == read_text(file)) return;
    if (read_model(file).count() > model->regression.count())
      run.recovered.push_back("model.json is ahead of the checkpoint");
    else
      run.damaged.push_back(file.string() + ": the file was changed after it was written");
  } catch (const InputError& error) {
    run.damaged.emplace_back(error.what());
  }
}

// What nobody needs to go on with the run, and people may: it should be readable all the same.
void check_other_files(RunRecord& run) {
  const auto check = [&](const std::filesystem::path& file, auto&& read) {
    try {
      read(file);
    } catch (const InputError& error) {
      run.damaged.emplace_back(error.what());
    }
  };
  check_model(run);
  const auto each_of = [&](const char* folder, auto&& read) {
    for (int episode = 1; episode <= run.episodes_done(); ++episode) {
      const std::filesystem::path file = run.path / folder / episode_file(episode);
      if (std::filesystem::exists(file)) check(file, read);
    }
  };
  each_of("predictions", [&](auto& file) { read_forecast(file, run.spec); });
  each_of("tasks", [&](auto& file) { read_trajectory(file, run.spec); });
  if (const auto file = run.path / kValidationFile; std::filesystem::exists(file))
    check(file, [](auto& kept) { parse_validation(read_text(kept), kept.string()); });
}

// What to type to go on; empty where all is done, or somebody is at it.
std::string way_on(const RunRecord& run) {
  if (!run.damaged.empty()) return fmt::format("rhc resume {} --repair", run.path.string());
  if (run.lab) return fmt::format("rhc ask {}", run.path.string());
  if (run.owner || run.status() == "finished") return "";
  return fmt::format("rhc resume {}", run.path.string());
}

// UTC as ISO 8601 writes it is ordered like text.
bool clock_went_back(const Manifest& manifest) {
  return manifest.ended && *manifest.ended < manifest.started;
}

Index transitions(const RunRecord& run) {
  return run.rows.empty() ? 0 : run.rows.back().transitions;
}

// What led outside the limits, and what came after.
std::string left_out_in_words(const RunRecord& run) {
  Index count = 0;
  for (const MetricsRow& row : run.rows) count += row.left_out;
  return count == 0 ? "" : fmt::format(" ({} left out, from where the limits were left)", count);
}

std::string learned_limits_of(const RunRecord& run) {
  if (!run.checkpoint || !run.damaged.empty() || !run.config.plan.learn_limits) return "";
  return in_words(learned_limits(ends_seen(run)), run.spec);
}

std::vector<std::string> input_names(const SystemSpec& spec) {
  std::vector<std::string> names = names_of(spec.observation);
  for (const auto& quantities : {spec.observation, spec.action})
    for (int back = 1; back < spec.history; ++back)
      for (const std::string& name : names_of(quantities))
        names.push_back(fmt::format("{}, {} before", name, back));
  for (const std::string& name : names_of(spec.action)) names.push_back(name);
  return names;
}

// In the units of the observations; the file has standard deviations of the outputs.
Vector noise_in_units(const BeliefRecord& belief) {
  std::vector<double> noise;
  for (const PosteriorRecord& posterior : belief.posteriors)
    for (Index j = 0; j < posterior.outputs.scale.size(); ++j)
      noise.push_back(posterior.hyperparameters.noise[j] * posterior.outputs.scale[j]);
  return Eigen::Map<const Vector>(noise.data(), static_cast<Index>(noise.size()));
}

Json named(const std::vector<std::string>& names, const Vector& values) {
  Json json = Json::object();
  for (Index i = 0; i < values.size(); ++i) json[names.at(static_cast<std::size_t>(i))] = values[i];
  return json;
}

Json belief_summary(const RunRecord& run) {
  if (run.beliefs.empty()) return {};
  const BeliefRecord& belief = run.beliefs.back();
  const std::vector<std::string> inputs = input_names(run.spec),
                                 outputs = names_of(run.spec.observation);
  Json json = {{"episode", belief.episode},
               {"transitions", belief.transitions},
               {"posterior", belief.posteriors.size() == 1 ? "shared" : "separate"}};
  if (belief.posteriors.size() == 1) {
    const Hyperparameters& all = belief.posteriors[0].hyperparameters;
    json["prior_precision"] = all.prior_precision;
    json["bandwidth"] = named(inputs, all.bandwidth);
  } else {
    for (std::size_t j = 0; j < belief.posteriors.size(); ++j) {
      const Hyperparameters& one = belief.posteriors[j].hyperparameters;
      json["prior_precision"][outputs[j]] = one.prior_precision;
      json["affine_precision"][outputs[j]] = one.affine_precision;
      json["bandwidth"][outputs[j]] = named(inputs, one.bandwidth);
    }
  }
  json["noise"] = named(outputs, noise_in_units(belief));
  if (const auto noise = noise_of(run)) {
    json["sensor_noise"] = named(outputs, noise->sensor);
    json["process_noise"] = named(outputs, noise->process);
  }
  return json;
}

// What the controller did with the run; null where it goes on, was killed, or cannot be read.
Json control_summaries(const RunRecord& run) {
  Json all = Json::array();
  for (const ControlRunFile& file : control_runs(run.path, true))
    all.push_back({{"number", file.number}, {"summary", file.summary}, {"damage", file.damage}});
  return all;
}

std::vector<std::string> control_lines(const RunRecord& run) {
  std::vector<std::string> lines;
  for (const ControlRunFile& file : control_runs(run.path, true)) {
    const std::string what = !file.damage.empty()     ? "cannot be read: " + file.damage
                             : file.summary.is_null() ? "goes on, or was killed"
                                                      : control_line(file.summary);
    lines.push_back(fmt::format("control/{:04}  {}", file.number, what));
  }
  return lines;
}

Json summary(const RunRecord& run) {
  const Manifest& m = run.manifest;
  const std::string go_on = way_on(run);
  Json rows = Json::array();
  for (const MetricsRow& row : run.rows) rows.push_back(metrics_json(row));
  return {{"run", run.path.string()},
          {"system", run.config.system},
          {"method", run.config.method},
          {"seed", run.config.seed},
          {"status", run.status()},
          {"owner", run.owner ? Json(*run.owner) : Json()},
          {"go_on", go_on.empty() ? Json() : Json(go_on)},
          {"episodes", run.config.episodes},
          {"episodes_done", run.episodes_done()},
          {"transitions", transitions(run)},
          {"started", m.started},
          {"ended", m.ended ? Json(*m.ended) : Json()},
          {"clock_went_back", clock_went_back(m)},
          {"seconds", m.seconds},
          {"resumed", m.resumed},
          {"rhc", m.rhc},
          {"compiler", m.compiler},
          {"cpu", m.cpu},
          {"metrics", rows},
          {"best_achievable", run.best_achievable ? scores_json(*run.best_achievable) : Json()},
          {"belief", belief_summary(run)},
          {"control", control_summaries(run)},
          {"recovered", run.remarks()},
          {"damaged", run.damaged}};
}

std::string status_in_words(const RunRecord& run) {
  std::string status = run.status();
  if (status == "killed") return "killed: its process ended before it could say why";
  if (run.owner)
    return status == "running" ? "running now, by " + *run.owner
                               : fmt::format("{}; being written by {}", status, *run.owner);
  return status;
}

std::string ended_in_words(const Manifest& manifest) {
  if (clock_went_back(manifest)) return "not known: the clock went backwards meanwhile";
  return manifest.ended.value_or("-");
}

// A process counts its seconds when it ends.
std::string work_in_words(const RunRecord& run) {
  const std::string status = run.status();
  std::string words = fmt::format("{:.1f} s", run.manifest.seconds);
  if (run.manifest.resumed > 0) words += fmt::format(", resumed {} times", run.manifest.resumed);
  if (status == "running") words += ", without the process that is at it";
  if (status == "killed") words += ", without the process that was killed";
  return words;
}

void print_belief(const RunRecord& run) {
  if (run.beliefs.empty()) return;
  const BeliefRecord& belief = run.beliefs.back();
  const std::vector<std::string> names = input_names(run.spec);
  const Vector noise = noise_in_units(belief);
  // One column of bandwidths that all outputs share, or one for each output.
  const bool shared = belief.posteriors.size() == 1;
  fmt::print("\nbelief after episode {}{}\n{:<16}", belief.episode,
             shared ? "" : ": a posterior for each output; bandwidths", "");
  for (std::size_t j = 0; j < belief.posteriors.size(); ++j)
    fmt::print(" {:>12}", shared ? "bandwidth" : run.spec.observation[j].name);
  fmt::print(" {:>12}\n", "noise");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = static_cast<Index>(i);
    fmt::print("{:<16}", names[i]);
    for (const PosteriorRecord& posterior : belief.posteriors)
      fmt::print(" {:>12.4g}", posterior.hyperparameters.bandwidth[at]);
    fmt::print(" {:>12}\n", at < noise.size() ? fmt::format("{:.4g}", noise[at]) : "-");
  }
  if (const auto split = noise_of(run)) fmt::print("noise: {}\n", noise_in_words(*split, run.spec));
}

void print_list(const char* title, const std::vector<std::string>& items) {
  if (items.empty()) return;
  fmt::print("\n{}:\n", title);
  for (const std::string& item : items) fmt::print("  {}\n", item);
}

void print_summary(const RunRecord& run) {
  const Manifest& m = run.manifest;
  const auto line = [](const char* name, const std::string& text) {
    fmt::print("{:<12}{}\n", name, text);
  };
  line("run", run.path.string());
  line("system", run.config.system);
  line("method", run.config.method);
  line("seed", std::to_string(run.config.seed));
  line("status", status_in_words(run));
  if (const std::string go_on = way_on(run); !go_on.empty()) line("go on by", go_on);
  line("episodes", fmt::format("{} of {}, {} transitions{}", run.episodes_done(),
                               run.config.episodes, transitions(run), left_out_in_words(run)));
  if (const std::string limits = learned_limits_of(run); !limits.empty())
    line("stays where", limits + " (learned where episodes ended early)");
  line("started", m.started);
  line("ended", ended_in_words(m));
  line("work", work_in_words(run));
  line("rhc", fmt::format("{}, compiler {}", m.rhc, m.compiler));
  line("machine", m.cpu);
  fmt::print("\n{}", metrics_table(run.rows, run.best_achievable, output_width()));
  print_belief(run);
  print_list("controlled", control_lines(run));
  print_list("recovered", run.remarks());
  print_list("damaged", run.damaged);
}

int inspect(const InspectOptions& options) {
  RunRecord run = read_run(options.run);
  check_other_files(run);
  if (options.json)
    fmt::print("{}\n", summary(run).dump());
  else
    print_summary(run);
  return run.damaged.empty() ? kDone : kFailed;
}

}  // namespace

void add_inspect(CLI::App& program, int& exit_code) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App* command = program.add_subcommand(
      "inspect",
      "Print what a run is, how it stands and what it learned; exit code 1 where a file of it\n"
      "is damaged\n"
      "Example: rhc inspect runs/pendulum-rhc-evr-1");
  command->add_option("run", options->run, "Run directory")->type_name("RUN")->required();
  command->add_flag("--json", options->json, "Print all of it as one JSON object");
  command->callback([options, &exit_code] { exit_code = inspect(*options); });
}

}  // namespace rhc::app
