// beliefs.jsonl: enough about every belief of a run to make it again from the episodes.
#pragma once

#include "rhc/explore/belief_record.h"
#include "rhc/format/json.h"

namespace rhc {

Json belief_json(const BeliefRecord& record);
BeliefRecord belief_record(const JsonReader& reader);

}  // namespace rhc
