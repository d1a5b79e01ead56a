// All of the library: include this, and link rhc::rhc. docs/cpp.md leads through it.
#pragma once

// What is explored: a type with a specification and a step, or a system that comes with rhc.
#include "rhc/system/registry.h"
#include "rhc/system/system.h"

// Ask for the next experiment and tell what was seen, or explore to the end.
#include "rhc/describe/settings.h"
#include "rhc/explore/algorithm.h"
#include "rhc/explore/campaign.h"
#include "rhc/explore/carry_out.h"

// What was learned: predictions, forecasts of whole experiments, and how good they are.
#include "rhc/evaluate/scores.h"
#include "rhc/model/fit_model.h"
#include "rhc/model/forecast.h"

// Plans of a task, and of objectives of one's own.
#include "rhc/evaluate/task_cost.h"
#include "rhc/plan/plan_over_draws.h"
#include "rhc/plan/plan_with_model.h"

// A machine in real time.
#include "rhc/control/controller.h"

// What is thrown, and which version this is.
#include "rhc/core/error.h"
#include "rhc/core/version.h"
