#include "rhc/describe/problem_file.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "rhc/core/error.h"
#include "rhc/format/files.h"
#include "rhc/format/json.h"
#include "rhc/model/cholesky.h"

namespace rhc {

namespace {

// [lower, upper], each a number for all entries or a list; null is no bound.
Box read_box(const JsonReader& file, const char* key, Index size) {
  const Json& json = file.at(key);
  if (!json.is_array() || json.size() != 2)
    file.fail(fmt::format("\"{}\" must be [lower, upper]", key));
  const auto side = [&](std::size_t i, double absent) -> Vector {
    const std::string name = fmt::format("{}[{}]", key, i);
    if (json[i].is_array()) return file.vector_of(json[i], name, size, absent);
    return Vector::Constant(size, file.vector_of(Json::array({json[i]}), name, 1, absent)[0]);
  };
  Box box{side(0, -kInfinity), side(1, kInfinity)};
  for (Index i = 0; i < size; ++i)
    if (!(box.lower[i] <= box.upper[i]))
      file.fail(fmt::format("\"{}\" is empty: entry {} has lower {} above upper {}", key, i,
                            box.lower[i], box.upper[i]));
  return box;
}

std::vector<AnglePair> read_angles(const JsonReader& file, Index states) {
  std::vector<AnglePair> angles;
  if (!file.has("angles")) return angles;
  const Json& json = file.at("angles");
  if (!json.is_array()) file.fail("\"angles\" must be a list of [cosine, sine] indices");
  for (std::size_t i = 0; i < json.size(); ++i) {
    const Vector pair = file.vector_of(json[i], fmt::format("angles[{}]", i), 2);
    for (const double index : pair)
      if (index != std::floor(index) || index < 0 || index >= static_cast<double>(states))
        file.fail(fmt::format("\"angles[{}]\" holds {}, which is no observation (0 to {})", i,
                              index, states - 1));
    if (pair[0] == pair[1]) file.fail(fmt::format("\"angles[{}]\" names one index twice", i));
    angles.push_back({static_cast<Index>(pair[0]), static_cast<Index>(pair[1])});
  }
  return angles;
}

FourierFeatures read_features(const JsonReader& file, Index M, Index inputs) {
  FourierFeatures features{file.matrix("W", M, inputs), file.vector("psi", M),
                           file.vector("v", inputs)};
  if (!(features.bandwidth.cwiseAbs().minCoeff() > 0)) file.fail("\"v\" holds a bandwidth of 0");
  if (!features.frequencies().allFinite()) file.fail("\"W\" divided by \"v\" is not finite");
  return features;
}

// The factor of the precision over the noise's.
Matrix read_factor(const JsonReader& file, Index M, double beta) {
  const Matrix precision = file.matrix("Sigma_inv", M, M) / beta;
  const double asymmetry = (precision - precision.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > 1e-8 * precision.cwiseAbs().maxCoeff())
    file.fail(fmt::format("\"Sigma_inv\" is not symmetric: it differs from its transpose by {}",
                          asymmetry * beta));
  const Eigen::LLT<Matrix> llt(precision);
  if (llt.info() != Eigen::Success)
    file.fail("\"Sigma_inv\" is not positive definite: it cannot be a precision");
  return llt.matrixL();
}

Matrix read_inverse_factor(const JsonReader& file, Index M, double beta) {
  Matrix inverse = Matrix::Identity(M, M);
  solve_lower(read_factor(file, M, beta), inverse);
  if (!inverse.allFinite()) file.fail("\"Sigma_inv\" is numerically singular");
  return inverse;
}

// Format 2: a posterior for each output, with an affine part.
PlanningModel read_separate(const JsonReader& file, Index nx, Index nu, const Vector& offset) {
  if (file.size("posteriors") != nx)
    file.fail(fmt::format("\"posteriors\" must have {} entries, one for each output", nx));
  std::vector<OutputGroup> groups;
  for (Index j = 0; j < nx; ++j) {
    const JsonReader one = file.part("posteriors", static_cast<std::size_t>(j));
    FourierFeatures features = read_features(one, one.count("n_features", 1), nx + nu);
    features.centre = one.vector("centre", nx + nu);
    features.scale = one.vector("scale", nx + nu);
    if (!(features.scale.minCoeff() > 0)) one.fail("\"scale\" must be above 0");
    const Index M = features.count();
    BayesianLinearModel posterior(features, {features.bandwidth, 1, Vector::Ones(1), 1},
                                  {offset.segment(j, 1), Vector::Ones(1)});
    posterior.weights = one.matrix("mean", M, 1);
    posterior.factor = read_factor(one, M, 1);
    groups.push_back({{j}, std::move(posterior)});
  }
  for (const OutputGroup& group : groups)
    if (group.posterior.features.centre != groups[0].posterior.features.centre ||
        group.posterior.features.scale != groups[0].posterior.features.scale)
      file.fail("\"centre\" and \"scale\" must be the same in all of \"posteriors\"");
  return planning_model_of({Regression(std::move(groups)), {.observed = nx, .acted = nu}});
}

Json side_json(const Vector& bound) {
  Json json = Json::array();
  for (const double value : bound) json.push_back(std::isfinite(value) ? Json(value) : Json());
  return json;
}

void put_posterior(const BayesianLinearModel& model, Json& json) {
  json["v"] = vector_json(model.features.bandwidth);
  json["psi"] = vector_json(model.features.phase);
  json["W"] = matrix_json(model.features.P);
  json["mean"] = matrix_json(model.weights * model.outputs.scale.asDiagonal());
  json["Sigma_inv"] = matrix_json(model.factor * model.factor.transpose());
}

}  // namespace

ProblemFile read_problem(const std::filesystem::path& path) {
  const JsonReader file(read_input(path, kLargestMatrixFile), path.string());
  ProblemFile problem;
  if (file.has("env") && file.at("env").is_string()) problem.name = file.at("env");
  const Index nx = file.count("o_dim", 1), nu = file.count("a_dim", 1);
  const bool separate = file.has("posteriors");
  problem.horizon = file.count("T", 1);
  problem.beta = file.number("beta");
  if (!(problem.beta > 0)) file.fail(fmt::format("\"beta\" is {}, must be above 0", problem.beta));
  problem.start = file.vector("start_obs", nx);
  problem.action_bounds = read_box(file, "action_bounds", nu);
  if (!problem.action_bounds.lower.allFinite() || !problem.action_bounds.upper.allFinite())
    file.fail("\"action_bounds\" must be finite");
  problem.state_bounds =
      file.has("state_bounds") ? read_box(file, "state_bounds", nx) : Box::unbounded(nx);
  if (const Index i = problem.state_bounds.first_outside(problem.start); i >= 0)
    file.fail(fmt::format(
        "\"start_obs\" begins outside \"state_bounds\": entry {} is {}, bounds "
        "are [{}, {}]",
        i, problem.start[i], problem.state_bounds.lower[i], problem.state_bounds.upper[i]));

  PlanningModel& model = problem.model;
  const Vector offset = file.has("offset") ? file.vector("offset", nx) : Vector::Zero(nx);
  if (separate) {
    model = read_separate(file, nx, nu, offset);
    if (problem.beta != 1) file.fail("with \"posteriors\", \"beta\" must be 1");
  } else {
    const Index M = file.count("n_features", 1);
    const FourierFeatures features = read_features(file, M, nx + nu);
    model.Q = features.frequencies();
    model.phase = features.phase;
    model.W = file.matrix("mean", M, nx);
    model.offset = offset;
    model.doubts = {{0, M, static_cast<double>(nx), read_inverse_factor(file, M, problem.beta)}};
    model.outputs = nx;
  }
  model.angles = read_angles(file, nx);

  if (file.has("noise")) {
    if (!(file.vector("noise", nx).minCoeff() > 0)) file.fail("\"noise\" must be above 0");
    if (problem.beta != 1)
      file.fail("with \"noise\" the precision is relative to it, and \"beta\" must be 1");
  }
  if (file.has("task") && !file.at("task").is_null()) {
    const Json& task = file.at("task");
    const auto part = [&](const char* key, Index size) {
      if (!task.is_object() || !task.contains(key))
        file.fail(fmt::format("\"task\" lacks \"{}\"", key));
      return file.vector_of(task.at(key), fmt::format("task.{}", key), size);
    };
    problem.task = TaskCost{part("target", nx), part("weight", nx), part("action_weight", nu)};
  }
  return problem;
}

std::string problem_json(const SystemSpec& spec, const DynamicsModel& dynamics, const Vector& start,
                         const Box& state_bounds) {
  const Regression& model = dynamics.regression;
  if (model.known)
    throw InputError(fmt::format("a problem file cannot hold what is known of '{}': {}", spec.name,
                                 model.known.words));
  if (!model.groups[0].posterior.features.hidden.empty())
    throw InputError(fmt::format(
        "a problem file cannot hold the network of '{}', only random features", spec.name));
  Json json;
  json["env"] = spec.name;
  json["T"] = spec.horizon;
  json["o_dim"] = spec.outputs();
  json["a_dim"] = spec.action.size();
  if (model.shared()) json["n_features"] = model.features();
  json["beta"] = 1.0;
  json["start_obs"] = vector_json(start);
  json["action_bounds"] = {vector_json(spec.action_bounds.lower),
                           vector_json(spec.action_bounds.upper)};
  json["state_bounds"] = {side_json(state_bounds.lower), side_json(state_bounds.upper)};
  json["angles"] = Json::array();
  for (const AnglePair& angle : dynamics.shape.angles)
    json["angles"].push_back({angle.cosine, angle.sine});
  json["noise"] = vector_json(model.noise_variance().cwiseSqrt());
  json["task"] = {{"target", vector_json(spec.task.target)},
                  {"weight", vector_json(spec.task.weight)},
                  {"action_weight", vector_json(spec.task.action_weight)}};
  if (model.shared()) {
    json["offset"] = vector_json(model.groups[0].posterior.outputs.mean);
    put_posterior(model.groups[0].posterior, json);
    return json.dump() + "\n";
  }
  Vector offset(model.outputs());
  json["posteriors"] = Json::array();
  for (const auto& [outputs, posterior] : model.groups) {
    offset(outputs) = posterior.outputs.mean;
    Json& one = json["posteriors"].emplace_back(Json::object());
    one["n_features"] = posterior.features.sines();
    one["centre"] = vector_json(posterior.features.centre);
    one["scale"] = vector_json(posterior.features.scale);
    put_posterior(posterior, one);
  }
  json["offset"] = vector_json(offset);
  return json.dump() + "\n";
}

}  // namespace rhc
