#include "rhc/describe/task_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/describe/task_quantities.h"
#include "rhc/describe/units.h"

namespace rhc {

namespace {

// Of the actions where there was no task at all, as a share of what half of a range costs.
constexpr double kImpliedEffort = 1e-3;

// Puts a system's task together with what a person wants of it.
class TaskChanger {
 public:
  explicit TaskChanger(const SystemSpec& spec)
      : spec_(spec), quantities_(task_quantities(spec)), result_{spec.task} {
    aimed_.assign(quantities_.size(), false);
    turned_.assign(quantities_.size(), false);
    weighed_.assign(quantities_.size(), false);
  }

  ChangedTask apply(const TaskChange& change) {
    set_weights(change.weight, "weight", result_.task.weight);
    if (!change.final_weight.empty()) {
      result_.task.final_weight = result_.task.weight_at_end();
      set_weights(change.final_weight, "final weight", result_.task.final_weight);
    }
    set_action_weights(change.action_weight);
    const bool no_task = !spec_.task.weighs() && (spec_.task.action_weight.array() == 0).all();
    set_target(change.target);
    if (change.reference.cols() > 0) set_reference(change.reference);
    imply_weights();
    if (no_task && change.action_weight.empty() && result_.task.weighs()) imply_effort();
    return std::move(result_);
  }

 private:
  // Where one of these names stands: a quantity, or a single observation of it.
  struct Place {
    std::size_t quantity;
    std::optional<Index> observation{};  // alone, of an angle
  };

  Place find(const Assignment& wanted, const char* what, std::set<std::string>& seen) const {
    if (!std::isfinite(wanted.value))
      throw InputError(fmt::format("the {} of '{}' must be a finite number", what, wanted.name));
    if (!seen.insert(wanted.name).second)
      throw InputError(fmt::format("the {} of '{}' is given twice", what, wanted.name));
    for (std::size_t q = 0; q < quantities_.size(); ++q) {
      if (quantities_[q].quantity.name == wanted.name) return {q, std::nullopt};
      if (!quantities_[q].angle()) continue;
      for (const Index at : {quantities_[q].at, quantities_[q].sine})
        if (spec_.observation[static_cast<std::size_t>(at)].name == wanted.name) return {q, at};
    }
    throw InputError(
        fmt::format("{}: {}", what, unknown_name("quantity", wanted.name, task_names(spec_))));
  }

  void set_target(const std::vector<Assignment>& wanted) {
    std::set<std::string> seen;
    for (const Assignment& one : wanted) {
      const auto [q, alone] = find(one, "target", seen);
      const TaskQuantity& quantity = quantities_[q];
      const double value = alone ? in_unit(one, "") : in_unit(one, quantity.quantity.unit);
      aimed_[q] = true;
      if (alone) {
        result_.task.target[*alone] = value;
      } else if (quantity.angle()) {
        aim_angle(q, quantity.radians * value);
      } else {
        warn_outside(quantity, value);
        result_.task.target[quantity.at] = value;
      }
    }
    // A reference of the system's own would hide the new targets.
    if (!wanted.empty() && result_.task.reference.cols() > 0)
      for (std::size_t q = 0; q < quantities_.size(); ++q)
        if (aimed_[q])
          for (const Index at : places(q))
            result_.task.reference.row(at).setConstant(result_.task.target[at]);
  }

  void aim_angle(std::size_t q, double radians) {
    const TaskQuantity& quantity = quantities_[q];
    Vector& target = result_.task.target;
    const double c = std::cos(radians), s = std::sin(radians);
    const double moved = std::hypot(c - target[quantity.at], s - target[quantity.sine]);
    turned_[q] = turned_[q] || moved > 1e-12;
    target[quantity.at] = c;
    target[quantity.sine] = s;
  }

  static double in_unit(const Assignment& one, const std::string& unit) {
    if (one.unit.empty() || one.unit == unit) return one.value;
    const auto ratio = unit.empty() ? std::nullopt : unit_ratio(one.unit, unit);
    if (!ratio)
      throw InputError(unit.empty()
                           ? fmt::format("'{}' has no unit; leave '{}' out", one.name, one.unit)
                           : fmt::format("'{}' is measured in {}, which '{}' cannot be turned into",
                                         one.name, unit, one.unit));
    return *ratio * one.value;
  }

