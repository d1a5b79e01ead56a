// A system that can be explored: any type with a spec and a step.
#pragma once

#include <concepts>
#include <memory>
#include <utility>
#include <vector>

#include "rhc/core/random.h"
#include "rhc/system/shape.h"
#include "rhc/system/spec.h"

namespace rhc {

// What a user's type must have: `SystemSpec spec() const` and `Vector step(state, action) const`.
template <class T>
concept Steppable = requires(const T& system, const Vector& state, const Vector& action) {
  { system.spec() } -> std::convertible_to<SystemSpec>;
  { system.step(state, action) } -> std::convertible_to<Vector>;
};

// What it may have besides: `Vector observe(state) const`; without it the state is observed.
template <class T>
concept Observing = requires(const T& system, const Vector& state) {
  { system.observe(state) } -> std::convertible_to<Vector>;
};

// The class that a member function stands in.
template <class Member>
struct ClassOf;
template <class Result, class Class, class... Arguments>
struct ClassOf<Result (Class::*)(Arguments...) const> {
  using type = Class;
};

// Both in place, for who makes many steps and may not allocate: `void step_to(state, action, next)
// const` and `void observe_to(state, seen) const`. Where a derived class has another `step`, that
// of its base in place is of another system.
template <class T>
concept SteppableInPlace = requires(const T& system, const Vector& state, Vector& next) {
  system.step_to(state, state, next);
  requires std::same_as < typename ClassOf<decltype(&T::step)>::type,
  typename ClassOf<decltype(&T::step_to)>::type > ;
};
template <class T>
concept ObservingInPlace = requires(const T& system, const Vector& state, Vector& seen) {
  system.observe_to(state, seen);
  requires std::same_as < typename ClassOf<decltype(&T::observe)>::type,
  typename ClassOf<decltype(&T::observe_to)>::type > ;
};

// And, to be drawn in reports: `std::vector<Shape> shapes() const`, and `Vector pose(observation)
// const` with x, y and x, y of the ends of each shape that moves.
template <class T>
concept Drawable = requires(const T& system, const Vector& observation) {
  { system.shapes() } -> std::convertible_to<std::vector<Shape>>;
  { system.pose(observation) } -> std::convertible_to<Vector>;
};

class System {
 public:
  template <Steppable T>
  requires(!std::same_as<std::remove_cvref_t<T>, System>) System(T system)
      : impl_(std::make_shared<Holder<T>>(std::move(system))) {  // NOLINT: by design
    check(impl_->spec);
  }

  const SystemSpec& spec() const { return impl_->spec; }

  // The next internal state; the action is clipped to its bounds.
  Vector step(const Vector& state, const Vector& action) const {
    return impl_->step(state, spec().action_bounds.clip(action));
  }

  Vector observe(const Vector& state) const { return impl_->observe(state); }

  // The same in place; the action is clipped where it is. Allocates only where the system has no
  // `step_to` of its own.
  void step_to(const Vector& state, Vector& action, Vector& next) const {
    const Box& bounds = spec().action_bounds;
    action = action.cwiseMax(bounds.lower).cwiseMin(bounds.upper);
    impl_->step_to(state, action, next);
  }
  void observe_to(const Vector& state, Vector& seen) const { impl_->observe_to(state, seen); }

  // Nothing where it cannot be drawn.
  std::vector<Shape> shapes() const { return impl_->shapes(); }
  Vector pose(const Vector& observation) const { return impl_->pose(observation); }

 private:
  struct Interface {
    explicit Interface(SystemSpec s) : spec(std::move(s)) {}
    virtual ~Interface() = default;
    virtual Vector step(const Vector& state, const Vector& action) const = 0;
    virtual Vector observe(const Vector& state) const = 0;
    virtual void step_to(const Vector& state, const Vector& action, Vector& next) const = 0;
    virtual void observe_to(const Vector& state, Vector& seen) const = 0;
    virtual std::vector<Shape> shapes() const = 0;
    virtual Vector pose(const Vector& observation) const = 0;
    SystemSpec spec;
  };

  template <class T>
  struct Holder final : Interface {
    explicit Holder(T s) : Interface(s.spec()), system(std::move(s)) {}
    Vector step(const Vector& state, const Vector& action) const override {
      return system.step(state, action);
    }
    Vector observe(const Vector& state) const override {
      if constexpr (Observing<T>)
        return system.observe(state);
      else
        return state;
    }
    void step_to(const Vector& state, const Vector& action, Vector& next) const override {
      if constexpr (SteppableInPlace<T>)
        system.step_to(state, action, next);
      else
        next = system.step(state, action);
    }
    void observe_to(const Vector& state, Vector& seen) const override {
      if constexpr (ObservingInPlace<T>)
        system.observe_to(state, seen);
      else if constexpr (Observing<T>)
        seen = system.observe(state);
      else
        seen = state;
    }
    std::vector<Shape> shapes() const override {
      if constexpr (Drawable<T>)
        return system.shapes();
      else
        return {};
    }
    Vector pose(const Vector& observation) const override {
      if constexpr (Drawable<T>)
        return system.pose(observation);
      else
        return {};
    }
    T system;
  };

  std::shared_ptr<const Interface> impl_;
};

// Inputs z = (observation, action) spread uniformly over the region of interest, one a column.
Matrix sample_region(const System& system, Index count, RandomStream randomness);

}  // namespace rhc
