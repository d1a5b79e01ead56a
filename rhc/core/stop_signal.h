// A wish to stop, which all threads of something long hear of.
#pragma once

#include <functional>
#include <memory>

namespace rhc {

// Copies hear of the same answer.
class StopSignal {
 public:
  StopSignal() = default;  // nobody wishes to stop
  // What is asked may belong to the thread that makes this: no other one asks it.
  explicit StopSignal(std::function<bool()> requested);

  // Throws Interrupted where somebody wished to stop.
  void check() const;
  // Asks without throwing: those that check hear of it.
  void ask() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rhc
