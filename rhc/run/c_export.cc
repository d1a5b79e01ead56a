#include "rhc/run/c_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "rhc/core/text.h"
#include "rhc/core/version.h"
#include "rhc/describe/task_quantities.h"
#include "rhc/run/c_export_code.h"

namespace rhc {

namespace {

// As the program's own controller has them.
const int kMostBlind = ControlSettings{}.most_blind,
          kBelieveAfter = ControlSettings{}.believe_after;
const double kGate = ControlSettings{}.gate;

// Inside a comment: on one line, and not its end.
std::string in_comment(std::string_view text) {
  std::string safe = visible(text);
  for (const char* mark : {"*/", "/*", "??"})
    for (auto at = safe.find(mark); at != std::string::npos; at = safe.find(mark))
      safe.insert(at + 1, " ");
  return safe;
}

// As a constant of a floating type.
std::string c_number(double value) {
  std::string text = exact(value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string numbers(const Eigen::Ref<const Vector>& values) {
  std::string text, line;
  for (Index i = 0; i < values.size(); ++i) {
    const std::string one = c_number(values[i]) + (i + 1 < values.size() ? ", " : "");
    if (line.size() + one.size() > 90) {
      while (line.back() == ' ') line.pop_back();
      text += line + "\n     ";
      line.clear();
    }
    line += one;
  }
  return text + line;
}

std::string vector_table(const std::string& name, const std::string& size, const Vector& values) {
  return fmt::format("static const rhc_real {}[{}] =\n    {{{}}};\n", name, size, numbers(values));
}

// A row a line.
std::string matrix_table(const std::string& name, const std::string& sizes, const Matrix& values) {
  std::string text = fmt::format("static const rhc_real {}{} = {{\n", name, sizes);
  for (Index r = 0; r < values.rows(); ++r)
    text += fmt::format("    {{{}}}{}\n", numbers(values.row(r).transpose()),
                        r + 1 < values.rows() ? "," : "");
  return text + "};\n";
}

std::string described(const Quantity& quantity) { return in_comment(with_unit(quantity)); }

// What the file holds and what it takes to run it.
class CWriter {
 public:
  CWriter(const Solution& solution, const ControllerOrigin& origin)
      : solution_(solution),
        spec_(solution.spec),
        origin_(origin),
        tables_(controller_tables(solution)),
        plan_(tables_.plan),
        layout_(tables_.plan.layout),
        quantities_(task_quantities(solution.spec)) {}

  std::string write() {
    const std::string tables = write_tables(), code = write_code();
    return header() +
           declarations_code(static_cast<Index>(quantities_.size()), layout_.acted, steps()) +
           tables + code + "\n#endif /* RHC_DECLARATIONS_ONLY */\n";
  }

 private:
  bool holds() const { return plan_.held_gain.size() > 0; }
  Index steps() const { return plan_.controls.cols(); }
  Index seen() const { return layout_.first_action(); }
  Index before() const { return (layout_.history - 1) * layout_.acted; }  // actions in an input
  Index inputs() const { return seen() + before() + layout_.acted; }
  Index done() const { return layout_.history * layout_.acted; }

  std::string header() const {
    std::string text = fmt::format(
        R"(/* Controller of '{}', made by rhc {}{} from the run '{}'.
 *
 * Learned from {} experiments, {} transitions. The plan has {} steps of {} s.
 * Task:)",
        in_comment(spec_.name), version(),
        origin_.commit.empty() ? "" : " (" + origin_.commit + ")", in_comment(origin_.run),
        origin_.experiments, origin_.transitions, steps(), exact(spec_.time_step));
    for (const TaskQuantity& quantity : quantities_) text += target_of(quantity);
    text += fmt::format(R"(
 *
 * Use, once in every period of {} s:
 *
 *     rhc_start();                  before the first period
 *     rhc_step(measured, action);   apply the action at once, and hold it for the period
 *     rhc_step(NULL, action);       where no measurement came
 *
)",
                        exact(spec_.time_step));
    for (std::size_t q = 0; q < quantities_.size(); ++q)
      text += fmt::format(" * measured[{}]  {}{}\n", q, described(quantities_[q].quantity),
                          quantities_[q].angle() ? ", an angle; whole turns do not matter" : "");
    for (std::size_t i = 0; i < spec_.action.size(); ++i) {
      const auto at = static_cast<Index>(i);
      text +=
          fmt::format(" * action[{}]    {}, from {} to {}", i, described(spec_.action[i]),
                      exact(spec_.action_bounds.lower[at]), exact(spec_.action_bounds.upper[at]));
      if (layout_.changes)
        text += fmt::format(", by at most {} a step", exact(plan_.control_bounds.upper[at]));
      text += fmt::format("; {} at rest\n", exact(action_at_rest(spec_)[at]));
    }
    return text + fmt::format(
                      R"( *
 * An extended Kalman filter over the learned motion estimates where the system is; the plan is
 * followed with its feedback gains, inside the bounds. It begins with the first measurement, and
 * nothing is planned anew. When it has ended, {}.
 * A measurement beyond {} deviations is not believed, unless {} follow each other. After {} steps
 * without one, or where a number is not finite, the action goes to rest, no faster than it may
 * change, and stays there until rhc_start().
 *
 * C99 with <math.h>; no heap, no recursion; one controller, one thread. Numbers are double, or
 * float where RHC_FLOAT is defined. With RHC_DECLARATIONS_ONLY the file is a header.
 * Tables (flash): {:.1f} kB, and some kB of code; variables (RAM): {:.1f} kB. In float half as much.
 * A step: {} sines, {} cosines, about {} multiplications.
 */
)",
                      holds() ? "a regulator holds the system as near to the target as it can rest"
                              : "the action goes to rest",
                      kGate, kBelieveAfter, kMostBlind, kilobytes(constants()),
                      kilobytes(variables()), sines(), sines(), multiplications());
  }

