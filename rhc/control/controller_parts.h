// What a controller consists of, for the files that are its halves: `start` and the plain questions
// are in controller.cc, `act` in act.cc, `prepare` in prepare.cc, the searches' guesses in
// guesses.cc, and what a task is aimed at in aim.cc.
#pragma once

#include <algorithm>

#include "rhc/control/control_task.h"
#include "rhc/control/controller.h"
#include "rhc/control/learned_motion.h"
#include "rhc/control/observer.h"
#include "rhc/control/stationary.h"
#include "rhc/plan/feedback.h"
#include "rhc/plan/shooting.h"

namespace rhc {

// Of what is known of an observation's range: who is less sure than that does not know where the
// system is.
inline constexpr double kLostShare = 0.25;

struct Controller::Parts {
  Parts(const DynamicsModel& learned, const SystemSpec& system, ControlSettings wanted);

  // One slow period, by whatever else runs on the machine, does not keep the planner from working
  // for ever: what took long is forgotten.
  struct Longest {
    double seconds = 0;
    void forget() { seconds *= 0.98; }
    void note(double took) { seconds = std::max(seconds, took); }
  };

  void start(const Trajectory& before, const Matrix& actions);
  const Vector& act(const Vector* measured);
  void prepare(const Deadline& deadline);
  void aim(const TaskCost& task);

  Index horizon() const { return shooting.rollout().horizon(); }
  // Of the first observation that this act changes.
  Index reference_step(Index act) const { return act - task_begin + settings.delay; }
  void note_measured(MeasuredAs measured, const Vector* measurement);
  bool blind() const;
  void choose();
  void carry_out_control();
  void note_sent();
  void look_ahead(Index first_sent);
  void learn();
  void aim_tail(Index plan_begin);
  void settle_reference(bool anew);
  void guess_rest(Index begin);
  void guess_regulated();
  bool adopt(const Rollout& rollout, Index begin);
  Matrix first_controls(const Matrix& actions);
  Trajectory as_it_acted(const Trajectory& before) const;
  void begin_sent(const Trajectory& before, Vector acted);

  const DynamicsModel model;
  SystemSpec spec;
  const ControlSettings settings;
  LearnedMotion motion;
  Observer observer;
  const Box control_bounds, state_bounds;
  Stationary stationary;
  ControlTask task;
  Shooting shooting;
  FeedbackWorkspace feedback;
  Rollout rest, other;  // guesses of a plan
  HeldBounds held;
  Index held_at = -1;

  Matrix states, controls, gains, actions;  // of the plan
  Index begin = 0;
  bool has_plan = false;

  Vector rest_action, most_change, known_width;
  Vector control, action, action_before, predicted;
  // Controls and their actions, from the one that acts in this period to the one that was sent in
  // it: the same without a delay.
  Matrix sent, sent_actions;
  Vector ahead;  // where the system will be once all have acted that were sent before
  Vector measured_now, measured_before, control_before, given_up;  // of a transition
  Index run = 0;                                                   // measurements without a break
  Rollout at_step;
  Index task_begin = 0;  // the act at which the reference begins
  Index settled_at = 0;  // step of the reference at which `task.settled` begins
  Vector settled_before;
  bool regulated_guess = false;  // `other` is where the regulator leads to
  bool started = false, has_predicted = false, comes_to_rest = false;
  Longest iteration, whole;  // and the rest of `prepare`
  ControlStep last;
};

}  // namespace rhc
