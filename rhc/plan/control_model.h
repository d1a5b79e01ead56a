// A system as a controller knows it: by a model, or as it truly is.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "rhc/model/dynamics_model.h"
#include "rhc/plan/layout.h"
#include "rhc/plan/planner.h"
#include "rhc/system/plant.h"
#include "rhc/system/system.h"

namespace rhc {

// Where a system is, by all that was measured until now.
struct StateEstimate {
  Vector mean;
  Matrix covariance;
};

// What is expected to be measured in a state, and how that changes with the state.
struct ExpectedMeasurement {
  Vector measurement;
  Matrix slope;
};

class ControlModel {
 public:
  virtual ~ControlModel() = default;

  // The task from this state on.
  virtual PlanProblem task(const Vector& state, Index horizon) const = 0;

  virtual ExpectedMeasurement expected(const Vector& state) const = 0;
  virtual Vector sensor_variance() const = 0;
  // By which a step spreads the state.
  virtual Vector step_variance(const Vector& state, const Vector& control) const = 0;
  // The nearest state that can be.
  virtual void settle(Vector& /*state*/) const {}

  // Controls are actions, or their changes where these are limited.
  virtual Vector action(const Vector& state, const Vector& control) const = 0;
  virtual Matrix controls(const Matrix& actions) const = 0;
  // The control that repeats the action of this one.
  virtual Vector repeated(const Vector& control) const = 0;
};

// By the mean of a model. Its states are those of a layout (layout.h).
class ControlByModel final : public ControlModel {
 public:
  ControlByModel(const DynamicsModel& model, const SystemSpec& spec, bool stay_inside);

  // After what was measured and done `before`; exactly known, or as the sensors tell.
  StateEstimate known_to_be(const Trajectory& before) const;
  StateEstimate measured_to_be(const Trajectory& before) const;

  PlanProblem task(const Vector& state, Index horizon) const override;
  ExpectedMeasurement expected(const Vector& state) const override;
  Vector sensor_variance() const override { return sensor_variance_; }
  Vector step_variance(const Vector& state, const Vector& control) const override;
  void settle(Vector& state) const override;
  Vector action(const Vector& state, const Vector& control) const override;
  Matrix controls(const Matrix& actions) const override;
  Vector repeated(const Vector& control) const override;

 private:
  const DynamicsModel model_;
  const SystemSpec spec_;
  const Layout layout_;
  const PlanningModel planned_;
  const Box state_bounds_;
  Vector sensor_variance_, process_variance_;
};

// By the true dynamics: the best that noise allows. States are the system's own.
class ControlByTruth final : public ControlModel {
 public:
  ControlByTruth(System system, const NoiseLevels& noise);

  PlanProblem task(const Vector& state, Index horizon) const override;
  ExpectedMeasurement expected(const Vector& state) const override;
  Vector sensor_variance() const override { return sensor_variance_; }
  Vector step_variance(const Vector&, const Vector&) const override { return process_variance_; }
  Vector action(const Vector&, const Vector& control) const override { return control; }
  Matrix controls(const Matrix& actions) const override { return actions; }
  Vector repeated(const Vector& control) const override { return control; }

 private:
  const System system_;
  Vector sensor_variance_, process_variance_;
};

// An extended Kalman filter: a step with this control, and a measurement after it.
void predict(const ControlModel& model, const Vector& control, StateEstimate& estimate);
void correct(const ControlModel& model, const Vector& measured, StateEstimate& estimate);

}  // namespace rhc
