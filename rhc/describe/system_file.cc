#include "rhc/describe/system_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/describe/bundled_systems.h"
#include "rhc/describe/column_names.h"
#include "rhc/describe/known_motion_reader.h"
#include "rhc/describe/log_table.h"
#include "rhc/describe/mujoco_reader.h"
#include "rhc/describe/named_file.h"
#include "rhc/format/files.h"
#include "rhc/format/toml.h"

namespace rhc {

namespace {

// Grown entry by entry.
struct Growing {
  std::vector<double> values;

  void add(double value) { values.push_back(value); }
  operator Vector() const {  // NOLINT: by design
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
  }
};

struct GrowingBox {
  Growing lower, upper;

  void add(std::pair<double, double> ends) {
    lower.add(ends.first);
    upper.add(ends.second);
  }
  operator Box() const { return {lower, upper}; }  // NOLINT: by design
};

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 60 &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
}

// Reads the file from its top to its end.
class SystemReader {
 public:
  SystemReader(const toml::table& table, const std::string& name,
               const std::filesystem::path& folder)
      : file_(table, name, "a system"), folder_(folder) {
    if (const toml::table* mujoco = file_.table("mujoco")) mujoco_.emplace(*mujoco, name, folder);
  }

  // `toml`: the text of it all.
  SystemFile read(std::string_view toml) {
    read_spec();
    if (mujoco_)
      for (NamedFile& model : mujoco_->named_files()) named_files_.push_back(std::move(model));
    std::string text = standing_alone(toml, file_.file(), named_files_);
    if (mujoco_) return {std::move(text), {}, mujoco_->finish(system_.description)};
    std::vector<Measure> measures = system_.measures;
    return {std::move(text), std::move(measures), System(std::move(system_))};
  }

 private:
  void read_spec() {
    SystemSpec& spec = system_.description;
    file_.only({"name", "title", "time_step", "horizon", "history", "observation", "action",
                "safety", "task", "nominal", "mujoco"});
    spec.simulated = false;
    spec.name = file_.required("name", file_.text("name"));
    if (!is_plain_name(spec.name))
      file_.fail("name", "'name' may hold letters, digits, - and _ only, and no more than 60");
    spec.title = file_.text("title").value_or(spec.name);
    const auto time_step = file_.number("time_step");
    if (mujoco_ && time_step)
      file_.fail("time_step",
                 fmt::format("'time_step' is the model's, times 'substeps': {} s; leave it out",
                             mujoco_->time_step()));
    spec.time_step = mujoco_ ? mujoco_->time_step() : file_.required("time_step", time_step);
    if (!(spec.time_step > 0) || !std::isfinite(spec.time_step))
      file_.fail("time_step", "'time_step' must be a positive number of seconds");
    spec.horizon = static_cast<int>(file_.required("horizon", file_.integer("horizon", 1, 100000)));
    spec.history = static_cast<int>(file_.integer("history", 1, 100).value_or(1));
    if (spec.history > spec.horizon)
      file_.fail("history", fmt::format("'history' = {} is more than the {} steps of 'horizon': no "
                                        "experiment would have anything to learn from",
                                        spec.history, spec.horizon));
    read_observations();
    read_actions();
    check_names();
    read_safety();
    read_task();
    spec.known = read_known_motion(file_, spec, system_.measures, folder_, named_files_);
    file_.finish();
    if (!mujoco_) check(spec);
  }

  void read_observations() {
    SystemSpec& spec = system_.description;
    const auto tables = file_.tables("observation");
    if (tables.empty()) file_.missing("observation");
    Growing start;
    GrowingBox limits, region;
    for (const toml::table* table : tables) {
      TomlReader entry(*table, file_.file(), "an observation");
      entry.only(with_mujoco({"name", "unit", "angle", "start", "limits", "range", "derivative_of"},
                             {"joint", "velocity_of", "activation_of", "sensor", "component"}));
      Measure measure{read_quantity(entry, spec.state), entry.flag("angle").value_or(false)};
      const Quantity& quantity = measure.quantity;
      if (mujoco_)
        mujoco_->read_observation(entry, quantity.name, measure.angle);
      else
        start.add(entry.required("start", entry.number("start")));
      const auto limit = entry.interval("limits");
      const auto range = entry.interval("range");
      if (measure.angle) {
        if (limit)
          entry.fail("limits",
                     "an angle cannot have limits: it is taken as a point on a circle. Leave out "
                     "'angle = true' where it never turns over");
        measure.radians = radians_in(entry, quantity.unit);
        if (mujoco_ && measure.radians != 1) entry.fail("unit", "MuJoCo's angles are in rad");
        const double half = std::numbers::pi / measure.radians;
        region.add(range.value_or(std::pair{-half, half}));
        const auto at = static_cast<Index>(spec.observation.size());
        spec.angles.push_back({at, at + 1});
        spec.observation.push_back({"cos_" + quantity.name, ""});
        spec.observation.push_back({"sin_" + quantity.name, ""});
        for (int i = 0; i < 2; ++i) limits.add({-kInfinity, kInfinity});
      } else {
        limits.add(limit.value_or(std::pair{-kInfinity, kInfinity}));
        const auto interest = range ? range : limit;
        const bool finite =
            interest && std::isfinite(interest->first) && std::isfinite(interest->second);
        if (!mujoco_ && !finite)
          entry.fail(range ? "range" : "limits",
                     fmt::format("'{}' needs a finite 'range', [lower, upper]: the values among "
                                 "which its motion is to be learned",
                                 quantity.name));
        if (!mujoco_) region.add(*interest);
        spec.observation.push_back(quantity);
      }
      spec.state.push_back(quantity);
      system_.measures.push_back(measure);
      entry.text("derivative_of");  // read when all names are known
      entry.finish();
    }
    // Of what is measured; a model's internal states follow at the end.
    spec.start = mujoco_ ? mujoco_->measured_start() : Vector(start);
    spec.limits = limits;
    spec.region = region;
    check_start(tables);
  }

