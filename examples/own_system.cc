// A system of your own: any type with a spec and a step. Here a mass on a spring that hardens,
// pushed by a weak motor. docs/cpp.md explains every call.
#include <rhc/rhc.h>

#include <cstdio>

struct Spring {
  rhc::SystemSpec spec() const {
    const rhc::Vector two = rhc::Vector::Ones(2), one = rhc::Vector::Ones(1);
    return {
        .name = "spring",
        .title = "mass on a spring that hardens",
        .state = {{"x", "m"}, {"v", "m/s"}},
        .observation = {{"x", "m"}, {"v", "m/s"}},
        .action = {{"force", "N"}},
        .angles = {},
        .action_bounds = {-one, one},
        .limits = rhc::Box::unbounded(2),
        .time_step = 0.1,
        .horizon = 60,
        .start = rhc::Vector::Zero(2),
        .region = {-two, two},
        .task = {.target = Eigen::Vector2d(0.5, 0), .weight = two, .action_weight = 0.01 * one}};
  }

  rhc::Vector step(const rhc::Vector& s, const rhc::Vector& a) const {
    const double v = s[1] + 0.1 * (a[0] - s[0] - s[0] * s[0] * s[0] - 0.1 * s[1]);
    return Eigen::Vector2d(s[0] + 0.1 * v, v);
  }
};

int main() {
  const rhc::System spring = Spring{};
  rhc::Campaign campaign(rhc::config_for_system(spring.spec()), spring, 1);

  // Ask for an experiment, carry it out, tell what was seen; then two more, to the end.
  const auto carry_out = [&](const rhc::Proposal& proposal) {
    return rhc::open_loop(spring, proposal.actions);  // your machine goes here
  };
  campaign.tell(carry_out(campaign.ask()));
  rhc::explore_to_end(campaign, carry_out, 3);

  // What the next experiment will show, before it is carried out, and what it then did.
  const rhc::Proposal next = campaign.ask();
  const rhc::Trajectory seen = carry_out(next);
  std::printf("announced and came: %.3f of what is expected of a 95 %% band\n",
              rhc::relative_reach(*next.forecast, seen).maxCoeff());

  // The task, for 16 systems that the model holds possible.
  const rhc::Plan plan = rhc::plan_task(*campaign.model(), spring, true, 16, {});
  std::printf("planned cost %.4f, true cost %.4f\n", plan.objective,
              rhc::task_cost(spring, plan.actions));

  // The same with feedback, as a machine is run in real time.
  rhc::Controller controller(*campaign.model(), spring.spec());
  rhc::Vector state = spring.spec().start;
  controller.start(state);
  for (int t = 0; t < 60; ++t) state = spring.step(state, controller.step(spring.observe(state)));
  std::printf("x = %.4f m after 6 s, and 0.5 m was wanted\n", state[0]);
}
