#include "rhc/evaluate/calibration.h"

namespace rhc {

Vector coverage(const Regression& model, const Transitions& truth, const Vector& levels) {
  const Prediction prediction = model.predict(truth.inputs);
  const Matrix deviation = (prediction.epistemic.colwise() + prediction.noise).cwiseSqrt();
  const Matrix relative = (truth.outputs - prediction.mean).cwiseAbs().cwiseQuotient(deviation);
  Vector shares(levels.size());
  for (Index i = 0; i < levels.size(); ++i) {
    const double reach = normal_quantile(0.5 + levels[i] / 2);
    shares[i] = static_cast<double>((relative.array() <= reach).count()) /
                static_cast<double>(relative.size());
  }
  return shares;
}

}  // namespace rhc