  void check_start(const std::vector<const toml::table*>& tables) const {
    const SystemSpec& spec = system_.description;
    const Index outside = spec.limits.first_outside(system_.observe(spec.start));
    if (outside < 0) return;
    for (std::size_t i = 0; i < tables.size(); ++i)
      if (spec.state[i].name == spec.observation[static_cast<std::size_t>(outside)].name)
        TomlReader(*tables[i], file_.file(), "")
            .fail("start", fmt::format("'{}' starts outside its limits", spec.state[i].name));
  }

  void read_actions() {
    SystemSpec& spec = system_.description;
    const auto tables = file_.tables("action");
    if (tables.empty()) file_.missing("action");
    GrowingBox bounds;
    Growing rate, rest;
    bool limited = false;
    for (const toml::table* table : tables) {
      TomlReader entry(*table, file_.file(), "an action");
      entry.only(with_mujoco({"name", "unit", "bounds", "rate", "rest"}, {"actuator"}));
      const Quantity quantity = read_quantity(entry, spec.action);
      const auto own = mujoco_ ? mujoco_->read_action(entry) : std::nullopt;
      const auto given = entry.interval("bounds");
      const auto ends = entry.required("bounds", given ? given : own);
      if (!std::isfinite(ends.first) || !std::isfinite(ends.second))
        entry.fail("bounds", "'bounds' of an action must be finite");
      bounds.add(ends);
      const auto fastest = entry.number("rate");
      if (fastest && !(*fastest > 0))
        entry.fail("rate", "'rate' must be a positive number of units a second");
      limited = limited || (fastest && std::isfinite(*fastest));
      rate.add(fastest.value_or(kInfinity));
      const double before = entry.number("rest").value_or(std::clamp(0.0, ends.first, ends.second));
      if (before < ends.first || before > ends.second)
        entry.fail("rest", "'rest', the action before an experiment, is outside the bounds");
      rest.add(before);
      spec.action.push_back(quantity);
      entry.finish();
    }
    spec.action_bounds = bounds;
    if (limited) spec.safety.rate = rate;
    spec.safety.rest = rest;
  }

  std::vector<std::string> with_mujoco(std::vector<std::string> keys,
                                       const std::vector<std::string>& more) const {
    if (mujoco_) keys.insert(keys.end(), more.begin(), more.end());
    return keys;
  }

  void check_names() {
    const auto clash = name_clash(system_.description, system_.measures);
    if (!clash) return;
    const auto tables = file_.tables(clash->action ? "action" : "observation");
    TomlReader(*tables[clash->at], file_.file(), "").fail("name", clash->what);
  }

  void read_safety() {
    const toml::table* table = file_.table("safety");
    if (!table) return;
    TomlReader entry(*table, file_.file(), "'safety'");
    Safety& safety = system_.description.safety;
    safety.sigmas = entry.number("sigmas").value_or(0);
    if (safety.sigmas < 0 || safety.sigmas > 10)
      entry.fail("sigmas", "'sigmas' must be a number from 0 to 10");
    safety.first = entry.number("first").value_or(1);
    if (!(safety.first > 0 && safety.first <= 1))
      entry.fail("first", "'first' must be above 0 and at most 1: a share of the actions' bounds");
    entry.finish();
  }

  // Without a [task] nothing costs anything.
  void read_task() {
    SystemSpec& spec = system_.description;
    const Index D = spec.outputs();
    spec.task = {.target = system_.observe(spec.start),
                 .weight = Vector::Zero(D),
                 .action_weight = Vector::Zero(static_cast<Index>(spec.action.size()))};
    const toml::table* table = file_.table("task");
    if (!table) return;
    TomlReader entry(*table, file_.file(), "'task'");
    if (const toml::table* target = entry.table("target")) read_target(*target);
    if (const toml::table* weight = entry.table("weight"))
      read_weights(*weight, "weight", spec.task.weight);
    if (const toml::table* weight = entry.table("final_weight")) {
      spec.task.final_weight = Vector::Zero(D);
      read_weights(*weight, "final_weight", spec.task.final_weight);
    }
    if (const toml::table* weight = entry.table("action_weight")) {
      TomlReader values(*weight, file_.file(), "'action_weight'");
      for (std::size_t i = 0; i < spec.action.size(); ++i)
        spec.task.action_weight[static_cast<Index>(i)] =
            not_negative(values, spec.action[i].name).value_or(0);
      values.finish();
    }
    entry.finish();
  }

