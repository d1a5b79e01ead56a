// Systems that are held possible, drawn from the posterior and set going side by side.
#pragma once

#include <vector>

#include "rhc/model/dynamics_model.h"

namespace rhc {

class PossibleSystems {
 public:
  // After what was measured and done `before`, whose last observation is where they begin; about
  // `count` of them, an equal part from each possible fit and from what whole trajectories tell.
  // They come in pairs that err to either side of the mean, which makes their spread exact sooner.
  PossibleSystems(const DynamicsModel& model, const Trajectory& before, Index count,
                  RandomStream randomness);

  // The same systems set going anew, with other noise. As many observations as the model looks back
  // on are used; where there are fewer, all was at rest before them.
  void begin(const Trajectory& before, RandomStream randomness);

  // The same action in each, which moves as its weights say, and by its noise.
  void step(const Vector& action);

  Index count() const { return states_.cols(); }
  const Matrix& states() const { return states_; }  // D x count
  Vector middle();    // half of them are on either side of it; angles stay on their circles
  Matrix measured();  // with the noise of the sensors

 private:
  // Those of one fit: columns `first` to `first + count`.
  struct Part {
    const Regression& regression;
    Index first, count;
    std::vector<Matrix> weights;  // by output: M x count
  };

  void add(const Regression& regression, Index first, Index count);
  void add_drawn(const DynamicsModel& model, Index first, Index count);
  void place(const Trajectory& before);
  void project();
  Matrix noise(const Vector& deviation);

  const DynamicsShape& shape_;
  const Box& reach_;
  const Vector sensor_noise_, process_noise_;
  RandomStream randomness_;
  std::vector<Part> parts_;
  Matrix states_;
  Matrix observed_, acted_;  // what the next step is predicted from, less its last action
  Matrix inputs_, phi_, change_;
  std::vector<double> values_;
};

}  // namespace rhc
