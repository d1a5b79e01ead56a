#include "python/interruptible.h"

#include <nanobind/nanobind.h>

#include <utility>

#include "rhc/core/error.h"

namespace rhc::python {

namespace {

using Clock = std::chrono::steady_clock;
constexpr Clock::duration kInterval = std::chrono::milliseconds(50);

class Interruptible final : public Objective {
 public:
  Interruptible(std::unique_ptr<Objective> objective, Signals& signals)
      : objective_(std::move(objective)), signals_(signals) {}

  double evaluate(const Rollout& rollout) override {
    signals_.look();
    return objective_->evaluate(rollout);
  }
  void expand(const Rollout& rollout, Expansion& at) override { objective_->expand(rollout, at); }
  double sign() const override { return objective_->sign(); }

 private:
  std::unique_ptr<Objective> objective_;
  Signals& signals_;
};

}  // namespace

Signals::Signals() : caller_(std::this_thread::get_id()), next_(Clock::now() + kInterval) {}

void Signals::look() {
  if (stop_) throw Interrupted{};
  if (std::this_thread::get_id() != caller_ || Clock::now() < next_) return;
  next_ = Clock::now() + kInterval;
  const nanobind::gil_scoped_acquire python;
  if (PyErr_CheckSignals() == 0) return;
  stop_ = true;
  throw Interrupted{};
}

std::unique_ptr<Objective> interruptible(std::unique_ptr<Objective> objective, Signals& signals) {
  return std::make_unique<Interruptible>(std::move(objective), signals);
}

}  // namespace rhc::python
