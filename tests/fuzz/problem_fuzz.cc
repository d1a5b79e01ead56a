// JSON files of a planning problem.
#include "rhc/describe/problem_file.h"
#include "tests/fuzz/input.h"

using namespace rhc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  refused_or([&] {
    const ProblemFile problem = read_problem(as_file(as_text(data, size)));
    const PlanningModel& belief = problem.model;
    promised(belief.Q.allFinite() && belief.doubts[0].inverse_factor.allFinite() &&
             belief.W.allFinite());
    promised(problem.action_bounds.lower.allFinite() && problem.action_bounds.upper.allFinite());
    promised(problem.state_bounds.contains(problem.start));
  });
  return 0;
}
