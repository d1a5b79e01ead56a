// Many runs on one page: learning curves of groups of seeds, beside the paper's.
#pragma once

#include "rhc/io/json.h"
#include "rhc/study/aggregate.h"

namespace rhc {

Json compare_report_data(const std::vector<RunSummary>& runs);

// Its table of final numbers as text, a group a line.
std::string compare_table(const Json& data);

}  // namespace rhc
