#include "rhc/run/control_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "rhc/core/stopwatch.h"

namespace rhc {

namespace {

// A person who wants to stop is heard so soon.
constexpr LiveTime kHearAPerson = live_seconds(0.05);
// So long, or for so many steps, the action may take on its way to rest.
constexpr LiveTime kLongestWayToRest = live_seconds(5);
constexpr int kMostStepsToRest = 200;
// Missed steps that the estimate follows; after more of them nobody knows anyway.
constexpr LiveTime kMostStepsFollowed = 100;
constexpr LiveTime kAtOnce = live_seconds(20e-6);
// By which the plant's clock draws ours after it, and how far at most in a step.
constexpr LiveTime kDrawsBy = 8, kDrawsAtMost = 50;

constexpr std::array kSources = {ActionSource::plan, ActionSource::last_plan,
                                 ActionSource::regulator, ActionSource::rest};
constexpr std::array kFalls = {Fall::none, Fall::late, Fall::plan_ended, Fall::blind,
                               Fall::not_finite};

class ControlLoop {
 public:
  ControlLoop(Controller& controller, LivePlant& plant, const LiveClock& clock,
              const ControlLoopSettings& settings, ControlLog* log,
              const std::function<bool()>& stop_requested)
      : controller_(controller),
        plant_(plant),
        clock_(clock),
        settings_(settings),
        log_(log),
        stop_requested_(stop_requested),
        seconds_([&clock] { return 1e-9 * static_cast<double>(clock.now()); }),
        period_(live_seconds(settings.period)),
        rest_(controller.spec().action_bounds.clip(action_at_rest(controller.spec()))),
        seen_(Vector::Zero(controller.spec().outputs())),
        newer_(seen_),
        last_sent_(rest_),
        no_plan_(Vector()) {}

  ControlSummary run(const Vector& start);

 private:
  bool going() const { return going_; }
  void end(ControlEnding ending, std::string why);
  void listen(LiveTime until, LiveTime at_last);
  void take(Heard& heard);
  void begin(const Vector& start);
  void step();
  LiveTime next_tick() const;
  void fall_behind(LiveTime next);
  void note(double act, double prepare);
  void come_to_rest();
  void sum_up();

  Controller& controller_;
  LivePlant& plant_;
  const LiveClock& clock_;
  const ControlLoopSettings& settings_;
  ControlLog* const log_;
  const std::function<bool()>& stop_requested_;
  const Clock seconds_;
  const LiveTime period_;
  const Vector rest_;

