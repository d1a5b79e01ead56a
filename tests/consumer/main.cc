// What a stranger's project does with an installed rhc.
#include <cstdio>

#include "rhc/model/fit_model.h"
#include "rhc/system/registry.h"

int main() {
  const rhc::System system = rhc::make_system("pendulum");
  rhc::RandomStream randomness(1, "consumer");
  rhc::Transitions data{rhc::Matrix(4, 60), rhc::Matrix(3, 60)};
  for (rhc::Index t = 0; t < 60; ++t) {
    const rhc::Vector state = randomness.uniform_in(system.spec().region);
    const rhc::Vector action = randomness.uniform_in(system.spec().action_bounds);
    data.inputs.col(t) << system.observe(state), action;
    data.outputs.col(t) = system.observe(system.step(state, action)) - system.observe(state);
  }
  const auto draw = rhc::draw_features(40, 4, rhc::RandomStream(1, "features"));
  const auto fitted = rhc::fit_model(draw, data, {});
  const double worst =
      (fitted.model.predict(data.inputs).mean - data.outputs).cwiseAbs().maxCoeff();
  std::printf("consumer: worst error on its own data %g\n", worst);
  return worst < 0.2 ? 0 : 1;
}
