#include "rhc/study/sweep_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/settings.h"
#include "rhc/describe/system_file.h"
#include "rhc/explore/explorer.h"
#include "rhc/explore/neural_methods.h"
#include "rhc/format/crc32.h"
#include "rhc/format/files.h"
#include "rhc/format/toml.h"

namespace rhc {

namespace {

constexpr std::size_t kMostRuns = 100000;
constexpr std::size_t kLongestName = 120;

// One key of a grid with the values it takes.
struct Axis {
  std::string key;
  std::vector<std::string> values;
  const toml::node* node;
};

class SweepReader {
 public:
  SweepReader(std::string_view text, std::string name)
      : name_(std::move(name)), table_(parse_toml(text, name_)) {}

  SweepPlan read() {
    check_keys(table_, "key of a sweep", {"preset", "grid", "settings", "slurm"});
    read_grids();
    if (const toml::node* node = table_.get("settings")) settings_ = &table(*node, "settings");
    check_said_once();
    SweepPlan plan;
    for (const std::vector<Axis>& grid : grids_) expand(grid, plan.runs);
    name_runs(plan.runs);
    check_unique(plan.runs);
    plan.slurm = read_slurm();
    return plan;
  }

 private:
  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    throw InputError(at_place(name_, node, what));
  }

  // Texts may become lines of a script: each is one line.
  void check_one_line(const toml::node& node) const {
    if (const toml::array* list = node.as_array())
      for (const toml::node& item : *list) check_one_line(item);
    const auto* text = node.as_string();
    if (text && has_control_characters(text->get()))
      fail(node, fmt::format("the text '{}' has a control character; write it on one line, without "
                             "tabs and escapes",
                             visible(text->get())));
  }

  // A value in the words of the command line.
  std::string words_of(const toml::node& node) const {
    check_one_line(node);
    return plain(node);
  }

  const toml::table& table(const toml::node& node, const std::string& key) const {
    if (const toml::table* found = node.as_table()) return *found;
    fail(node, fmt::format("'{}' must be a table, written [{}]", key, key));
  }

  void check_keys(const toml::table& table, const char* kind,
                  const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table)
      if (std::find(known.begin(), known.end(), key.str()) == known.end())
        fail(node, unknown_name(kind, key.str(), known));
  }

  void read_grids() {
    const toml::node* node = table_.get("grid");
    if (!node)
      throw InputError(fmt::format(
          "{}: there is no [grid], which says what is varied, such as\n     [grid]\n     system = "
          "[\"pendulum\"]\n     method = [\"random\", \"rhc-evr\"]\n     seed = \"1-10\"",
          name_));
    if (const toml::array* several = node->as_array()) {
      for (const toml::node& one : *several) grids_.push_back(read_grid(table(one, "grid")));
      if (several->empty()) fail(*node, "'grid' is empty");
    } else {
      grids_.push_back(read_grid(table(*node, "grid")));
    }
  }

  std::vector<Axis> read_grid(const toml::table& grid) const {
    std::vector<Axis> axes;
    for (const auto& [key, node] : grid) {
      Axis axis{std::string(key.str()), {}, &node};
      if (axis.key == "seed" && node.is_string())
        axis.values = seeds(node);
      else if (const toml::array* list = node.as_array())
        for (const toml::node& value : *list) axis.values.push_back(words_of(value));
      else
        axis.values.push_back(words_of(node));
      if (axis.values.empty())
        fail(node, fmt::format("'{}' has no values, so there would be no run; give it some or "
                               "leave it out",
                               axis.key));
      axes.push_back(std::move(axis));
    }
    // Every run of a seed before the next seed's: an early look then shows all of the study.
    std::stable_sort(axes.begin(), axes.end(),
                     [](const Axis& a, const Axis& b) { return rank(a.key) < rank(b.key); });
    return axes;
  }

  // What is varied is not the same in all runs.
  void check_said_once() const {
    for (const std::vector<Axis>& grid : grids_)
      for (const Axis& axis : grid)
        if (const toml::node* again = settings_ ? settings_->get(axis.key) : nullptr)
          fail(*again, fmt::format("'{}' is in the grid, too (line {}); a key is either varied in "
                                   "[grid] or the same in all runs in [settings]: remove one",
                                   axis.key, axis.node->source().begin.line));
  }

  static int rank(const std::string& key) {
    return key == "seed" ? 0 : key == "system" ? 1 : key == "method" ? 2 : 3;
  }

  // "1-20", or one number.
  std::vector<std::string> seeds(const toml::node& node) const {
    const std::string text = words_of(node);
    const std::size_t dash = text.find('-');
    const auto first = parse_integer(trim(std::string_view(text).substr(0, dash)));
    const auto last = dash == std::string::npos
                          ? first
                          : parse_integer(trim(std::string_view(text).substr(dash + 1)));
    if (!first || !last || *first < 0 || *last < *first ||
        static_cast<std::size_t>(*last - *first) >= kMostRuns)
      fail(node, fmt::format("seed cannot be \"{}\"; expected: a range such as \"1-20\", or a list",
                             text));
    std::vector<std::string> values;
    for (long long seed = *first; seed <= *last; ++seed) values.push_back(std::to_string(seed));
    return values;
  }

