#include "rhc/system/nominal.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "rhc/core/error.h"

namespace rhc {

namespace {

// Where an internal state is seen.
struct Seen {
  Index at = -1;    // the observation that it is, or the cosine of the angle
  Index sine = -1;  // of the angle; -1: it is none
  double slope = 1;
};

double angle_in(const Vector& observation, Index cosine, Index sine) {
  return std::atan2(observation[sine], observation[cosine]);
}

// By what moves when a state is moved a little, somewhere in the region.
std::vector<Seen> find_states(const System& nominal) {
  constexpr double kMoved = 1e-3;
  const SystemSpec& spec = nominal.spec();
  // Far from where an angle turns over.
  const Vector at =
      spec.region.lower + (spec.region.upper - spec.region.lower) * (0.5 + 0.13 / std::numbers::pi);
  const Vector before = nominal.observe(at);
  std::vector<Seen> all(static_cast<std::size_t>(at.size()));
  for (Index i = 0; i < at.size(); ++i) {
    Vector moved = at;
    moved[i] += kMoved;
    const double way = moved[i] - at[i];
    const Vector after = nominal.observe(moved);
    Index moves = -1;
    if ((after - before).cwiseAbs().maxCoeff(&moves) < 1e-4 * way) continue;
    Seen& seen = all[static_cast<std::size_t>(i)];
    seen = {moves, -1, (after[moves] - before[moves]) / way};
    for (const auto& [cosine, sine] : spec.angles)
      if (moves == cosine || moves == sine)
        seen = {cosine, sine,
                (angle_in(after, cosine, sine) - angle_in(before, cosine, sine)) / way};
  }
  return all;
}

struct StateFinder {
  std::vector<Seen> seen;

  Vector operator()(const Vector& observation) const {
    Vector state;
    find(observation, state);
    return state;
  }
  void find(const Vector& observation, Vector& state) const {
    state.resize(static_cast<Index>(seen.size()));
    for (Index i = 0; i < state.size(); ++i) {
      const Seen& one = seen[static_cast<std::size_t>(i)];
      const double value =
          one.sine < 0 ? observation[one.at] : angle_in(observation, one.at, one.sine);
      state[i] = value / one.slope;
    }
  }
};

[[noreturn]] void differ(const System& nominal, const std::string& what) {
  throw InputError(fmt::format("the nominal model '{}' cannot stand for this system: {}",
                               nominal.spec().name, what));
}

void check_alike(const System& nominal, const SystemSpec& spec) {
  const SystemSpec& own = nominal.spec();
  if (!own.simulated) differ(nominal, "it cannot be simulated");
  if (own.outputs() != spec.outputs() || own.action_bounds.size() != spec.action_bounds.size())
    differ(nominal, fmt::format("it has {} observations and {} actions, this one has {} and {}",
                                own.outputs(), own.action_bounds.size(), spec.outputs(),
                                spec.action_bounds.size()));
  if (own.angles.size() != spec.angles.size()) differ(nominal, "its angles are others");
  for (std::size_t i = 0; i < own.angles.size(); ++i)
    if (own.angles[i].cosine != spec.angles[i].cosine || own.angles[i].sine != spec.angles[i].sine)
      differ(nominal, "its angles stand in other places; put the observations into one order");
  if (std::abs(own.time_step - spec.time_step) > 0.01 * spec.time_step)
    differ(nominal, fmt::format("its time step is {} s, not {} s", own.time_step, spec.time_step));
  for (Index i = 0; i < spec.action_bounds.size(); ++i)
    if (own.action_bounds.lower[i] > spec.action_bounds.lower[i] ||
        own.action_bounds.upper[i] < spec.action_bounds.upper[i])
      differ(nominal, fmt::format("its action '{}' has narrower bounds",
                                  own.action[static_cast<std::size_t>(i)].name));
}

}  // namespace

KnownMotion nominal_motion(const System& nominal, const SystemSpec& spec) {
  check_alike(nominal, spec);
  const SystemSpec& own = nominal.spec();
  const StateFinder find{find_states(nominal)};
  for (std::size_t i = 0; i < find.seen.size(); ++i)
    if (find.seen[i].at < 0)
      differ(nominal, fmt::format("its state '{}' is not observed",
                                  i < own.state.size() ? own.state[i].name : std::to_string(i)));
  // What was found must hold everywhere.
  RandomStream randomness(0, "nominal");
  for (int n = 0; n < 20; ++n) {
    Vector state(own.start.size());
    for (Index i = 0; i < state.size(); ++i)
      state[i] = randomness.uniform(own.region.lower[i], own.region.upper[i]);
    const Vector seen = nominal.observe(state);
    const double scale = 1 + seen.cwiseAbs().maxCoeff();
    if (!((nominal.observe(find(seen)) - seen).cwiseAbs().maxCoeff() < 1e-3 * scale))
      differ(nominal, "its states do not follow from one observation each");
  }
  const auto in_place = [nominal, find](KnownStep& step) {
    find.find(step.observation, step.state);
    // Less where the model stands, not the measurement: a cosine may miss its circle.
    nominal.step_to(step.state, step.action, step.next);
    nominal.observe_to(step.next, step.after);
    nominal.observe_to(step.state, step.before);
    step.change = step.after - step.before;
  };
  return {.change = change_by(in_place),
          .in_place = in_place,
          .acted = spec.action_bounds.size(),
          .whole = true,
          .words = fmt::format("nominal model '{}'", own.name)};
}

}  // namespace rhc