  std::string target_of(const TaskQuantity& quantity) const {
    const Vector& weight = spec_.task.weight;
    const Vector& end = spec_.task.weight_at_end();
    const auto weighed = [&](Index at) { return at >= 0 && (weight[at] > 0 || end[at] > 0); };
    if (!weighed(quantity.at) && !weighed(quantity.sine)) return "";
    const auto target = spec_.task.target_at(0);
    const double value =
        quantity.angle() ? std::atan2(target[quantity.sine], target[quantity.at]) / quantity.radians
                         : target[quantity.at];
    return fmt::format("\n *   {} to {:.6g}{}", described(quantity.quantity), value,
                       spec_.task.reference.cols() > 0 ? " and along a reference" : "");
  }

  std::string write_tables() const {
    std::string text = fmt::format(R"(enum {{
    RHC_OBSERVED = {},      /* an angle is observed as its cosine and sine */
    RHC_SEEN = {},          /* observations that the model sees, the newest first */
    RHC_BEFORE = {},        /* actions before the present one that it sees */
    RHC_DONE = {},          /* actions that are remembered, the newest first */
    RHC_INPUTS = {},        /* of the model: all of these and the present action */
    RHC_STATES = {},        /* that a gain is multiplied with: what is seen, and actions before */
    RHC_MOST_BLIND = {},   /* steps without a measurement, after which it rests */
    RHC_BELIEVE_AFTER = {}  /* absurd measurements in a row, after which they count */
}};

/* Deviations beyond which a measurement is absurd. */
#define RHC_GATE ((rhc_real){})

)",
                                   layout_.observed, seen(), before(), done(), inputs(),
                                   layout_.states(), kMostBlind, kBelieveAfter, c_number(kGate));
    text += vector_table("rhc_lower", "RHC_ACTIONS", spec_.action_bounds.lower) +
            vector_table("rhc_upper", "RHC_ACTIONS", spec_.action_bounds.upper) +
            vector_table("rhc_rest", "RHC_ACTIONS", solution_.model.shape.action_at_rest);
    if (layout_.changes)
      text += "/* By which an action may change in a step. */\n" +
              vector_table("rhc_most", "RHC_ACTIONS", plan_.control_bounds.upper);

    text += "\n/* The plan: a row a step. */\n";
    text += matrix_table("rhc_plan_states", "[RHC_STEPS][RHC_STATES]",
                         plan_.states.leftCols(steps()).transpose());
    text +=
        fmt::format("/* {} */\n",
                    layout_.changes ? "By which the actions change." : "The actions.") +
        matrix_table("rhc_plan_controls", "[RHC_STEPS][RHC_ACTIONS]", plan_.controls.transpose());
    text += gain_table();
    if (holds())
      text += "/* The regulator when the plan has ended. */\n" +
              vector_table("rhc_hold_state", "RHC_STATES", plan_.held_state) +
              vector_table("rhc_hold_control", "RHC_ACTIONS", plan_.held_control) +
              matrix_table("rhc_hold_gain", "[RHC_ACTIONS][RHC_STATES]", plan_.held_gain);
    if (plan_.lost_deviation.size() > 0)
      text +=
          "/* Who is in more doubt than that, a variance, does not know where the system is. */\n" +
          vector_table("rhc_lost", "RHC_OBSERVED", plan_.lost_deviation.cwiseAbs2());

    text +=
        "\n/* The state before the first measurement, variances of the sensors, and by how much\n"
        " * the motion spreads the observations in each step: noise, and what the model does not\n"
        " * know. */\n";
    text += vector_table("rhc_first_done", "RHC_DONE", first_done()) +
            vector_table("rhc_first_seen", "RHC_SEEN", plan_.states.col(0).head(seen())) +
            vector_table("rhc_sensor_variance", "RHC_OBSERVED", tables_.sensor_variance) +
            matrix_table("rhc_spread", "[RHC_STEPS + 1][RHC_OBSERVED]", tables_.spread.transpose());

    text += "\n/* The learned motion: offset, and sines of the inputs. */\n";
    text += vector_table("rhc_offset", "RHC_OBSERVED", tables_.motion.offset);
    if (tables_.motion.linear.size() > 0)
      text += matrix_table("rhc_linear", "[RHC_OBSERVED][RHC_INPUTS]", tables_.motion.linear);
    for (std::size_t g = 0; g < tables_.motion.sines.size(); ++g) text += sine_tables(g);
    return text;
  }

  std::string gain_table() const {
    std::string text =
        "/* a = plan + gain (state - plan). */\n"
        "static const rhc_real rhc_plan_gains[RHC_STEPS][RHC_ACTIONS][RHC_STATES] = {\n";
    const Index nx = layout_.states();
    for (Index t = 0; t < steps(); ++t) {
      text += "    {";
      for (Index i = 0; i < layout_.acted; ++i)
        text += fmt::format("{}{{{}}}", i > 0 ? ",\n     " : "",
                            numbers(plan_.gains.block(i, t * nx, 1, nx).transpose()));
      text += t + 1 < steps() ? "},\n" : "}\n";
    }
    return text + "};\n";
  }

  std::string sine_tables(std::size_t g) const {
    const ControllerSines& sines = tables_.motion.sines[g];
    std::vector<std::string> names;
    for (const Index output : sines.outputs)
      names.push_back(in_comment(spec_.observation[static_cast<std::size_t>(output)].name));
    const auto count = fmt::format("[{}]", sines.phase.size());
    std::string text = fmt::format("/* Of {}. */\n", fmt::join(names, ", "));
    text += fmt::format("static const int rhc_outputs_{}[{}] = {{{}}};\n", g, sines.outputs.size(),
                        fmt::join(sines.outputs, ", "));
    text +=
        matrix_table(fmt::format("rhc_frequency_{}", g), count + "[RHC_INPUTS]", sines.frequency);
    text += vector_table(fmt::format("rhc_phase_{}", g), std::to_string(sines.phase.size()),
                         sines.phase);
    return text + vector_table(fmt::format("rhc_weight_{}", g), std::to_string(sines.weight.size()),
                               sines.weight.transpose().reshaped());
  }

  // The newest action first; what is older than the state remembers is never looked at.
  Vector first_done() const {
    Vector first = solution_.model.shape.action_at_rest.replicate(layout_.history, 1);
    const Index kept = layout_.states() - seen();
    first.head(layout_.acted) = last_action(solution_.before, first.head(layout_.acted));
    if (kept > 0) first.head(kept) = plan_.states.col(0).tail(kept);
    return first;
  }

  std::string write_code() const {
    CodeParts parts{.holds = holds(),
                    .gets_lost = plan_.lost_deviation.size() > 0,
                    .history = layout_.history > 1,
                    .actions_seen = before() > 0,
                    .linear = tables_.motion.linear.size() > 0,
                    .changes = layout_.changes,
                    .actions_in_state = layout_.states() > seen(),
                    .still_before = tables_.still_before};
    for (std::size_t q = 0; q < quantities_.size(); ++q) parts.observe += observe_line(q);
    for (std::size_t g = 0; g < tables_.motion.sines.size(); ++g)
      parts.sines += fmt::format(
          "    rhc_add_sines({}, rhc_frequency_{}, rhc_phase_{}, rhc_weight_{}, {}, "
          "rhc_outputs_{});\n",
          tables_.motion.sines[g].phase.size(), g, g, g, tables_.motion.sines[g].outputs.size(), g);
    for (const Derivative& one : tables_.motion.known) {
      const std::string rate = c_number(spec_.time_step * one.per_second);
      parts.known +=
          one.sine < 0 ? fmt::format("    rhc_moves({}, {}, {});\n", one.position, one.speed, rate)
                       : fmt::format("    rhc_turns({}, {}, {}, {});\n", one.position, one.sine,
                                     one.speed, rate);
      (one.sine < 0 ? parts.moves : parts.turns) = true;
    }
    for (const AnglePair& pair : tables_.motion.circles) {
      parts.slope_circles += fmt::format("    rhc_to_circle({}, {});\n", pair.cosine, pair.sine);
      parts.settle += fmt::format("    rhc_settle({}, {});\n", pair.cosine, pair.sine);
    }
    return controller_code(parts);
  }

  std::string observe_line(std::size_t q) const {
    const TaskQuantity& quantity = quantities_[q];
    if (!quantity.angle()) return fmt::format("    observed[{}] = measured[{}];\n", quantity.at, q);
    const std::string radians = quantity.radians == 1 ? fmt::format("measured[{}]", q)
                                                      : fmt::format("(rhc_real){} * measured[{}]",
                                                                    c_number(quantity.radians), q);
    return fmt::format("    observed[{}] = RHC_COS({});\n    observed[{}] = RHC_SIN({});\n",
                       quantity.at, radians, quantity.sine, radians);
  }

  // Numbers that never change, and those that do.
  Index constants() const {
    const Index T = steps(), D = layout_.observed, nx = layout_.states(), nu = layout_.acted;
    Index count = (layout_.changes ? 4 : 3) * nu + T * (nx + nu + nu * nx) + nx + nu + nu * nx +
                  done() + seen() + D + (T + 1) * D + D + tables_.motion.linear.size();
    for (const ControllerSines& sines : tables_.motion.sines)
      count += sines.frequency.size() + sines.phase.size() + sines.weight.size();
    return count;
  }
  Index variables() const {
    const Index D = layout_.observed, S = seen();
    return S + done() + S * S + inputs() + D + D * S + D * S + D * D + 2 * D * S + 3 * D;
  }
  static double kilobytes(Index count) { return 8e-3 * static_cast<double>(count); }

  Index sines() const {
    Index count = 0;
    for (const ControllerSines& sines : tables_.motion.sines) count += sines.phase.size();
    for (const TaskQuantity& quantity : quantities_) count += quantity.angle() ? 1 : 0;
    for (const Derivative& one : tables_.motion.known) count += one.sine >= 0 ? 1 : 0;
    return count;
  }
  Index multiplications() const {
    const Index D = layout_.observed, S = seen();
    Index count = tables_.motion.linear.size() + layout_.acted * layout_.states();
    for (const ControllerSines& sines : tables_.motion.sines)
      count += sines.frequency.size() +
               sines.phase.size() * static_cast<Index>(sines.outputs.size()) * (2 + S);
    // The covariance after a step, and after a measurement.
    return count + D * S * S + D * D * S + D * D * D / 6 + D * D * S + D * S * S;
  }

  const Solution& solution_;
  const SystemSpec& spec_;
  const ControllerOrigin& origin_;
  const ControllerTables tables_;
  const ControlTables& plan_;
  const Layout layout_;
  const std::vector<TaskQuantity> quantities_;
};

}  // namespace

ControllerOrigin origin_of(const RunRecord& run, const Solution& solution) {
  return {.run = run.path.filename().empty() ? run.path.parent_path().filename().string()
                                             : run.path.filename().string(),
          .commit = commit(),
          .experiments = run.episodes_done(),
          .transitions = solution.model.regression.count()};
}

std::string c_controller(const Solution& solution, const ControllerOrigin& origin) {
  return CWriter(solution, origin).write();
}

}  // namespace rhc
