// What is believed of all outputs: a posterior for each group of outputs that share features and
// signal-to-noise ratio. The paper has one group; a machine's outputs have one each.
#pragma once

#include <vector>

#include "rhc/model/bayesian_linear_model.h"
#include "rhc/system/known_motion.h"

namespace rhc {

struct OutputGroup {
  std::vector<Index> outputs;  // that its posterior is about, in the posterior's order
  BayesianLinearModel posterior;
};

// Memory that predictions at many points reuse; one entry a group.
struct RegressionWorkspace {
  std::vector<PredictionWorkspace> groups;
  Matrix mean;
  Vector leverage;
};

struct Regression {
  std::vector<OutputGroup> groups;
  KnownMotion known{};  // that the posteriors are not about: it is added to what they predict

  // One posterior for all outputs.
  Regression(BayesianLinearModel shared);  // NOLINT(google-explicit-constructor)
  // Every output is in one group, all groups have the same inputs.
  explicit Regression(std::vector<OutputGroup> by_group);

  bool shared() const { return groups.size() == 1; }
  Index inputs() const { return groups[0].posterior.features.inputs(); }
  Index outputs() const;
  Index features() const;    // of all groups
  Index parameters() const;  // weights of all outputs
  Index count() const { return groups[0].posterior.count; }

  // As of a BayesianLinearModel.
  void learn(const Transitions& data, const StopSignal& stop = {});
  Prediction predict(const ConstMatrixRef& inputs) const;
  Vector noise_variance() const;
  Vector predicted_noise_variance() const;
  double parameter_entropy() const;

  // Mean and leverage of each output at each point, both D x T: an output's predicted noise
  // variance times its leverage is its epistemic variance.
  void predict(const ConstMatrixRef& inputs, bool with_cosine, RegressionWorkspace& workspace,
               Matrix& mean, Matrix& leverage) const;

  // The mean alone, all inputs at once, in far fewer operations.
  void predict_mean(const ConstMatrixRef& inputs, bool with_cosine, RegressionWorkspace& workspace,
                    Matrix& mean) const;

  // As it was before any data.
  Regression prior() const;
};

// Nats by which the entropy of each output's parameters falls when the outputs at these inputs are
// seen, hyperparameters unchanged; and of all of them.
Vector information_by_output(const Regression& regression, const ConstMatrixRef& inputs);
double information(const Regression& regression, const ConstMatrixRef& inputs);

// d mean_j / d input_k of the predicted difference, for so many of the inputs.
class MeanJacobian {
 public:
  MeanJacobian(const Regression& regression, Index inputs);

  // Row j + D k of column t, from the cosines that `predict` left in the workspace.
  void evaluate(const ConstMatrixRef& inputs, const RegressionWorkspace& workspace,
                Matrix& jacobian) const;

 private:
  void rows_times_cosines(std::size_t g, const ConstMatrixRef& inputs,
                          const RegressionWorkspace& workspace, Matrix& part) const;

  const Regression& regression_;
  Index inputs_;
  std::vector<Matrix> rows_;  // by group; those of a network change with the input
};

}  // namespace rhc