  void warn_outside(const TaskQuantity& quantity, double value) {
    const double lower = spec_.limits.lower[quantity.at], upper = spec_.limits.upper[quantity.at];
    if (value >= lower && value <= upper) return;
    result_.remarks.push_back(
        fmt::format("the target {} of '{}' is outside its limits, [{}, {}]: no plan will get there",
                    exact(value), quantity.quantity.name, lower, upper));
  }

  void set_weights(const std::vector<Assignment>& wanted, const char* what, Vector& weight) {
    std::set<std::string> seen;
    for (const Assignment& one : wanted) {
      const auto [q, alone] = find(one, what, seen);
      require_weight(one, what);
      weighed_[q] = true;
      if (alone)
        weight[*alone] = one.value;
      else
        for (const Index at : places(q)) weight[at] = one.value;
    }
  }

  void set_action_weights(const std::vector<Assignment>& wanted) {
    const std::vector<std::string> names = names_of(spec_.action);
    std::set<std::string> seen;
    for (const Assignment& one : wanted) {
      const auto found = std::find(names.begin(), names.end(), one.name);
      if (found == names.end())
        throw InputError("action weight: " + unknown_name("action", one.name, names));
      if (!seen.insert(one.name).second)
        throw InputError(fmt::format("the action weight of '{}' is given twice", one.name));
      require_weight(one, "action weight");
      result_.task.action_weight[found - names.begin()] = one.value;
    }
  }

  static void require_weight(const Assignment& one, const char* what) {
    if (!std::isfinite(one.value) || one.value < 0)
      throw InputError(fmt::format("the {} of '{}' must be a finite number that is not negative",
                                   what, one.name));
    if (!one.unit.empty())
      throw InputError(
          fmt::format("the {} of '{}' is a pure number; leave '{}' out", what, one.name, one.unit));
  }

  void set_reference(const Matrix& reference) {
    TaskCost& task = result_.task;
    if (reference.rows() != spec_.outputs())
      throw InputError(fmt::format("the reference has {} rows, '{}' has {} observations",
                                   reference.rows(), spec_.name, spec_.outputs()));
    Matrix whole(reference.rows(), reference.cols());
    for (Index t = 0; t < whole.cols(); ++t) whole.col(t) = task.target_at(t);
    for (std::size_t q = 0; q < quantities_.size(); ++q)
      for (const Index at : places(q)) {
        if (reference.row(at).array().isNaN().all()) continue;
        if (!reference.row(at).allFinite())
          throw InputError(fmt::format("the reference of '{}' is not finite at every step",
                                       quantities_[q].quantity.name));
        if (aimed_[q])
          throw InputError(
              fmt::format("'{}' has a target and a column of the reference: leave one of them out",
                          quantities_[q].quantity.name));
        whole.row(at) = reference.row(at);
      }
    for (std::size_t q = 0; q < quantities_.size(); ++q)
      for (const Index at : places(q))
        if (reference.row(at).allFinite()) aimed_[q] = turned_[q] = true;
    task.reference = whole;
  }

  // Where nothing would draw the system to a target; and where an angle's cosine and sine are not
  // weighed alike, which fits the target that they were chosen for alone.
  void imply_weights() {
    const double level = highest_level();
    TaskCost& task = result_.task;
    for (std::size_t q = 0; q < quantities_.size(); ++q) {
      const TaskQuantity& quantity = quantities_[q];
      if (!aimed_[q] || weighed_[q]) continue;
      const std::string& name = quantity.quantity.name;
      if (weight_of(q, task.weight) == 0 && weight_of(q, task.weight_at_end()) == 0) {
        const double weight = level / (quantity.half * quantity.half);
        for (const Index at : places(q)) {
          task.weight[at] = weight;
          if (task.final_weight.size() > 0) task.final_weight[at] = weight;
        }
        result_.remarks.push_back(
            fmt::format("nothing weighed '{}': the weight {:.6g} is taken, by which half of its "
                        "range off costs "
                        "{:.6g} a step",
                        name, weight, level));
      } else if (quantity.angle() && turned_[q]) {
        const bool differ = weigh_alike(quantity, task.weight);
        const bool at_end =
            task.final_weight.size() > 0 && weigh_alike(quantity, task.final_weight);
        if (differ || at_end)
          result_.remarks.push_back(
              fmt::format("cosine and sine of '{}' were weighed for another target: both have the "
                          "larger weight "
                          "now, {:.6g}",
                          name, weight_of(q, differ ? task.weight : task.final_weight)));
      }
    }
  }

