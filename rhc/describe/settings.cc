#include "rhc/describe/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <cmath>
#include <map>
#include <sstream>

#include "rhc/core/error.h"
#include "rhc/core/text.h"

namespace rhc {

namespace {

// Where a config keeps a value: itself, or in one of its parts.
template <class T>
class Member {
 public:
  Member(T Config::*member)  // NOLINT: by design
      : find_([=](Config& c) -> T& { return c.*member; }) {}
  template <class Part>
  Member(Part Config::*part, T Part::*member)
      : find_([=](Config& c) -> T& { return c.*part.*member; }) {}

  T& operator()(Config& c) const { return find_(c); }
  const T& operator()(const Config& c) const { return find_(const_cast<Config&>(c)); }

 private:
  std::function<T&(Config&)> find_;
};

template <class Part, class T>
Member<T> in(Part Config::*part, T Part::*member) {
  return {part, member};
}

std::string toml_string(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

// TOML wants a point or an exponent in a real number.
std::string real(double value) {
  const std::string text = exact(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

Setting text(std::string key, Member<std::string> member, std::string range, std::string help,
             bool may_be_empty = false) {
  return {std::move(key),
          "",
          std::move(range),
          std::move(help),
          [=](const Config& c) { return toml_string(member(c)); },
          [=](Config& c, std::string_view value) {
            member(c) = value;
            return may_be_empty || !value.empty();
          }};
}

template <class T>
Setting integer(std::string key, Member<T> member, long long least, long long most,
                std::string help) {
  return {std::move(key),
          "",
          fmt::format("whole number from {} to {}", least, most),
          std::move(help),
          [=](const Config& c) { return std::to_string(member(c)); },
          [=](Config& c, std::string_view value) {
            const auto number = parse_integer(value);
            if (!number || *number < least || *number > most) return false;
            member(c) = static_cast<T>(*number);
            return true;
          }};
}

Setting number(std::string key, Member<double> member, double least, double most, std::string unit,
               std::string help) {
  return {std::move(key),
          std::move(unit),
          fmt::format("number from {} to {}", least, most),
          std::move(help),
          [=](const Config& c) { return real(member(c)); },
          [=](Config& c, std::string_view value) {
            const auto parsed = parse_number(value);
            if (!parsed || !(*parsed >= least && *parsed <= most)) return false;
            member(c) = *parsed;
            return true;
          }};
}

// Items of a list such as [1, 2], with or without its brackets.
std::vector<std::string_view> items_of(std::string_view list) {
  list = trim(list);
  if (list.starts_with('[') && list.ends_with(']')) list = trim(list.substr(1, list.size() - 2));
  return list.empty() ? std::vector<std::string_view>{} : split(list, ',');
}

Setting deviations(std::string key, Member<std::vector<double>> member, std::string unit,
                   std::string help) {
  return {std::move(key),
          std::move(unit),
          "list of numbers not below 0, such as [0.01, 0.05]; one serves all; [] is none",
          std::move(help),
          [=](const Config& c) {
            std::vector<std::string> values;
            for (const double v : member(c)) values.push_back(real(v));
            return fmt::format("[{}]", fmt::join(values, ", "));
          },
          [=](Config& c, std::string_view value) {
            std::vector<double> values;
            for (const std::string_view cell : items_of(value)) {
              const auto parsed = parse_number(cell);
              if (!parsed || !(*parsed >= 0) || !std::isfinite(*parsed)) return false;
              values.push_back(*parsed);
            }
            member(c) = values;
            return true;
          }};
}

Setting widths(std::string key, Member<std::vector<Index>> member, std::string help) {
  constexpr long long kWidest = 8192;
  constexpr std::size_t kMostLayers = 16;
  return {std::move(key),
          "",
          fmt::format("list of 1 to {} whole numbers from 1 to {}, such as [64, 64]", kMostLayers,
                      kWidest),
          std::move(help),
          [=](const Config& c) { return fmt::format("[{}]", fmt::join(member(c), ", ")); },
          [=](Config& c, std::string_view value) {
            std::vector<Index> values;
            for (const std::string_view cell : items_of(value)) {
              const auto parsed = parse_integer(trim(cell));
              if (!parsed || *parsed < 1 || *parsed > kWidest) return false;
              values.push_back(*parsed);
            }
            member(c) = values;
            return !values.empty() && values.size() <= kMostLayers;
          }};
}

// One of a few words.
template <class T>
Setting choice(std::string key, Member<T> member, std::vector<std::pair<std::string, T>> words,
               std::string help) {
  std::vector<std::string> names, bare;
  for (const auto& [word, value] : words) {
    names.push_back(toml_string(word));
    bare.push_back(word);
  }
  return {std::move(key),
          "",
          fmt::format("{}", fmt::join(names, " or ")),
          std::move(help),
          [=](const Config& c) {
            for (const auto& [word, value] : words)
              if (member(c) == value) return toml_string(word);
            return toml_string("");
          },
          [=](Config& c, std::string_view text) {
            for (const auto& [word, value] : words)
              if (text == word) {
                member(c) = value;
                return true;
              }
            return false;
          },
          bare};
}

Setting yes_or_no(std::string key, Member<bool> member, std::string help) {
  return {std::move(key),
          "",
          "true or false",
          std::move(help),
          [=](const Config& c) { return std::string(member(c) ? "true" : "false"); },
          [=](Config& c, std::string_view value) {
            member(c) = value == "true";
            return value == "true" || value == "false";
          },
          {"true", "false"}};
}

Setting refit_rule() {
  return {"refit",
          "episodes",
          "\"each\", \"never\" or a whole number from 1 to 1000000",
          "how often the hyperparameters are fitted again; in between, and with never after the "
          "first fit, the belief is updated as it stands",
          [](const Config& c) {
            return c.model.refit == 0   ? toml_string("never")
                   : c.model.refit == 1 ? toml_string("each")
                                        : std::to_string(c.model.refit);
          },
          [](Config& c, std::string_view value) {
            const auto number = value == "never"  ? std::optional<long long>(0)
                                : value == "each" ? std::optional<long long>(1)
                                                  : parse_integer(value);
            if (!number || *number > 1000000 || (*number < 1 && value != "never")) return false;
            c.model.refit = static_cast<int>(*number);
            return true;
          },
          {"each", "never"}};
}

std::vector<Setting> make_settings() {
  return {
      text("system", &Config::system, "a name that `rhc systems` lists", "what is explored"),
      text("method", &Config::method, "random, rhc-us, rhc-info, rhc-evr, sac-pe, sac-ig or max",
           "who decides what to try: nobody; a plan for the largest summed variance, for the most "
           "information step by step, or for the least entropy of the parameters; soft "
           "actor-critic, rewarded for prediction errors or for information; or a policy trained "
           "where an ensemble of networks disagrees"),
      integer<int>("episodes", &Config::episodes, 0, 1000000, "experiments of a run"),
      integer<std::uint64_t>("seed", &Config::seed, 0, INT64_MAX,
                             "decides every random number of a run"),
      text("command", in(&Config::plant, &Config::Plant::command),
           "a command of the shell, or nothing",
           "program that is the plant; without one the system is simulated", true),
      choice<OnFailure>(
          "on_failure", in(&Config::plant, &Config::Plant::on_failure),
          {{"stop", OnFailure::stop}, {"retry", OnFailure::retry}},
          "what follows where the plant fails: the run ends until a person resumes it, or only the "
          "episode ends and the plant is started again; a system that is simulated does not fail"),
      integer("plant_restarts", in(&Config::plant, &Config::Plant::restarts), 0, 1000000,
              "times that the plant is started again after it failed"),
      number("plant_timeout", in(&Config::plant, &Config::Plant::timeout), 0.001, 1e6, "seconds",
             "how long the plant may take for a step, and (5 seconds at most) to end"),
      number("plant_start_timeout", in(&Config::plant, &Config::Plant::start_timeout), 0.001, 1e6,
             "seconds", "how long it may take to start, and to go back to where an episode begins"),
      deviations("observation_noise", in(&Config::noise, &Config::Noise::observation),
                 "of each observation", "standard deviation of the noise on what is measured"),
      deviations("process_noise", in(&Config::noise, &Config::Noise::process),
                 "of each internal state",
                 "standard deviation of the noise on the state after each step"),
      choice<Sharing>(
          "posterior", in(&Config::model, &Config::Model::posterior),
          {{"evidence", Sharing::evidence},
           {"shared", Sharing::shared},
           {"separate", Sharing::separate}},
          "whether all outputs share one posterior, with one set of bandwidths and one "
          "signal-to-noise ratio, or each has its own, with an affine part; evidence: one for all, "
          "unless one for each explains the data clearly better"),
      integer("features", in(&Config::model, &Config::Model::features), 0, 20000,
              "random Fourier features of the model, M; 0: five times the square of the number of "
              "inputs, from 32 to 500"),
      integer("output_features", in(&Config::model, &Config::Model::output_features), 0, 20000,
              "random Fourier features of each output that has a posterior of its own; 0: half of "
              "`features`, at least 32"),
      integer("forecast_features", in(&Config::model, &Config::Model::forecast_features), 0, 20000,
              "random Fourier features of the posteriors behind announced bands and margins; 0: "
              "three times as many as a plan has, from 200 to 500"),
      choice<BandwidthRule>(
          "bandwidth", in(&Config::model, &Config::Model::bandwidth),
          {{"evidence", BandwidthRule::evidence},
           {"mean-distance", BandwidthRule::mean_distance},
           {"paper", BandwidthRule::paper}},
          "how the features' bandwidths are set: by maximising the evidence, to "
          "the mean distance between inputs, or as the paper's code does it, with "
          "noise 1 and prior precision 1e-8"),
      number(
          "caution", in(&Config::model, &Config::Model::caution), 0, 1e6, "nats of evidence",
          "what a nat of uncertainty over the region of interest is worth when hyperparameters are "
          "chosen; 0: the evidence alone"),
      number(
          "noise_floor", in(&Config::model, &Config::Model::noise_floor), 1e-8, 1,
          "standard deviations of an output",
          "least noise that the model may believe in, which its doubt about the weights goes with"),
      number(
          "model_error", in(&Config::model, &Config::Model::model_error), 0, 1,
          "standard deviations of an output",
          "what takes the place of a smaller noise in predictions: so many features err by about "
          "as much away from their data"),
      integer("evidence_starts", in(&Config::model, &Config::Model::evidence_starts), 1, 10000,
              "points from which the evidence is searched; the best few are followed"),
      refit_rule(),
      yes_or_no("redraw_features", in(&Config::model, &Config::Model::redraw_features),
                "draw new random features at every fit, as the paper's code does"),
      number(
          "forgetting", in(&Config::model, &Config::Model::forgetting), 0, 1e6, "episodes",
          "where a system warms up or wears: an episode counts less by a factor e for so many that "
          "came after it; 0: all count alike. Weights and states of whole trajectories are then "
          "not found together (`fit_trajectories`)"),
      yes_or_no("fit_trajectories", in(&Config::model, &Config::Model::fit_trajectories),
                "where sensors are noisy, find the model's weights together with the states of "
                "whole trajectories, instead of step by step"),
      integer("plan_starts", in(&Config::plan, &Config::Plan::starts), 1, 1000000,
              "points from which a plan is searched; the best few are followed"),
      integer("plan_hops", in(&Config::plan, &Config::Plan::hops), 0, 1000000,
              "times the best plan is disturbed and solved again"),
      choice<StartSignals>("plan_signals", in(&Config::plan, &Config::Plan::signals),
                           {{"mixed", StartSignals::mixed}, {"white", StartSignals::white}},
                           "where searches begin: bang-bang and coloured noise, or "
                           "uniform noise"),
      choice<TimeWeights>("weights", in(&Config::plan, &Config::Plan::weights),
                          {{"uniform", TimeWeights::uniform},
                           {"last", TimeWeights::last},
                           {"discount", TimeWeights::discount}},
                          "how the steps of a plan count: all alike, the last alone, or less from "
                          "step to step"),
      number("discount", in(&Config::plan, &Config::Plan::discount), 0, 1, "a step",
             "the factor of weights = \"discount\""),
      yes_or_no("stay_inside", in(&Config::plan, &Config::Plan::stay_inside),
                "keep angles on their circle and plans inside the system's limits"),
      number("limit_margin", in(&Config::plan, &Config::Plan::limit_margin), 0, 0.49,
             "of a limit's range", "distance that plans keep from the limits"),
      yes_or_no("outliers", in(&Config::model, &Config::Model::outliers),
                "a transition that noise does not explain (a wall, a slip, a glitch of a sensor) "
                "counts for less, and is told; off: all count alike"),
      yes_or_no("learn_limits", in(&Config::plan, &Config::Plan::learn_limits),
                "keep plans inside limits that are learned where the plant ends episodes early; "
                "false where an end is a goal"),
      number("first_hold", in(&Config::plan, &Config::Plan::first_hold), 0, 1, "of the horizon",
             "how long actions are held in the first episode; 0: uniform noise"),
      integer("first_levels", in(&Config::plan, &Config::Plan::first_levels), 1, 1000,
              "parts of the way to a bound at which every second one of them is held, the others "
              "at the bounds; 1: all at the bounds"),
      integer("replan", in(&Config::plan, &Config::Plan::replan), 0, 1000000,
              "steps of an episode after which the model learns from what was seen and the rest is "
              "planned anew; 0: never. Methods that do not plan take no notice of it"),
      integer("replan_starts", in(&Config::plan, &Config::Plan::replan_starts), 0, 1000000,
              "points from which such a plan is searched, besides the rest of the one under way"),
      choice<std::string>("device", &Config::device, {{"cpu", "cpu"}, {"cuda", "cuda"}},
                          "where the networks of sac-pe, sac-ig, max and network_from are trained"),
      integer(
          "network_from", in(&Config::network, &Config::Network::from), 0, 1000000000,
          fmt::format(
              "transitions from which the model's features are those of a network "
              "instead of random ones, at least {}: trained by squared error and early "
              "stopping, with the same exact posterior over its last layer, shared by "
              "all outputs; worth it from about 10000 on, and too sure of itself where nothing was "
              "seen. Needs LibTorch; 0: never",
              kFewestForNetwork)),
      widths("network_layers", in(&Config::network, &Config::Network::layers),
             "widths of that network's layers; the last one's are the features"),
      integer("network_updates", in(&Config::network, &Config::Network::updates), 100, 100000000,
              "steps of gradient descent that train it, each on 128 transitions; a third as many "
              "where it is trained on with more data"),
      widths("sac_hidden", in(&Config::sac, &Config::Sac::hidden),
             "widths of the hidden layers of soft actor-critic's policy and critics"),
      number("sac_discount", in(&Config::sac, &Config::Sac::discount), 0, 1, "a step",
             "its discount of later rewards, gamma; also that of max"),
      number("sac_target_rate", in(&Config::sac, &Config::Sac::target_rate), 0, 1, "an update",
             "how fast its target critics follow, tau; also those of max"),
      number("sac_learning_rate", in(&Config::sac, &Config::Sac::learning_rate), 0, kInfinity, "",
             "step size of its gradient steps"),
      integer("sac_buffer", in(&Config::sac, &Config::Sac::buffer), 1, 100000000,
              "transitions that it remembers; also those max imagines"),
      integer("sac_batch", in(&Config::sac, &Config::Sac::batch), 1, 1000000,
              "transitions of one update"),
      integer("sac_updates", in(&Config::sac, &Config::Sac::updates), 0, 1000000,
              "updates after each step"),
      integer("max_members", in(&Config::max, &Config::Max::members), 2, 10000,
              "networks of max's ensemble"),
      widths("max_hidden", in(&Config::max, &Config::Max::hidden),
             "widths of each network's hidden layers"),
      number("max_learning_rate", in(&Config::max, &Config::Max::learning_rate), 0, kInfinity, "",
             "step size of their gradient steps"),
      integer("max_batch", in(&Config::max, &Config::Max::batch), 1, 1000000,
              "transitions that each network sees in one of them"),
      integer("max_updates", in(&Config::max, &Config::Max::updates), 1, 100000000,
              "gradient steps of the ensemble before each episode, from nothing"),
      number("max_variance_share", in(&Config::max, &Config::Max::variance_share), 0, 1, "",
             "of the spread of the networks' variances that counts as disagreement"),
      integer("max_actors", in(&Config::max, &Config::Max::actors), 1, 100000,
              "episodes imagined side by side"),
      integer("max_steps", in(&Config::max, &Config::Max::steps), 1, 100000000,
              "steps imagined before each episode; after the warm-up each is followed by an update "
              "of the policy"),
      integer("max_warm_up", in(&Config::max, &Config::Max::warm_up), 0, 100000,
              "imagined episodes of random actions before the first update"),
      widths("max_policy_hidden", in(&Config::max, &Config::Max::policy_hidden),
             "widths of the hidden layers of max's policy and critics"),
      number("max_policy_learning_rate", in(&Config::max, &Config::Max::policy_learning_rate), 0,
             kInfinity, "", "step size of their gradient steps"),
      integer("max_policy_batch", in(&Config::max, &Config::Max::policy_batch), 1, 1000000,
              "imagined transitions of one update"),
      number("max_temperature", in(&Config::max, &Config::Max::temperature), 0, kInfinity,
             "nats of disagreement",
             "what a nat of the policy's entropy is worth while it is trained"),
      yes_or_no("task", in(&Config::judge, &Config::Judge::task),
                "judge the model by the cost of the system's task"),
      integer("task_starts", in(&Config::judge, &Config::Judge::task_starts), 1, 1000000,
              "points from which the task is searched"),
      integer("task_hops", in(&Config::judge, &Config::Judge::task_hops), 0, 1000000,
              "times the best task plan is disturbed and solved again"),
      integer("task_draws", in(&Config::judge, &Config::Judge::task_draws), 0, 1000,
              "systems drawn from the model over which a task plan's expected cost is made small; "
              "0: it is planned for the mean of the model alone"),
      yes_or_no("task_closed", in(&Config::judge, &Config::Judge::task_closed),
                "judge the task also as a controller carries it out: with the run's noise, state "
                "estimation, feedback and replanning"),
      integer("task_replan", in(&Config::judge, &Config::Judge::task_replan), 0, 1000000,
              "steps after which that controller plans the rest anew; 0: never"),
      integer("limit_hops", in(&Config::judge, &Config::Judge::limit_hops), 0, 1000000,
              "the same in the search for the least cost that a perfect model could reach"),
      integer("test_trajectories", in(&Config::judge, &Config::Judge::test_trajectories), 0,
              10000000, "unseen trajectories that judge the model; 0: it is not judged by any"),
      integer("test_steps", in(&Config::judge, &Config::Judge::test_steps), 1, 10000,
              "steps of each of them"),
      integer("best_achievable_transitions",
              in(&Config::judge, &Config::Judge::best_achievable_transitions), 0, 1000000,
              "uniform transitions of the model that draws the best-achievable line; 0: no line"),
  };
}

const Setting& setting_called(std::string_view key) {
  for (const Setting& setting : settings())
    if (setting.key == key) return setting;
  std::vector<std::string> known;
  for (const Setting& setting : settings()) known.push_back(setting.key);
  throw InputError(unknown_name("setting", key, known) + "; `rhc config show` explains them all");
}

}  // namespace

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = make_settings();
  return all;
}

std::string plain(const Setting& setting, const Config& config) {
  std::string value = setting.show(config);
  std::erase_if(value, [](char c) { return c == '"' || c == '\'' || c == ' '; });
  return value;
}

void assign(Config& config, std::string_view key, std::string_view value) {
  const Setting& setting = setting_called(key);
  Config changed = config;
  if (!setting.assign(changed, trim(value)))
    throw InputError(
        fmt::format("setting '{}' cannot be '{}'; expected: {}", key, value, setting.range));
  config = std::move(changed);
}

GivenSetting given_setting(std::string_view key_and_value) {
  const auto at = key_and_value.find('=');
  if (at == std::string_view::npos)
    throw InputError(
        fmt::format("unexpected argument '{}'; settings are written key=value", key_and_value));
  return {std::string(key_and_value), std::string(trim(key_and_value.substr(0, at))),
          std::string(key_and_value.substr(at + 1))};
}

void assign(Config& config, std::string_view key_and_value) {
  const GivenSetting given = given_setting(key_and_value);
  assign(config, given.key, given.value);
}

void assign(Config& config, const std::vector<GivenSetting>& given) {
  std::map<std::string, const GivenSetting*> earlier;
  for (const GivenSetting& setting : given) {
    const auto show = setting_called(setting.key).show;
    const std::string before = show(config);
    assign(config, setting.key, setting.value);
    const auto [same, first] = earlier.emplace(setting.key, &setting);
    if (!first && show(config) != before)
      throw InputError(
          fmt::format("`{}` and `{}` give '{}' different values; leave one of them out",
                      same->second->words, setting.words, setting.key));
  }
}

}  // namespace rhc
