// Many runs on one page: learning curves of groups of seeds, beside the paper's.
#pragma once

#include <string>
#include <vector>

#include "rhc/format/json.h"
#include "rhc/study/aggregate.h"

namespace rhc {

Json compare_report_data(const std::vector<RunSummary>& runs);

// Its table of final numbers as text, a group a line.
std::string compare_table(const Json& data);

// What pages of many runs share. The groups point into `runs`; among the warnings is what is
// damaged.
std::vector<Group> groups_to_show(const std::vector<RunSummary>& runs,
                                  std::vector<std::string>& warnings);

// System by system, in the order of the groups: limit, best achievable, the groups' curves and
// final numbers, the paper's curves.
Json systems_json(const std::vector<Group>& groups);

}  // namespace rhc
