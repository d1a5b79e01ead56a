#include "rhc/core/stop_signal.h"

#include <atomic>
#include <thread>
#include <utility>

#include "rhc/core/error.h"

namespace rhc {

struct StopSignal::State {
  std::function<bool()> requested;
  std::thread::id owner = std::this_thread::get_id();
  std::atomic<bool> stopped{false};
};

StopSignal::StopSignal(std::function<bool()> requested) {
  if (!requested) return;
  state_ = std::make_shared<State>();
  state_->requested = std::move(requested);
}

void StopSignal::ask() const {
  if (!state_ || state_->stopped || std::this_thread::get_id() != state_->owner) return;
  if (state_->requested()) state_->stopped = true;
}

void StopSignal::check() const {
  ask();
  if (state_ && state_->stopped) throw Interrupted{};
}

}  // namespace rhc