  // All combinations of a grid; the last axis changes fastest.
  void expand(const std::vector<Axis>& axes, std::vector<PlannedRun>& runs) {
    std::size_t count = 1;
    for (const Axis& axis : axes) {
      count *= axis.values.size();
      if (count + runs.size() > kMostRuns)
        throw InputError(
            fmt::format("{}: the grid has more than {} combinations", name_, kMostRuns));
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t rest = i;
      std::map<std::string, std::pair<std::string, const toml::node*>> chosen;
      for (std::size_t a = axes.size(); a-- > 0;) {
        const auto& values = axes[a].values;
        chosen[axes[a].key] = {values[rest % values.size()], axes[a].node};
        rest /= values.size();
      }
      runs.push_back({"", "", resolve(chosen)});
      labels_.push_back(std::move(chosen));
    }
  }

  // As `rhc explore` does it: the preset first, then settings and grid, which share no key.
  Config resolve(const std::map<std::string, std::pair<std::string, const toml::node*>>& chosen) {
    const auto value =
        [&](const char* key) -> std::optional<std::pair<std::string, const toml::node*>> {
      if (const auto found = chosen.find(key); found != chosen.end()) return found->second;
      if (const toml::node* node = settings_ ? settings_->get(key) : nullptr)
        return std::pair{words_of(*node), node};
      return std::nullopt;
    };
    const auto system_name = value("system");
    if (!system_name)
      throw InputError(fmt::format("{}: the grid names no system (see `rhc systems`)", name_));
    const auto chosen_preset = chosen.find("preset");
    const toml::node* preset_node =
        chosen_preset != chosen.end() ? chosen_preset->second.second : table_.get("preset");
    const std::string preset_name = chosen_preset != chosen.end() ? chosen_preset->second.first
                                    : preset_node                 ? words_of(*preset_node)
                                                                  : "default";
    const SystemSpec& spec = spec_of(system_name->first, *system_name->second);
    Config config;
    try {
      config = preset(preset_name, spec);
    } catch (const InputError& error) {
      fail(*preset_node, error.what());
    }
    if (settings_)
      for (const auto& [key, node] : *settings_)
        set(config, std::string(key.str()), words_of(node), node);
    for (const auto& [key, choice] : chosen)
      if (key != "preset") set(config, key, choice.first, *choice.second);
    if (const auto method = value("method")) {
      try {
        config.method = method_name(config.method);
      } catch (const InputError& error) {
        fail(*method->second, error.what());
      }
    }
    config.model.features = features_for(config, spec);
    return config;
  }

  void set(Config& config, const std::string& key, const std::string& value,
           const toml::node& node) const {
    try {
      assign(config, key, value);
    } catch (const InputError& error) {
      fail(node, error.what());
    }
  }

  const SystemSpec& spec_of(const std::string& system, const toml::node& node) {
    const auto known = specs_.find(system);
    if (known != specs_.end()) return known->second;
    if (names_a_file(system))
      fail(node, fmt::format("'{}' is a file; a sweep takes systems by name, those of `rhc "
                             "systems` (known: {}), and `rhc explore {}` explores one by its file",
                             system, fmt::join(bundled_names(), ", "), system));
    try {
      return specs_.emplace(system, bundled_system(system).spec()).first->second;
    } catch (const InputError& error) {
      fail(node, error.what());
    }
  }

