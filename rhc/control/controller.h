// A controller that runs a machine in real time, by a model that was learned of it.
//
// A period has two halves. `act` takes a measurement and gives the action, within microseconds:
// filter, plan, gains. `prepare` then learns and plans the next period from where the system will
// be at its beginning, until a deadline. After `start` neither of them allocates or throws.
// Clocks, threads and files are the caller's.
#pragma once

#include <memory>

#include "rhc/control/control_step.h"
#include "rhc/control/deadline.h"
#include "rhc/model/dynamics_model.h"
#include "rhc/plan/layout.h"
#include "rhc/plan/planner.h"
#include "rhc/system/spec.h"

namespace rhc {

// When plans end with the cost of all that comes after them.
enum class TailCost {
  never,        // only with the task's own final weight
  near_target,  // where they end so near to the equilibrium that its regulator holds the bounds
  always,       // wherever they end
};

struct ControlSettings {
  Index horizon = 0;               // steps of a plan; 0: the task's
  bool stay_inside = true;         // plans keep the system's limits
  bool learn = false;              // from transitions that tell something
  double least_doubt = 0.05;       // of the weights there, in noise variances; 0: from every one
  bool remove_offset = true;       // estimates a constant disturbance, and plans with it
  double disturbance_steps = 100;  // in which a disturbance may wander by as much as it is doubted
  double gate = 20;                // deviations beyond which a measurement is absurd
  int believe_after = 3;           // absurd measurements in a row, after which they are believed
  // Whole steps after which an action is seen to act, beyond what the model knows: how late it
  // acts and how late it is measured, together.
  int delay = 0;
  int most_blind = 25;  // steps without a measurement, after which nobody knows
  TailCost tail = TailCost::near_target;
  int iterations = 30;     // of a search in one period, where the deadline leaves time
  int starts = 8;          // of the search for the first plan
  std::uint64_t seed = 1;  // of these
};

// What a controller goes by while nothing is planned anew, over the states and controls of its
// layout (layout.h).
struct ControlTables {
  Layout layout;
  Matrix states;    // nx x (T + 1)
  Matrix controls;  // nu x T
  Matrix gains;     // nu x (nx T)
  Box control_bounds;
  // The regulator after the plan's end; empty: there is none.
  Vector held_state, held_control;
  Matrix held_gain;
  Vector lost_deviation;  // of the observations, beyond which nobody knows; empty: never
};

class Controller {
 public:
  // InputError where model and spec are not of the same system. Copies both.
  Controller(const DynamicsModel& model, const SystemSpec& spec, ControlSettings settings = {});
  Controller(Controller&&) noexcept;
  Controller& operator=(Controller&&) noexcept;
  ~Controller();

  // Before anything moves; may take seconds. `before`: what was seen and done until now, at least
  // the last measurement. Without actions (nu x steps) a first plan is searched for. May be called
  // again for another run.
  void start(const Trajectory& before, const Matrix& actions = {});
  void start(const Vector& measured, const Matrix& actions = {});

  // The action of this period, inside its bounds and rates; null or of the wrong size: no
  // measurement came. At the first call the measurement is where the system is.
  const Vector& act(const Vector* measured);

  // The rest of the period: learns, and plans the next one. Without it, or where it has no time,
  // the last plan goes on.
  void prepare(const Deadline& deadline);

  // Both halves, for those who need not hurry: as many iterations as the settings have.
  const Vector& step(const Vector& measured);

  // The machine carried out another action than `act` gave, such as a safe one of its own. Before
  // `prepare`.
  void carried_out(const Vector& action);

  // Another target, other weights, a reference (whose first column is the target of the next
  // `act`); InputError where it is not a task of this system, and all stays as it was. The plan
  // goes on, and is the start of the next search.
  void aim(const TaskCost& task);
  const TaskCost& task() const;

  // The action towards rest, no faster than actions may change: what a caller sends who stops.
  const Vector& towards_rest();

  const ControlStep& last() const;

  // The present plan, over all that follows `act` number `plan_begin()`: actions, and what is
  // observed of them, which is so many steps later.
  Index plan_begin() const;
  Index delay() const;
  ConstMatrixRef planned_observations() const;  // D x (T + 1)
  ConstMatrixRef planned_actions() const;       // nu x T

  // All of it, for those who carry it out elsewhere. Allocates.
  ControlTables tables() const;

  // The model as it is now; what was learned while it ran is in it. Allocates.
  DynamicsModel model() const;
  const SystemSpec& spec() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rhc