  bool going_ = true;
  LiveTime begun_ = 0, tick_ = 0;  // the first step's beginning, and this one's
  ControlTick now_;
  bool measured_ = false, ended_ = false;
  LiveTime listening_since_ = 0, measured_at_ = 0, came_ = 0;
  Vector seen_, newer_, last_sent_;
  const Vector no_plan_;
  int helpless_ = 0, not_taken_ = 0;  // steps in a row
  std::array<std::uint64_t, kSources.size()> sources_{};
  std::array<std::uint64_t, kFalls.size()> falls_{};
  ControlSummary summary_;
};

void ControlLoop::end(ControlEnding ending, std::string why) {
  if (!going_) return;
  going_ = false;
  summary_.ending = ending;
  summary_.why = std::move(why);
}

// Hears what comes until a moment, and where nothing has been measured by then, a little longer.
// The newest counts.
void ControlLoop::listen(LiveTime until, LiveTime at_last) {
  listening_since_ = clock_.now();
  for (bool looked = false; going(); looked = true) {
    if (stop_requested_()) return end(ControlEnding::interrupted, "");
    const LiveTime now = clock_.now(), last = measured_ ? until : at_last;
    if (looked && now >= last) return;
    Heard heard = plant_.wait(std::min(last, now + kHearAPerson), newer_);
    take(heard);
  }
}

void ControlLoop::take(Heard& heard) {
  switch (heard.kind) {
    case Heard::nothing:
      return;
    case Heard::measured:
      seen_.swap(newer_);
      measured_ = true;
      measured_at_ = heard.at;
      ended_ = ended_ || heard.ended;
      now_.late = 1e-9 * static_cast<double>(std::max<LiveTime>(0, clock_.now() - tick_));
      // What was there already came some time after it was measured.
      came_ = clock_.now() > listening_since_ + kAtOnce ? clock_.now() : heard.at;
      return;
    case Heard::nonsense:
      now_.trouble |= kNonsense;
      if (summary_.first_nonsense.empty()) summary_.first_nonsense = std::move(heard.why);
      return;
    case Heard::stopped:
      return end(ControlEnding::stopped, std::move(heard.why));
    case Heard::gone:
      return end(ControlEnding::gone, std::move(heard.why));
  }
}

void ControlLoop::begin(const Vector& start) {
  plant_.begin(start);
  tick_ = clock_.now();
  const LiveTime patience = tick_ + live_seconds(settings_.start_timeout);
  while (going() && !measured_ && clock_.now() < patience)
    listen(0, std::min(patience, clock_.now() + kHearAPerson));
  if (!measured_)
    end(ControlEnding::given_up,
        fmt::format("it measured nothing within {} s", settings_.start_timeout));
  begun_ = tick_ = clock_.now();
  now_.late = 0;
}

ControlSummary ControlLoop::run(const Vector& start) {
  const double stolen = stolen_seconds();
  summary_.period = settings_.period;
  begin(start);
  const LiveTime length = live_seconds(settings_.seconds);
  while (going()) {
    if (tick_ - begun_ < length) {
      step();
      continue;
    }
    // The last action has its time, too.
    listen(tick_, tick_);
    end(ControlEnding::done, "");
  }
  come_to_rest();
  summary_.seconds = 1e-9 * static_cast<double>(clock_.now() - begun_);
  summary_.stolen_seconds = stolen_seconds() - stolen;
  sum_up();
  return std::move(summary_);
}

void ControlLoop::step() {
  now_.time = 1e-9 * static_cast<double>(tick_ - begun_);
  listen(tick_, tick_ + static_cast<LiveTime>(settings_.late * static_cast<double>(period_)));
  if (!going()) return;
  // What waited in a queue for longer than a step says where the system was, not where it is.
  if (measured_ && plant_.has_own_clock() && measured_at_ < tick_ - 3 * period_ / 2)
    measured_ = false;
  if (!measured_) now_.trouble |= kNoMeasurement;
  if (ended_) return end(ControlEnding::ended, "it ended the episode");

  const double entered = thread_cpu_seconds();
  const Vector& action = controller_.act(measured_ ? &seen_ : nullptr);
  const double acted = thread_cpu_seconds();
  const bool taken = plant_.send(action);
  const LiveTime left = clock_.now() - tick_;
  now_.left = 1e-9 * static_cast<double>(left);
  if (taken) {
    last_sent_ = action;
  } else {
    now_.trouble |= kNotTaken;
    controller_.carried_out(last_sent_);
  }
  if (now_.left > settings_.deadline * settings_.period) now_.trouble |= kLeftLate;

  const LiveTime next = next_tick();
  const double until = 1e-9 * static_cast<double>(next) - settings_.margin * settings_.period;
  const double sent = thread_cpu_seconds();
  controller_.prepare(Deadline::at_time(seconds_, until));
  note(acted - entered, thread_cpu_seconds() - sent);
  measured_ = false;
  now_ = {};
  fall_behind(next);
}

// On an absolute schedule, which follows slowly where the plant's clock leads: shortly before a
// step something should have been measured.
LiveTime ControlLoop::next_tick() const {
  if (!measured_) return tick_ + period_;
  const LiveTime most = period_ / kDrawsAtMost;
  const LiveTime ahead = plant_.has_own_clock() ? std::min(period_ / 20, live_seconds(0.001)) : 0;
  const LiveTime since = plant_.has_own_clock() ? came_ - (tick_ - ahead) : live_seconds(now_.late);
  return tick_ + period_ + std::clamp(since / kDrawsBy, plant_.has_own_clock() ? -most : 0, most);
}

// Whoever missed whole steps, because the processor was busy or the clock jumped, goes on from now
// instead of rushing after them. The plant has held its last action meanwhile.
void ControlLoop::fall_behind(LiveTime next) {
  const LiveTime now = clock_.now();
  tick_ = next;
  if (now < next + period_) return;
  const LiveTime missed = (now - next) / period_;
  for (LiveTime i = 0; i < std::min(missed, kMostStepsFollowed); ++i) {
    controller_.act(nullptr);
    controller_.carried_out(last_sent_);
  }
  tick_ = now;
  now_.missed = missed;
  now_.trouble |= kBehind;
  ++summary_.delays;
  summary_.missed_steps += static_cast<std::uint64_t>(missed);
  summary_.longest_delay = std::max(summary_.longest_delay, 1e-9 * static_cast<double>(now - next));
}

void ControlLoop::note(double act, double prepare) {
  const ControlStep& last = controller_.last();
  now_.act = act;
  now_.prepare = prepare;
  ++summary_.steps;
  summary_.act.add(act);
  summary_.step.add(act + prepare);
  summary_.sent.add(now_.left);
  const auto count = [](bool it_did, std::uint64_t& times) { times += it_did ? 1 : 0; };
  count((now_.trouble & kLeftLate) != 0, summary_.sent_late);
  count((now_.trouble & kNoMeasurement) != 0, summary_.no_measurement);
  count((now_.trouble & kNonsense) != 0, summary_.nonsense);
  count((now_.trouble & kNotTaken) != 0, summary_.not_taken);
  count(last.measured == MeasuredAs::absurd, summary_.absurd);
  count(last.measured == MeasuredAs::believed, summary_.believed);
  count(last.learned, summary_.learned);
  ++sources_[static_cast<std::size_t>(last.source)];
  ++falls_[static_cast<std::size_t>(last.fall)];
  const bool known = measured_ && last.measured != MeasuredAs::absurd;
  summary_.cost +=
      controller_.task().stage_cost(known ? seen_ : last.estimate, last_sent_, last.step);
  if (log_) {
    const Index at = last.step - controller_.plan_begin() - controller_.delay();
    const ConstMatrixRef planned = controller_.planned_observations();
    // The plan that `prepare` has made begins with the next step: what it knows of this one was
    // expected.
    if (at >= 0 && at < planned.cols())
      log_->add(now_, last, planned.col(at));
    else
      log_->add(now_, last, last.expected);
  }

  const bool helpless = last.source == ActionSource::rest &&
                        (last.fall == Fall::blind || last.fall == Fall::not_finite);
  helpless_ = helpless ? helpless_ + 1 : 0;
  not_taken_ = (now_.trouble & kNotTaken) != 0 && measured_ ? not_taken_ + 1 : 0;
  if (helpless_ >= settings_.give_up_after)
    end(ControlEnding::given_up,
        last.fall == Fall::blind
            ? fmt::format("nothing that could be believed was measured for {} steps", last.in_a_row)
            : std::string("neither the plan nor its gains are finite numbers"));
  if (not_taken_ >= settings_.give_up_after)
    end(ControlEnding::given_up, fmt::format("it took no action for {} steps", not_taken_));
}

// No faster than actions may change, and then whatever still waits.
void ControlLoop::come_to_rest() {
  const LiveTime until = clock_.now() + kLongestWayToRest;
  LiveTime next = clock_.now();
  for (int i = 0; i < kMostStepsToRest && clock_.now() < until; ++i) {
    const Vector& action = controller_.towards_rest();
    if ((action - rest_).lpNorm<Eigen::Infinity>() == 0) break;
    plant_.send(action);
    next += period_;
    Heard heard;
    while (heard.kind != Heard::gone && clock_.now() < next)
      heard = plant_.wait(std::min(next, clock_.now() + kHearAPerson), newer_);
    if (heard.kind == Heard::gone) break;
  }
  plant_.rest(rest_);
}

void ControlLoop::sum_up() {
  for (std::size_t i = 0; i < kSources.size(); ++i)
    if (sources_[i] > 0) summary_.sources[std::string(name(kSources[i]))] = sources_[i];
  for (std::size_t i = 0; i < kFalls.size(); ++i)
    if (falls_[i] > 0 && kFalls[i] != Fall::none)
      summary_.falls[std::string(name(kFalls[i]))] = falls_[i];
  summary_.dropped = plant_.dropped();
  if (log_) summary_.log_lost = log_->lost();
}

}  // namespace

ControlSummary control(Controller& controller, LivePlant& plant, const LiveClock& clock,
                       const Vector& start, const ControlLoopSettings& settings, ControlLog* log,
                       const std::function<bool()>& stop_requested) {
  try {
    return ControlLoop(controller, plant, clock, settings, log, stop_requested).run(start);
  } catch (...) {
    const SystemSpec& spec = controller.spec();
    plant.rest(spec.action_bounds.clip(action_at_rest(spec)));
    throw;
  }
}

}  // namespace rhc
