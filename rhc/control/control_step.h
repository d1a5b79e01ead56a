// What a controller did in one period, and why: plain values, for logs and pages.
#pragma once

#include <string_view>

#include "rhc/core/types.h"

namespace rhc {

// Where an action came from, from the best to the last resort.
enum class ActionSource {
  plan,       // one that was made for this step
  last_plan,  // the rest of an earlier one, corrected by its gains
  regulator,  // the stationary gain around the equilibrium of the task
  rest,       // the action at rest, approached no faster than actions may change
};

enum class MeasuredAs {
  taken,
  lost,      // nothing came: the estimate is a prediction
  absurd,    // not finite, or too far from what was expected: rejected
  believed,  // as far away as before, several times in a row: the filter began anew with it
};

// Why an action is not from a fresh plan.
enum class Fall {
  none,
  late,        // no plan was made in time
  plan_ended,  // and no new one followed
  blind,       // nothing was measured for so long that nobody knows where the system is
  not_finite,  // neither plan nor regulator gave a number
};

// Short, as in a log: "plan", "last plan", "late", ...
std::string_view name(ActionSource source);
std::string_view name(MeasuredAs measured);
std::string_view name(Fall fall);

struct ControlStep {
  Index step = -1;  // counted from 0 at the first `act`

  Vector action;
  ActionSource source = ActionSource::rest;
  Fall fall = Fall::none;
  Index plan_age = 0;  // steps since the plan was made that the action is from

  MeasuredAs measured = MeasuredAs::taken;
  Vector measurement;            // as it came; NaN where nothing did
  Vector expected;               // before the measurement, its mean and deviation
  Vector expected_deviation;     // (of the sensor's noise, too)
  Vector innovation;             // measurement less what was expected
  double surprise = 0;           // its largest share of the expected deviation
  Vector estimate, deviation;    // of the observations, after the measurement
  Vector disturbance;            // that is added to each predicted change, as it is estimated
  Vector action_disturbance;     // and to each action, on its way to the system
  Vector target;                 // of the task, at this step
  int in_a_row = 0;              // measurements missing or rejected until now, without a break
  Index lost = 0, rejected = 0;  // since the start

  // Of `prepare`, which makes the plan of the next step.
  int iterations = 0;
  bool planned = false;        // in time
  bool plan_left = false;      // the rest of the plan was left for a better one
  bool inside_limits = true;   // as far as the plan knows
  bool has_regulator = false;  // an equilibrium and a gain that holds the system there
  bool comes_to_rest = false;  // the regulator leads there within a plan
  bool learned = false;        // from the transition that ended with this step
  double plan_cost = 0;        // of the task over the horizon
};

}  // namespace rhc