  // By the names of what is measured, or of what an angle is turned into.
  void read_target(const toml::table& table) {
    SystemSpec& spec = system_.description;
    TomlReader values(table, file_.file(), "'target'");
    Vector measured = spec.start;
    for (std::size_t i = 0; i < system_.measures.size(); ++i)
      if (const auto value = finite(values, system_.measures[i].quantity.name))
        measured[static_cast<Index>(i)] = *value;
    spec.task.target = system_.observe(measured);
    for (std::size_t i = 0; i < spec.observation.size(); ++i)
      if (const auto value = finite(values, spec.observation[i].name))
        spec.task.target[static_cast<Index>(i)] = *value;
    values.finish();
  }

  void read_weights(const toml::table& table, const std::string& key, Vector& weight) {
    const SystemSpec& spec = system_.description;
    TomlReader values(table, file_.file(), "'" + key + "'");
    std::size_t angle = 0;
    for (const Measure& measure : system_.measures)
      if (measure.angle) {
        const AnglePair pair = spec.angles[angle++];
        if (const auto value = not_negative(values, measure.quantity.name))
          weight[pair.cosine] = weight[pair.sine] = *value;
      }
    for (std::size_t i = 0; i < spec.observation.size(); ++i)
      if (const auto value = not_negative(values, spec.observation[i].name))
        weight[static_cast<Index>(i)] = *value;
    values.finish();
  }

  static std::optional<double> finite(TomlReader& values, const std::string& name) {
    const auto value = values.number(name);
    if (value && !std::isfinite(*value))
      values.fail(name, fmt::format("'{}' must be finite", name));
    return value;
  }

  static std::optional<double> not_negative(TomlReader& values, const std::string& name) {
    const auto value = finite(values, name);
    if (value && *value < 0)
      values.fail(name, fmt::format("the weight of '{}' must not be negative", name));
    return value;
  }

  static Quantity read_quantity(TomlReader& entry, const std::vector<Quantity>& others) {
    Quantity quantity{entry.required("name", entry.text("name")), entry.text("unit").value_or("")};
    if (quantity.name.empty() ||
        quantity.name.find_first_of(",\"'[]()\n\r\t ;") != std::string::npos)
      entry.fail("name", "a name must head a column: no blanks, commas, quotes or brackets");
    const auto& times = time_columns();
    if (quantity.name == "step" ||
        std::find(times.begin(), times.end(), quantity.name) != times.end())
      entry.fail("name",
                 fmt::format("'{}' heads the column of the time; choose another", quantity.name));
    for (const Quantity& other : others)
      if (other.name == quantity.name)
        entry.fail("name", fmt::format("'{}' is there twice", quantity.name));
    return quantity;
  }

  static double radians_in(const TomlReader& entry, const std::string& unit) {
    if (unit.empty() || unit == "rad") return 1;
    if (unit == "deg" || unit == "°") return std::numbers::pi / 180;
    if (unit == "rev" || unit == "turn") return 2 * std::numbers::pi;
    entry.fail("unit", fmt::format("an angle cannot be in '{}'; expected: rad, deg or rev", unit));
  }

  TomlReader file_;
  const std::filesystem::path folder_;
  std::vector<NamedFile> named_files_;
  std::optional<MujocoReader> mujoco_;
  DescribedSystem system_{};
};

}  // namespace

Vector DescribedSystem::observe(const Vector& measured) const {
  Vector observation(static_cast<Index>(description.observation.size()));
  Index at = 0;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    const double value = measured[static_cast<Index>(i)];
    if (measures[i].angle) {
      observation[at++] = std::cos(measures[i].radians * value);
      observation[at++] = std::sin(measures[i].radians * value);
    } else {
      observation[at++] = value;
    }
  }
  return observation;
}

Vector DescribedSystem::step(const Vector&, const Vector&) const {
  throw InputError(fmt::format(
      "'{}' is described by a file and cannot be simulated: `rhc new`, `rhc ask` and `rhc tell` "
      "explore the real one",
      description.name));
}

SystemFile parse_system(std::string_view toml, const std::string& name,
                        const std::filesystem::path& folder) {
  const toml::table table = parse_toml(toml, name);
  return SystemReader(table, name, folder).read(toml);
}

SystemFile read_system_file(const std::filesystem::path& file) {
  return parse_system(read_input(file), file.string(), file.parent_path());
}

bool names_a_file(std::string_view name) {
  return name.ends_with(".toml") || name.find('/') != std::string_view::npos;
}

System open_system(const std::string& name_or_file) {
  return names_a_file(name_or_file) ? read_system_file(name_or_file).system
                                    : bundled_system(name_or_file);
}

}  // namespace rhc
