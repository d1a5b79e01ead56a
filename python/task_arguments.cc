#include "python/task_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "python/observations.h"
#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/describe/reference_file.h"
#include "rhc/describe/task_quantities.h"

namespace rhc::python {

namespace {

double number_of(nb::handle value, const std::string& what) {
  try {
    return nb::cast<double>(nb::float_(value));
  } catch (const std::exception&) {
    throw InputError(what + " is not a number");
  }
}

std::vector<Assignment> of_dict(const nb::dict& dict, const char* what) {
  std::vector<Assignment> all;
  for (const auto& [key, value] : dict) {
    const std::string name = nb::cast<std::string>(nb::str(key));
    if (nb::isinstance<nb::str>(value)) {
      const std::string text = nb::cast<std::string>(value);
      all.push_back(parse_assignments(fmt::format("{}={}", name, text), what).at(0));
    } else {
      all.push_back({name, number_of(value, fmt::format("the {} of '{}'", what, name))});
    }
  }
  return all;
}

std::vector<Assignment> target_of(const System& system, const nb::object& target) {
  if (target.is_none()) return {};
  if (nb::isinstance<nb::dict>(target)) return of_dict(nb::cast<nb::dict>(target), "target");
  const Vector wanted = observation_of(system, target, "target");
  std::vector<Assignment> all;
  for (const TaskQuantity& quantity : task_quantities(system.spec()))
    all.push_back({quantity.quantity.name,
                   quantity.angle()
                       ? std::atan2(wanted[quantity.sine], wanted[quantity.at]) / quantity.radians
                       : wanted[quantity.at]});
  return all;
}

std::vector<Assignment> numbered(const nb::object& values, const char* what,
                                 const std::vector<std::vector<std::string>>& names) {
  const Vector numbers = vector_of(values, what);
  for (const std::vector<std::string>& of : names) {
    if (static_cast<Index>(of.size()) != numbers.size()) continue;
    std::vector<Assignment> all;
    for (std::size_t i = 0; i < of.size(); ++i)
      all.push_back({of[i], numbers[static_cast<Index>(i)]});
    return all;
  }
  throw InputError(
      fmt::format("{} has {} entries, expected {}", what, numbers.size(), names[0].size()));
}

std::vector<Assignment> weight_of(const System& system, const nb::object& weight,
                                  const char* what) {
  if (weight.is_none()) return {};
  if (nb::isinstance<nb::dict>(weight)) return of_dict(nb::cast<nb::dict>(weight), what);
  std::vector<std::string> quantities;
  for (const TaskQuantity& quantity : task_quantities(system.spec()))
    quantities.push_back(quantity.quantity.name);
  return numbered(weight, what, {names_of(system.spec().observation), quantities});
}

std::vector<Assignment> action_weight_of(const System& system, const nb::object& weight) {
  if (weight.is_none()) return {};
  if (nb::isinstance<nb::dict>(weight)) return of_dict(nb::cast<nb::dict>(weight), "action_weight");
  return numbered(weight, "action_weight", {names_of(system.spec().action)});
}

// Columns by name, of one length.
Matrix reference_of_dict(const SystemSpec& spec, const nb::dict& dict) {
  const std::vector<TaskQuantity> quantities = task_quantities(spec);
  Matrix reference;
  for (const auto& [key, value] : dict) {
    const std::string name = nb::cast<std::string>(nb::str(key));
    const Vector column = vector_of(value, "a column of the reference");
    if (reference.size() == 0)
      reference =
          Matrix::Constant(spec.outputs(), column.size(), std::numeric_limits<double>::quiet_NaN());
    if (column.size() != reference.cols())
      throw InputError(fmt::format("the reference of '{}' has {} steps, another has {}", name,
                                   column.size(), reference.cols()));
    const auto quantity = std::find_if(quantities.begin(), quantities.end(),
                                       [&](const auto& q) { return q.quantity.name == name; });
    if (quantity != quantities.end() && quantity->angle()) {
      reference.row(quantity->at) = (quantity->radians * column.array()).cos();
      reference.row(quantity->sine) = (quantity->radians * column.array()).sin();
      continue;
    }
    const std::vector<std::string> names = names_of(spec.observation);
    const auto observed = std::find(names.begin(), names.end(), name);
    if (observed == names.end())
      throw InputError("reference: " + unknown_name("quantity", name, task_names(spec)));
    reference.row(observed - names.begin()) = column;
  }
  return reference;
}

Matrix reference_of(const System& system, const nb::object& reference) {
  const SystemSpec& spec = system.spec();
  if (reference.is_none()) return {};
  if (nb::isinstance<nb::dict>(reference))
    return reference_of_dict(spec, nb::cast<nb::dict>(reference));
  if (nb::isinstance<nb::str>(reference) || nb::hasattr(reference, "__fspath__"))
    return read_reference(nb::cast<std::string>(nb::str(reference)), spec);
  const Points rows(reference, "reference", spec.outputs() == 1 ? 1 : -1);
  if (rows.width() == spec.outputs()) return rows.columns();
  if (rows.width() != static_cast<Index>(spec.state.size()))
    throw InputError(
        fmt::format("each row of the reference has {} entries, '{}' has {} observations",
                    rows.width(), spec.name, spec.outputs()));
  Matrix observed(spec.outputs(), rows.count());
  for (Index t = 0; t < rows.count(); ++t) observed.col(t) = system.observe(rows.columns().col(t));
  return observed;
}

}  // namespace

TaskChange task_change_of(const System& system, const TaskArguments& arguments) {
  return {.target = target_of(system, arguments.target),
          .weight = weight_of(system, arguments.weight, "weight"),
          .final_weight = weight_of(system, arguments.final_weight, "final_weight"),
          .action_weight = action_weight_of(system, arguments.action_weight),
          .reference = reference_of(system, arguments.reference)};
}

}  // namespace rhc::python