  // Names say what is varied, and nothing else.
  void name_runs(std::vector<PlannedRun>& runs) const {
    std::map<std::string, std::set<std::string>> values;
    for (const auto& chosen : labels_)
      for (const auto& [key, choice] : chosen) values[key].insert(choice.first);
    for (const auto& chosen : labels_)
      for (auto& [key, seen] : values)
        if (!chosen.contains(key)) seen.insert("");
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Config& config = runs[i].config;
      std::string group = config.system + "-" + config.method;
      for (const auto& [key, seen] : values)
        if (seen.size() > 1 && key != "system" && key != "method" && key != "seed")
          group += fmt::format("-{}={}", key,
                               labels_[i].contains(key) ? labels_[i].at(key).first : "default");
      runs[i].group = as_file_name(group);
      runs[i].name = fmt::format("{}-{}", runs[i].group, config.seed);
    }
  }

  // Letters that mean nothing to a shell; what was lost by that, or by a length that file systems
  // refuse, is told apart by a checksum.
  static std::string as_file_name(const std::string& text) {
    std::string name;
    for (const char c : text)
      if (std::isalnum(static_cast<unsigned char>(c)) ||
          std::string_view("-_.=").find(c) != std::string_view::npos)
        name += c;
      else if (c == ',')
        name += '+';
    if (name.size() > kLongestName || name.size() + 2 < text.size())
      name = fmt::format("{}-{:08x}", name.substr(0, kLongestName), crc32(text));
    return name;
  }

  void check_unique(const std::vector<PlannedRun>& runs) const {
    std::unordered_map<std::string, std::size_t> seen, names;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Config& config = runs[i].config;
      std::string key;
      for (const Setting& setting : settings()) key += setting.show(config) + "\n";
      const auto [first, fresh] = seen.emplace(std::move(key), i);
      if (!fresh)
        throw InputError(fmt::format(
            "{}: two combinations of the grid are the same run: {} and {}; each may come once",
            name_, described(first->second), described(i)));
      if (const auto [other, unique] = names.emplace(runs[i].name, i); !unique)
        throw InputError(fmt::format(
            "{}: {} and {} would have the same name '{}'; rename or drop one of the values", name_,
            described(other->second), described(i), runs[i].name));
    }
  }

  // "system=pendulum seed=3"
  std::string described(std::size_t run) const {
    std::vector<std::string> words;
    for (const auto& [key, choice] : labels_[run])
      words.push_back(fmt::format("{}={}", key, choice.first));
    return fmt::format("{}", fmt::join(words, " "));
  }

  SlurmSettings read_slurm() const {
    SlurmSettings slurm;
    const toml::node* node = table_.get("slurm");
    if (!node) return slurm;
    const toml::table& table = this->table(*node, "slurm");
    check_keys(
        table, "key of [slurm]",
        {"partition", "account", "time", "memory", "chunk", "cpus", "most_at_once", "options"});
    const auto word = [&](const char* key, std::string& text) {
      const toml::node* given = table.get(key);
      if (!given) return;
      text = words_of(*given);
      if (const std::string problem = problem_with_slurm_word(text); !problem.empty())
        fail(*given, fmt::format("'{}' {}", key, problem));
    };
    const auto count = [&](const char* key, int& value, int least) {
      const toml::node* given = table.get(key);
      if (!given) return;
      const auto number = parse_integer(words_of(*given));
      if (!number || *number < least || *number > 1000000)
        fail(*given, fmt::format("'{}' cannot be '{}'; expected: whole number from {} to 1000000",
                                 key, words_of(*given), least));
      value = static_cast<int>(*number);
    };
    word("partition", slurm.partition);
    word("account", slurm.account);
    word("time", slurm.time);
    word("memory", slurm.memory);
    count("chunk", slurm.chunk, 1);
    count("cpus", slurm.cpus, 1);
    count("most_at_once", slurm.most_at_once, 0);
    if (const toml::node* given = table.get("options")) {
      const toml::array* list = given->as_array();
      if (!list) fail(*given, "'options' must be a list such as [\"--qos=long\"]");
      for (const toml::node& option : *list) slurm.options.push_back(sbatch_option(option));
    }
    return slurm;
  }

  std::string sbatch_option(const toml::node& node) const {
    const std::string text = words_of(node);
    const std::size_t name_end = text.find_first_of(" =");
    if (text.starts_with("--") && name_end != std::string::npos && text[name_end] == ' ')
      fail(node, fmt::format("'{}' is two words for sbatch; write \"{}={}\"", text,
                             text.substr(0, name_end), trim(text.substr(name_end))));
    return text;
  }

  std::string name_;
  toml::table table_;
  const toml::table* settings_ = nullptr;
  std::vector<std::vector<Axis>> grids_;
  // What the grid chose for each run, and where that is written.
  std::vector<std::map<std::string, std::pair<std::string, const toml::node*>>> labels_;
  std::map<std::string, SystemSpec> specs_;
};

}  // namespace

std::string problem_with_slurm_word(std::string_view text) {
  if (text.find(' ') == std::string_view::npos && !has_control_characters(text)) return "";
  return fmt::format("cannot be '{}'; expected: one word, without spaces and control characters",
                     visible(text));
}

void check_runnable(const SweepPlan& plan) {
  std::set<std::string> tried;
  for (const PlannedRun& run : plan.runs) {
    if (!tried.insert(run.group).second) continue;
    try {
      if (!run.config.plant.command.empty())
        throw InputError("setting 'command': a plant is explored by `rhc explore --command`");
      const System system = bundled_system(run.config.system);
      noise_levels(run.config, system.spec());
      make_explorer(run.config, system, 1);
      check_network(run.config);
    } catch (const InputError& error) {
      throw InputError(fmt::format("run {}: {}", run.name, error.what()));
    }
  }
}

SweepPlan read_sweep(const std::filesystem::path& file) {
  return read_sweep(read_text(file), file.string());
}

SweepPlan read_sweep(std::string_view toml, const std::string& name) {
  return SweepReader(toml, name).read();
}

}  // namespace rhc
