#include "rhc/run/yardsticks.h"

#include <fmt/format.h>

#include "rhc/core/error.h"
#include "rhc/core/version.h"
#include "rhc/describe/settings.h"
#include "rhc/evaluate/best_achievable.h"
#include "rhc/evaluate/closed_loop.h"
#include "rhc/evaluate/task_cost.h"
#include "rhc/format/crc32.h"
#include "rhc/format/files.h"
#include "rhc/format/json_checksum.h"
#include "rhc/store/lock.h"
#include "rhc/store/metrics.h"

namespace rhc {

namespace {

constexpr std::size_t kMostTestSets = 4;

// All settings but those that tell one run of a study from another: a number that is found once too
// often costs a second, one that is of something else would be wrong.
std::string shared_settings(Config config, const System& system) {
  config.method = "-";
  config.seed = 0;
  config.episodes = 0;
  config.model.features = features_for(config, system.spec());
  std::string text = fmt::format("version={} {}\n", version(), commit());
  for (const Setting& setting : settings())
    text += fmt::format("{}={}\n", setting.key, setting.show(config));
  return text;
}

}  // namespace

Json Yardsticks::kept(const std::string& name, const std::string& key,
                      const std::function<void(const Json&)>& check,
                      const std::function<Json()>& find) {
  if (const auto known = numbers_.find(name + key); known != numbers_.end()) return known->second;
  const std::filesystem::path file = folder_ / fmt::format("{}-{:08x}.json", name, crc32(key));
  if (!folder_.empty() && std::filesystem::exists(file)) {
    try {
      const JsonReader reader(file);
      check_seal(reader);
      if (reader.has("checksum") && reader.text("of") == key) {
        check(reader.at("value"));
        return numbers_[name + key] = reader.at("value");
      }
    } catch (const InputError&) {
      // A file that cannot be read is made anew.
    }
  }
  const Json value = find();
  if (!folder_.empty()) {
    make_directories(folder_);
    try {
      const Lock lock(folder_);
      Json json{{"of", key}, {"value", value}};
      seal(json);
      write_atomically(file, json.dump(2) + "\n");
    } catch (const BusyError&) {
      // Another process keeps what it found; what we found it or the next will find again.
    }
  }
  return numbers_[name + key] = value;
}

std::shared_ptr<const TestSet> Yardsticks::test_set(const Config& config, const System& system,
                                                    int threads) {
  if (config.judge.test_trajectories == 0 || !system.spec().simulated) return nullptr;
  const std::string key = shared_settings(config, system);
  for (const auto& [of, set] : test_sets_)
    if (of == key) return set;
  auto set = std::make_shared<const TestSet>(
      draw_test_set(system, noise_levels(config, system.spec()), config.judge.test_trajectories,
                    config.judge.test_steps, threads));
  test_sets_.emplace_front(key, set);
  if (test_sets_.size() > kMostTestSets) test_sets_.pop_back();
  return set;
}

std::optional<double> Yardsticks::task_cost_limit(const Config& config, const System& system,
                                                  int threads) {
  if (!config.judge.task || !system.spec().simulated) return std::nullopt;
  const std::string key = fmt::format("version={} {}\nsystem={}\nlimit_hops={}\n", version(),
                                      commit(), system.spec().name, config.judge.limit_hops);
  const auto check = [](const Json& value) {
    if (!value.is_number() && !value.is_null()) throw InputError("it is no cost");
  };
  const Json limit = kept("limit-" + system.spec().name, key, check, [&]() -> Json {
    const auto found = rhc::task_cost_limit(system, config.judge.limit_hops, threads);
    return found ? Json(*found) : Json();
  });
  return limit.is_number() ? std::optional(limit.get<double>()) : std::nullopt;
}

std::optional<double> Yardsticks::task_cost_closed_limit(const Config& config, const System& system,
                                                         int threads) {
  constexpr int kTrials = 8;
  const SystemSpec& spec = system.spec();
  if (!config.judge.task || !config.judge.task_closed || !spec.simulated) return std::nullopt;
  const NoiseLevels noise = noise_levels(config, spec);
  // Where nothing disturbs a perfect model, it need not look.
  if (noise.process.size() == 0) return task_cost_limit(config, system, threads);
  const auto check = [](const Json& value) {
    if (!value.is_number() && !value.is_null()) throw InputError("it is no cost");
  };
  const Json limit =
      kept("closed-limit-" + spec.name, shared_settings(config, system), check, [&]() -> Json {
        const Plan best = plan_with_truth(system, config.judge.limit_hops, threads);
        if (best.status == PlanStatus::failed) return Json();
        return closed_loop_limit(system, noise, best.actions, controller_settings(config), kTrials,
                                 1, threads);
      });
  return limit.is_number() ? std::optional(limit.get<double>()) : std::nullopt;
}

std::optional<Scores> Yardsticks::best_achievable(const Config& config, const System& system,
                                                  int threads) {
  const auto set = test_set(config, system, threads);
  if (config.judge.best_achievable_transitions == 0 || !set) return std::nullopt;
  const auto scores = [](const Json& value) {
    return scores_of({value.dump(), "best-achievable line"});
  };
  return scores(
      kept("best-achievable-" + system.spec().name, shared_settings(config, system), scores, [&] {
        return scores_json(rhc::best_achievable(system, noise_levels(config, system.spec()),
                                                features_for(config, system.spec()),
                                                config.judge.best_achievable_transitions,
                                                evidence_settings(config, system, threads), *set));
      }));
}

Judge Yardsticks::judge(const Config& config, const System& system, TaskLimits known, int threads) {
  if (!known.open) known.open = task_cost_limit(config, system, threads);
  if (!known.closed) known.closed = task_cost_closed_limit(config, system, threads);
  return {config, system, test_set(config, system, threads), known, threads};
}

}  // namespace rhc
