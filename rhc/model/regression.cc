#include "rhc/model/regression.h"

#include <numeric>
#include <utility>

#include "rhc/model/information.h"

namespace rhc {

namespace {

std::vector<Index> first_outputs(Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

}  // namespace

Regression::Regression(BayesianLinearModel shared) {
  std::vector<Index> all = first_outputs(shared.noise.size());
  groups.push_back({std::move(all), std::move(shared)});
}

Regression::Regression(std::vector<OutputGroup> by_group) : groups(std::move(by_group)) {}

Index Regression::outputs() const {
  Index sum = 0;
  for (const OutputGroup& group : groups) sum += group.posterior.noise.size();
  return sum;
}

Index Regression::features() const {
  Index sum = 0;
  for (const OutputGroup& group : groups) sum += group.posterior.features.count();
  return sum;
}

Index Regression::parameters() const {
  Index sum = 0;
  for (const OutputGroup& group : groups) sum += group.posterior.weights.size();
  return sum;
}

void Regression::learn(const Transitions& data, const StopSignal& stop) {
  // All of it is looked at before any group learns.
  check(data, inputs(), outputs());
  const Transitions rest = known ? left_to_learn(known, data) : Transitions{};
  const Transitions& taught = known ? rest : data;
  for (OutputGroup& group : groups)
    group.posterior.learn(
        shared()
            ? taught
            : Transitions{taught.inputs, taught.outputs(group.outputs, Eigen::all), taught.weights},
        stop);
}

void Regression::predict(const ConstMatrixRef& inputs, bool with_cosine,
                         RegressionWorkspace& workspace, Matrix& mean, Matrix& leverage) const {
  workspace.groups.resize(groups.size());
  mean.resize(outputs(), inputs.cols());
  leverage.resize(outputs(), inputs.cols());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    groups[g].posterior.predict(inputs, with_cosine, workspace.groups[g], workspace.mean,
                                workspace.leverage);
    mean(groups[g].outputs, Eigen::all) = workspace.mean;
    for (const Index j : groups[g].outputs) leverage.row(j) = workspace.leverage.transpose();
  }
  if (known) mean += known_changes(known, inputs, outputs());
}

void Regression::predict_mean(const ConstMatrixRef& inputs, bool with_cosine,
                              RegressionWorkspace& workspace, Matrix& mean) const {
  workspace.groups.resize(groups.size());
  mean.resize(outputs(), inputs.cols());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    groups[g].posterior.predict_mean(inputs, with_cosine, workspace.groups[g], workspace.mean);
    mean(groups[g].outputs, Eigen::all) = workspace.mean;
  }
  if (known) mean += known_changes(known, inputs, outputs());
}

Prediction Regression::predict(const ConstMatrixRef& inputs) const {
  RegressionWorkspace workspace;
  Prediction result;
  Matrix leverage;
  predict(inputs, false, workspace, result.mean, leverage);
  result.noise = predicted_noise_variance();
  result.epistemic = result.noise.asDiagonal() * leverage;
  return result;
}

Vector Regression::noise_variance() const {
  Vector result(outputs());
  for (const OutputGroup& group : groups) result(group.outputs) = group.posterior.noise_variance();
  return result;
}

Vector Regression::predicted_noise_variance() const {
  Vector result(outputs());
  for (const OutputGroup& group : groups)
    result(group.outputs) = group.posterior.predicted_noise_variance();
  return result;
}

double Regression::parameter_entropy() const {
  double sum = 0;
  for (const OutputGroup& group : groups) sum += group.posterior.parameter_entropy();
  return sum;
}

Regression Regression::prior() const {
  std::vector<OutputGroup> before;
  for (const auto& [outputs, posterior] : groups)
    before.push_back({outputs, BayesianLinearModel(posterior.features, posterior.hyperparameters(),
                                                   posterior.outputs)});
  Regression result(std::move(before));
  result.known = known;
  return result;
}

Vector information_by_output(const Regression& regression, const ConstMatrixRef& inputs) {
  Vector nats(regression.outputs());
  for (const OutputGroup& group : regression.groups)
    nats(group.outputs)
        .setConstant(information(group.posterior, inputs) /
                     static_cast<double>(group.posterior.noise.size()));
  return nats;
}

double information(const Regression& regression, const ConstMatrixRef& inputs) {
  double sum = 0;
  for (const OutputGroup& group : regression.groups) sum += information(group.posterior, inputs);
  return sum;
}

MeanJacobian::MeanJacobian(const Regression& regression, Index inputs)
    : regression_(regression), inputs_(inputs) {
  for (const OutputGroup& group : regression.groups) {
    const BayesianLinearModel& model = group.posterior;
    if (!model.features.hidden.empty()) {
      rows_.emplace_back();
      continue;
    }
    const Index D = model.noise.size();
    const Matrix Q = model.features.frequencies();
    Matrix rows(D * inputs, model.features.count());
    for (Index k = 0; k < inputs; ++k)
      for (Index j = 0; j < D; ++j)
        rows.row(j + D * k) =
            model.outputs.scale[j] * model.weights.col(j).cwiseProduct(Q.col(k)).transpose();
    rows_.push_back(std::move(rows));
  }
}

void MeanJacobian::rows_times_cosines(std::size_t g, const ConstMatrixRef& inputs,
                                      const RegressionWorkspace& workspace, Matrix& part) const {
  const BayesianLinearModel& model = regression_.groups[g].posterior;
  const Matrix& cosine = workspace.groups[g].cosine;
  if (model.features.hidden.empty()) {
    part.noalias() = rows_[g] * cosine;
    return;
  }
  const Matrix weights = (model.weights * model.outputs.scale.asDiagonal()).transpose();
  part.resize(weights.rows() * inputs_, cosine.cols());
  for (Index t = 0; t < cosine.cols(); ++t) {
    const Matrix Q = model.features.frequencies_at(inputs.col(t)).leftCols(inputs_);
    part.col(t) = (weights * (cosine.col(t).asDiagonal() * Q)).reshaped();
  }
}

void MeanJacobian::evaluate(const ConstMatrixRef& inputs, const RegressionWorkspace& workspace,
                            Matrix& jacobian) const {
  const Index D = regression_.outputs();
  if (regression_.shared()) {
    rows_times_cosines(0, inputs, workspace, jacobian);
  } else {
    jacobian.resize(D * inputs_, workspace.groups[0].cosine.cols());
    Matrix part;
    for (std::size_t g = 0; g < rows_.size(); ++g) {
      const std::vector<Index>& outputs = regression_.groups[g].outputs;
      rows_times_cosines(g, inputs, workspace, part);
      const Index size = static_cast<Index>(outputs.size());
      for (Index k = 0; k < inputs_; ++k)
        for (Index j = 0; j < size; ++j)
          jacobian.row(outputs[static_cast<std::size_t>(j)] + D * k) = part.row(j + size * k);
    }
  }
  if (!regression_.known) return;
  for (Index t = 0; t < inputs.cols(); ++t) {
    const Matrix F = jacobian_of_known(regression_.known, inputs.col(t).head(D),
                                       inputs.col(t).tail(regression_.known.acted));
    jacobian.col(t).head(D * D) += F.leftCols(D).reshaped();
  }
}

}  // namespace rhc
