#include "rhc/describe/problem_file.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <nlohmann/json.hpp>

#include "rhc/core/error.h"
#include "rhc/model/fit_model.h"
#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/objectives.h"
#include "rhc/system/pendulum.h"
#include "tests/model/random_exploration.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

using nlohmann::json;

json small_problem() {
  return {{"T", 10},
          {"o_dim", 2},
          {"a_dim", 1},
          {"n_features", 2},
          {"beta", 1.0},
          {"start_obs", {0.0, 0.0}},
          {"action_bounds", {-1, 1}},
          {"W", {{1.0, 0.5, 0.2}, {0.1, 0.2, 0.3}}},
          {"psi", {0.0, 1.0}},
          {"v", {1.0, -2.0, 1.0}},
          {"mean", {{0.1, 0.0}, {0.0, 0.1}}},
          {"Sigma_inv", {{2.0, 0.5}, {0.5, 1.0}}}};
}

std::string complaint(const json& problem) {
  const TemporaryDirectory dir;
  const std::string path = dir.write("p.json", problem.dump());
  return message_of<InputError>([&] { read_problem(path); }).substr(path.size() + 2);
}

TEST(ReadProblem, ReadsWhatIsThereAndLeavesOutWhatIsNot) {
  const TemporaryDirectory dir;
  const ProblemFile problem = read_problem(dir.write("p.json", small_problem().dump()));
  EXPECT_EQ(problem.horizon, 10);
  EXPECT_EQ(problem.model.Q(0, 1), -0.25);
  EXPECT_EQ(problem.model.offset, Vector::Zero(2));
  EXPECT_TRUE(problem.model.angles.empty());
  EXPECT_FALSE(problem.task.has_value());
  EXPECT_EQ(problem.state_bounds.upper[0], kInfinity);
  // |L^-1 phi|^2 is phi' Sigma phi.
  const Matrix Sigma = Eigen::Matrix2d{{2.0, 0.5}, {0.5, 1.0}}.inverse();
  const Matrix found =
      problem.model.doubts[0].inverse_factor.transpose() * problem.model.doubts[0].inverse_factor;
  EXPECT_LT((found - Sigma).norm(), 1e-14);
}

TEST(ReadProblem, SaysWhatIsWrongWhere) {
  const auto with = [](const char* key, const json& value) {
    json problem = small_problem();
    problem[key] = value;
    return complaint(problem);
  };
  json missing = small_problem();
  missing.erase("psi");
  EXPECT_EQ(complaint(missing), "\"psi\" is missing");
  EXPECT_EQ(with("W", json::array({{1.0, 0.5, 0.2}})), "\"W\" must have 2 rows");
  EXPECT_EQ(with("W", json::array({{1.0, 0.5, 0.2}, {1.0, 2.0}})), "\"W[1]\" must have 3 entries");
  EXPECT_EQ(with("psi", json::array({0.0, nullptr})), "\"psi\" holds null, not a finite number");
  EXPECT_EQ(with("T", 0), "\"T\" is 0, expected a whole number from 1");
  EXPECT_EQ(with("beta", -1), "\"beta\" is -1, must be above 0");
  EXPECT_EQ(with("v", {1.0, 0.0, 1.0}), "\"v\" holds a bandwidth of 0");
  EXPECT_EQ(with("Sigma_inv", {{1.0, 2.0}, {2.0, 1.0}}),
            "\"Sigma_inv\" is not positive definite: it cannot be a precision");
  EXPECT_EQ(with("Sigma_inv", {{1.0, 0.2}, {0.1, 1.0}}),
            "\"Sigma_inv\" is not symmetric: it differs from its transpose by 0.1");
  EXPECT_EQ(with("action_bounds", {1, -1}),
            "\"action_bounds\" is empty: entry 0 has lower 1 above upper -1");
  EXPECT_EQ(with("action_bounds", {-1, nullptr}), "\"action_bounds\" must be finite");
  EXPECT_EQ(with("state_bounds", {{1.0, -1.0}, {2.0, 1.0}}),
            "\"start_obs\" begins outside \"state_bounds\": entry 0 is 0, bounds are [1, 2]");
  EXPECT_EQ(with("angles", {{0, 2}}), "\"angles[0]\" holds 2, which is no observation (0 to 1)");
  EXPECT_EQ(with("task", {{"target", {0.0, 0.0}}}), "\"task\" lacks \"weight\"");
  EXPECT_EQ(with("noise", {0.1, 0.0}), "\"noise\" must be above 0");
}

TEST(ReadProblem, RefusesTextThatIsNotJson) {
  const TemporaryDirectory dir;
  const std::string path = dir.write("p.json", "{\"T\": NaN}");
  EXPECT_NE(message_of<InputError>([&] { read_problem(path); }).find("not valid JSON"),
            std::string::npos);
}

TEST(ProblemJson, PosesTheProblemTheModelPoses) {
  const auto draw = draw_features(20, 4, RandomStream(1, "features"));
  // Noise keeps the precision well conditioned: its product and factor round alike.
  const NoiseLevels noise{Vector::Constant(3, 0.05), {}};
  const BayesianLinearModel model =
      fit_model(draw, explore_at_random(Pendulum{}, noise, 1, 1), {.starts = 4}).model;
  const SystemSpec spec = Pendulum{}.spec();
  const Vector start = Pendulum{}.observe(spec.start);
  const TemporaryDirectory dir;
  const ProblemFile problem = read_problem(dir.write(
      "p.json", problem_json(spec, {model, shape_of(spec, true)}, start, Box::unbounded(3))));
  const PlanningModel direct = planning_model_of({model, shape_of(spec, true)});

  Rollout rollout(3, 1, 20, spec.horizon);
  rollout.states.col(0) = start;
  rollout.actions.setConstant(0.5);
  const auto value = [&](const PlanningModel& belief) {
    follow(MeanDynamics(belief, spec.horizon), rollout);
    return make_curious_objective("evr", belief, Vector::Ones(spec.horizon))->evaluate(rollout);
  };
  EXPECT_NEAR(value(problem.model), value(direct), 1e-6 * std::abs(value(direct)));
  EXPECT_EQ(problem.task->target, spec.task.target);
}

}  // namespace
}  // namespace rhc