  static bool weigh_alike(const TaskQuantity& quantity, Vector& weight) {
    double &c = weight[quantity.at], &s = weight[quantity.sine];
    if (c == s) return false;
    c = s = std::max(c, s);
    return true;
  }

  // What half of its range costs, of that which costs the most; 1 while nothing costs anything.
  double highest_level() const {
    double level = 0;
    for (std::size_t q = 0; q < quantities_.size(); ++q)
      level = std::max(level, std::max(weight_of(q, result_.task.weight),
                                       weight_of(q, result_.task.weight_at_end())) *
                                  quantities_[q].half * quantities_[q].half);
    return level > 0 ? level : 1;
  }

  void imply_effort() {
    const Vector half = spec_.action_bounds.width() / 2;
    const double level = highest_level();
    for (Index i = 0; i < half.size(); ++i)
      if (half[i] > 0) result_.task.action_weight[i] = kImpliedEffort * level / (half[i] * half[i]);
    result_.remarks.push_back(
        fmt::format("'{}' has no task of its own: actions are weighed with {:.6g}", spec_.name,
                    fmt::join(result_.task.action_weight, ", ")));
  }

  std::vector<Index> places(std::size_t q) const {
    const TaskQuantity& quantity = quantities_[q];
    if (quantity.angle()) return {quantity.at, quantity.sine};
    return {quantity.at};
  }

  double weight_of(std::size_t q, const Vector& weight) const {
    double largest = 0;
    for (const Index at : places(q)) largest = std::max(largest, weight[at]);
    return largest;
  }

  const SystemSpec& spec_;
  const std::vector<TaskQuantity> quantities_;
  std::vector<bool> aimed_, turned_, weighed_;  // by quantity: what was asked for
  ChangedTask result_;
};

}  // namespace

bool TaskChange::any() const {
  return !target.empty() || !weight.empty() || !final_weight.empty() || !action_weight.empty() ||
         reference.cols() > 0;
}

ChangedTask changed_task(const SystemSpec& spec, const TaskChange& change) {
  return TaskChanger(spec).apply(change);
}

std::vector<std::string> task_names(const SystemSpec& spec) {
  std::vector<std::string> names;
  for (const TaskQuantity& quantity : task_quantities(spec)) {
    names.push_back(quantity.quantity.name);
    if (!quantity.angle()) continue;
    for (const Index at : {quantity.at, quantity.sine})
      names.push_back(spec.observation[static_cast<std::size_t>(at)].name);
  }
  return names;
}

std::vector<Assignment> parse_assignments(std::string_view text, std::string_view option) {
  std::vector<Assignment> assignments;
  for (const std::string_view part : split(text, ',')) {
    const auto fail = [&](const std::string& what) {
      throw InputError(fmt::format("{}: '{}' {}", option, trim(part), what));
    };
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || trim(part.substr(0, equals)).empty())
      fail("is no name and number, such as speed=0.5");
    const std::string_view right = trim(part.substr(equals + 1));
    // The longest beginning that is a number; what follows is a unit.
    std::size_t length = right.size();
    while (length > 0 && !parse_number(trim(right.substr(0, length)))) --length;
    if (length == 0) fail("has no number behind the '='");
    assignments.push_back({std::string(trim(part.substr(0, equals))),
                           *parse_number(trim(right.substr(0, length))),
                           std::string(trim(right.substr(length)))});
  }
  return assignments;
}

}  // namespace rhc
