// The model that a run has learned.
#pragma once

#include <optional>

#include "rhc/model/dynamics_model.h"
#include "rhc/store/run_record.h"

namespace rhc {

// Out of the checkpoint, which knows when it is damaged; nothing while there is none. InputError
// where a file that it was learned from is not as it was written.
std::optional<DynamicsModel> learned_model(const RunRecord& run);

// The one that tasks are planned and carried out with (Learner::task_model).
std::optional<DynamicsModel> task_model(const RunRecord& run, const StopSignal& stop = {});

}  // namespace rhc
