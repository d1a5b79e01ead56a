#include "rhc/plan/planning_model.h"

#include "rhc/model/cholesky.h"

namespace rhc {

PlanningModel mean_model_of(const DynamicsModel& model) {
  const Regression& regression = model.regression;
  // Affine features are the same in all groups: they stand once, behind the sines of all.
  const FourierFeatures& first_features = regression.groups[0].posterior.features;
  const Index n = regression.inputs(), D = model.outputs(), affine = first_features.affine();
  Index sines = 0;
  for (const OutputGroup& group : regression.groups) sines += group.posterior.features.sines();

  // A network's features are shared by all groups, and first by what its layers make of z.
  const SineLayers& hidden = first_features.hidden;
  const Index before = hidden.empty() ? 0 : hidden.back().width();

  PlanningModel planned{.Q = Matrix::Zero(sines + affine, before + n),
                        .phase = Vector(sines + affine),
                        .W = Matrix::Zero(sines + affine, D),
                        .offset = Vector(D),
                        .doubts = {},
                        .angles = model.shape.angles,
                        .outputs = D,
                        .affine = affine,
                        .known = regression.known,
                        .hidden = hidden};
  if (!hidden.empty())
    planned.hidden.front().weights *= first_features.bandwidth.cwiseInverse().asDiagonal();
  if (affine > 0) {
    planned.Q.bottomRows(affine).middleCols(before, n).topRows(n).diagonal() =
        first_features.scale.cwiseInverse();
    planned.phase.tail(affine) << -first_features.centre.cwiseQuotient(first_features.scale), 1;
  }
  Index first = 0;
  for (const auto& [outputs, posterior] : regression.groups) {
    const Index count = posterior.features.sines();
    const Matrix weights = posterior.weights * posterior.outputs.scale.asDiagonal();
    if (hidden.empty())
      planned.Q.middleRows(first, count) = posterior.features.frequencies().topRows(count);
    else
      planned.Q.block(first, 0, count, before) = posterior.features.P;
    planned.phase.segment(first, count) = posterior.features.phase;
    planned.W.middleRows(first, count)(Eigen::all, outputs) = weights.topRows(count);
    planned.W.bottomRows(affine)(Eigen::all, outputs) = weights.bottomRows(affine);
    planned.offset(outputs) = posterior.outputs.mean;
    first += count;
  }
  return planned;
}

void take_weights(const Regression& regression, PlanningModel& planned) {
  Index first = 0;
  for (const auto& [outputs, posterior] : regression.groups) {
    const Index count = posterior.features.sines();
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const auto at = static_cast<Index>(k);
      const auto weights = posterior.weights.col(at);
      const double scale = posterior.outputs.scale[at];
      auto column = planned.W.col(outputs[k]);
      column.segment(first, count) = scale * weights.head(count);
      column.tail(planned.affine) = scale * weights.tail(planned.affine);
    }
    first += count;
  }
}

PlanningModel planning_model_of(const DynamicsModel& model) {
  PlanningModel planned = mean_model_of(model);
  Index first = 0;
  for (const auto& [outputs, posterior] : model.regression.groups) {
    const Index count = posterior.features.sines(), M = posterior.features.count();
    planned.doubts.push_back(
        {first, count, static_cast<double>(outputs.size()), Matrix::Identity(M, M)});
    solve_lower(posterior.factor, planned.doubts.back().inverse_factor);
    first += count;
  }
  return planned;
}

}  // namespace rhc
