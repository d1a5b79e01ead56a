#include "rhc/run/control_run.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "rhc/plant/live_simulation.h"
#include "rhc/run/solve_run.h"
#include "rhc/system/pendulum.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

constexpr double kPeriodSeconds = 0.08;
constexpr LiveTime kPeriod = live_seconds(kPeriodSeconds);

// A simulated pendulum in a time of its own that does something wrong at some of its measurements.
class Troubled final : public LivePlant {
 public:
  enum Trouble { none, lost, late, far, nonsense, stopped, gone, ended };

  explicit Troubled(LiveClock clock)
      : clock_(clock), inner_(Pendulum{}, {}, RandomStream(1, "troubled"), clock, kPeriod) {}

  void begin(const Vector& start) override { inner_.begin(start); }
  bool send(const Vector& action) override {
    sent_at.push_back(clock_.now());
    if (on_send) on_send(static_cast<int>(sent_at.size()));
    if (takes_nothing) return false;
    sent.push_back(action[0]);
    return inner_.send(action);
  }
  Heard wait(LiveTime until, Vector& observation) override {
    if (kept_ && due_ <= until) {
      clock_.sleep_until(due_);
      observation = *std::exchange(kept_, std::nullopt);
      return {.kind = Heard::measured, .at = clock_.now()};
    }
    Heard heard = inner_.wait(until, observation);
    if (heard.kind != Heard::measured) return heard;
    const int number = measured++;
    switch (trouble(number)) {
      case none:
        return heard;
      case lost:
        return {};
      case late:
        kept_ = observation;
        due_ = clock_.now() + 3 * kPeriod / 5;
        return {};
      case far:
        observation += Eigen::Vector3d(0, 0, 1000);
        return heard;
      case nonsense:
        return {.kind = Heard::nonsense, .why = "hello, world"};
      case stopped:
        return {.kind = Heard::stopped, .why = "the door is open"};
      case gone:
        return {.kind = Heard::gone, .why = "exit code 3"};
      case ended:
        heard.ended = true;
        return heard;
    }
    return {};
  }
  void rest(const Vector& action) override { rests.push_back(action[0]); }
  void close() override {}

  std::function<Trouble(int)> trouble = [](int) { return none; };
  std::function<void(int)> on_send;  // before the action of this number
  bool takes_nothing = false;
  int measured = 0;
  std::vector<double> sent, rests;
  std::vector<LiveTime> sent_at;

 private:
  LiveClock clock_;
  LiveSimulation inner_;
  std::optional<Vector> kept_;
  LiveTime due_ = 0;
};

class ControlRun : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new TemporaryDirectory;
    const auto run = explored(dir_->path() / "run", small_config("pendulum", 2));
    solution_ = new Solution(solve_run(read_run(run), {}));
  }
  static void TearDownTestSuite() {
    delete solution_;
    delete dir_;
  }

  ControlRun() : clock(simulated_clock()), plant(clock) { loop.period = kPeriodSeconds; }

  static SystemSpec spec() { return solution_->spec; }

  ControlSummary run(double seconds, const SystemSpec& spec) {
    Controller controller(solution_->model, spec, {.iterations = 2});
    controller.start(solution_->before, solution_->plan.actions);
    loop.seconds = seconds;
    return control(controller, plant, clock, spec.start, loop, log.get(), [this] {
      return stop_after >= 0 && static_cast<int>(plant.sent_at.size()) >= stop_after;
    });
  }
  ControlSummary run(double seconds = 50 * kPeriodSeconds) { return run(seconds, spec()); }

  // From this measurement on, so many.
  void with(Troubled::Trouble what, int first, int count = 1) {
    plant.trouble = [=](int number) {
      return number >= first && number < first + count ? what : Troubled::none;
    };
  }

  static TemporaryDirectory* dir_;
  static Solution* solution_;
  LiveClock clock;
  Troubled plant;
  ControlLoopSettings loop;
  std::unique_ptr<ControlLog> log;
  int stop_after = -1;
};

TemporaryDirectory* ControlRun::dir_ = nullptr;
Solution* ControlRun::solution_ = nullptr;

TEST_F(ControlRun, TakesItsTimeAndRestsAtTheEnd) {
  const TemporaryDirectory where;
  log = std::make_unique<ControlLog>(where.path(), spec());
  const ControlSummary summary = run();
  log->finish();
  EXPECT_EQ(summary.ending, ControlEnding::done);
  EXPECT_EQ(summary.steps, 50u);
  EXPECT_EQ(plant.measured, 51) << "what came of the last action, too";
  EXPECT_EQ(summary.seconds, 50 * kPeriodSeconds);
  ASSERT_EQ(plant.sent.size(), 50u);
  EXPECT_EQ(plant.rests, std::vector<double>{0.0});
  for (std::size_t i = 1; i < 50; ++i) EXPECT_EQ(plant.sent_at[i] - plant.sent_at[i - 1], kPeriod);
  EXPECT_EQ(summary.missed_deadlines(), 0u);
  EXPECT_EQ(summary.no_measurement, 0u);
  EXPECT_EQ(summary.sources.at("plan"), 50u);
  EXPECT_GT(summary.cost, 0);
  EXPECT_EQ(summary.act.count(), 50u);
  const std::string text = slurp(log->file(".csv"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 51);
  EXPECT_NE(in_words(summary).find("Done after 4.0 s, 50 steps of 80 ms."), std::string::npos)
      << in_words(summary);
}

// Where time passes only while it is waited for.
TEST_F(ControlRun, IsTheSameEveryTime) {
  run();
  const std::vector<double> once = std::exchange(plant.sent, {});
  plant.sent_at.clear();
  run();
  EXPECT_EQ(plant.sent, once);
}

TEST_F(ControlRun, GoesOnWithoutAFewMeasurements) {
  with(Troubled::lost, 10, 5);
  const ControlSummary summary = run();
  EXPECT_EQ(summary.ending, ControlEnding::done);
  EXPECT_EQ(summary.steps, 50u);
  EXPECT_EQ(summary.no_measurement, 5u);
  EXPECT_EQ(plant.sent.size(), 50u) << "an action is sent all the same";
}

// Later than it is waited for: the step does without, and the next one has it.
TEST_F(ControlRun, WaitsForALateMeasurementNotTooLong) {
  with(Troubled::late, 10);
  const ControlSummary summary = run();
  EXPECT_EQ(summary.ending, ControlEnding::done);
  EXPECT_EQ(summary.no_measurement, 1u);
  for (std::size_t i = 1; i < plant.sent_at.size(); ++i)
    EXPECT_LE(plant.sent_at[i] - plant.sent_at[i - 1], 2 * kPeriod);
  EXPECT_EQ(summary.missed_deadlines(), 0u) << "that is not the controller's fault";
}

TEST_F(ControlRun, DoesNotBelieveOneAbsurdMeasurement) {
  with(Troubled::far, 10);
  const ControlSummary summary = run();
  EXPECT_EQ(summary.ending, ControlEnding::done);
  EXPECT_EQ(summary.absurd, 1u);
  EXPECT_EQ(summary.steps, 50u);
}

TEST_F(ControlRun, CountsNonsenseAndSaysWhatItWas) {
  with(Troubled::nonsense, 10, 2);
  const ControlSummary summary = run();
  EXPECT_EQ(summary.ending, ControlEnding::done);
  EXPECT_EQ(summary.nonsense, 2u);
  EXPECT_EQ(summary.no_measurement, 2u);
  EXPECT_EQ(summary.first_nonsense, "hello, world");
}

// The last plan, the gains, rest; and then an end.
TEST_F(ControlRun, ComesToRestAndGivesUpWhenNothingIsMeasuredAnyMore) {
  with(Troubled::lost, 10, 100000);
  const ControlSummary summary = run(1000);
  EXPECT_EQ(summary.ending, ControlEnding::given_up);
  EXPECT_NE(summary.why.find("nothing that could be believed was measured"), std::string::npos);
  EXPECT_LT(summary.steps, 100u);
  EXPECT_GE(summary.sources.at("rest"), 25u);
  EXPECT_EQ(plant.sent.back(), 0);
  EXPECT_EQ(plant.rests, std::vector<double>{0.0});
}

TEST_F(ControlRun, SendsRestBeforeAnythingElseWhenThePlantStops) {
  with(Troubled::stopped, 10);
  const ControlSummary summary = run();
  EXPECT_EQ(summary.ending, ControlEnding::stopped);
  EXPECT_EQ(summary.why, "the door is open");
  EXPECT_EQ(plant.sent.size(), 10u);
  EXPECT_EQ(plant.rests, std::vector<double>{0.0});
  EXPECT_NE(in_words(summary).find("The plant stopped after 0.8 s, 10 steps of 80 ms: the door is "
                                   "open\nThe plant was sent the action at rest.\n"),
            std::string::npos)
      << in_words(summary);
}

TEST_F(ControlRun, EndsWhereThePlantIsGoneOrEndsTheEpisode) {
  with(Troubled::gone, 10);
  ControlSummary summary = run();
  EXPECT_EQ(summary.ending, ControlEnding::gone);
  EXPECT_EQ(summary.why, "exit code 3");
  EXPECT_EQ(plant.rests.size(), 1u) << "it may still be heard";
  plant.measured = 0;
  with(Troubled::ended, 10);
  summary = run();
  EXPECT_EQ(summary.ending, ControlEnding::ended);
  EXPECT_EQ(summary.steps, 10u);
  EXPECT_EQ(plant.rests.size(), 2u);
}

TEST_F(ControlRun, EndsBeforeItsFirstStepToo) {
  with(Troubled::stopped, 0);
  EXPECT_EQ(run().ending, ControlEnding::stopped);
  EXPECT_TRUE(plant.sent.empty());
  EXPECT_EQ(plant.rests.size(), 1u);
  plant.measured = 0;
  with(Troubled::lost, 0, 1000000);
  loop.start_timeout = 2;
  const ControlSummary summary = run();
  EXPECT_EQ(summary.ending, ControlEnding::given_up);
  EXPECT_EQ(summary.why, "it measured nothing within 2 s");
  EXPECT_TRUE(plant.sent.empty());
}

TEST_F(ControlRun, SendsRestBeforeAnythingElseWhenAPersonStops) {
  for (const int steps : {0, 1, 17}) {
    plant.sent.clear();
    plant.sent_at.clear();
    plant.rests.clear();
    stop_after = steps;
    const ControlSummary summary = run();
    EXPECT_EQ(summary.ending, ControlEnding::interrupted);
    EXPECT_EQ(plant.sent.size(), static_cast<std::size_t>(steps));
    EXPECT_EQ(plant.rests, std::vector<double>{0.0});
  }
}

// A clock that jumps, or a processor that was away: nothing is done twice as fast afterwards.
TEST_F(ControlRun, GoesOnFromNowAfterStepsThatWereMissed) {
  plant.on_send = [this](int number) {
    if (number == 20) clock.sleep_until(clock.now() + 15 * kPeriod / 2);
  };
  const ControlSummary summary = run(100 * kPeriodSeconds);
  EXPECT_EQ(summary.ending, ControlEnding::done);
  EXPECT_EQ(summary.missed_steps, 6u);
  EXPECT_EQ(summary.delays, 1u);
  EXPECT_EQ(summary.sent_late, 1u) << "the action that was being sent";
  EXPECT_NEAR(summary.longest_delay, 6.5 * kPeriodSeconds, 1e-9);
  EXPECT_LE(summary.steps, 94u);
  for (std::size_t i = 20; i < plant.sent_at.size(); ++i)
    EXPECT_GE(plant.sent_at[i] - plant.sent_at[i - 1], kPeriod / 2);
  EXPECT_NE(in_words(summary).find("7 deadlines were missed"), std::string::npos)
      << in_words(summary);
  EXPECT_NE(in_words(summary).find("the processor was busy elsewhere, or the clock jumped"),
            std::string::npos);
}

TEST_F(ControlRun, RestsUntilItSeesAgainAfterAVeryLongDelay) {
  plant.on_send = [this](int number) {
    if (number == 20) clock.sleep_until(clock.now() + live_seconds(3600));
  };
  with(Troubled::lost, 20, 1);
  const ControlSummary summary = run(3610);
  EXPECT_EQ(summary.ending, ControlEnding::done);
  EXPECT_GT(summary.missed_steps, 44000u);
  EXPECT_GE(summary.falls.at("blind"), 1u);
}

TEST_F(ControlRun, GivesUpAPlantThatTakesNoActions) {
  plant.takes_nothing = true;
  const ControlSummary summary = run();
  EXPECT_EQ(summary.ending, ControlEnding::given_up);
  EXPECT_EQ(summary.why, "it took no action for 25 steps");
  EXPECT_EQ(summary.not_taken, 25u);
  EXPECT_EQ(plant.rests.size(), 1u);
}

// No faster than the machine allows, also on the way to rest.
TEST_F(ControlRun, ComesToRestNoFasterThanActionsMayChange) {
  SystemSpec limited = spec();
  limited.safety.rate = Vector::Constant(1, 2.5);  // 0.2 in a step
  with(Troubled::stopped, 15);
  const ControlSummary summary = run(100, limited);
  EXPECT_EQ(summary.ending, ControlEnding::stopped);
  ASSERT_GE(plant.sent.size(), 15u);
  double before = 0;
  plant.sent.push_back(plant.rests.back());
  for (const double action : plant.sent) {
    EXPECT_LE(std::abs(action - before), 0.2 + 1e-12);
    before = action;
  }
}

// A plant whose clock goes slower or faster than ours leads.
class OwnClock final : public LivePlant {
 public:
  OwnClock(LiveClock clock, LiveTime period, LiveTime first, LiveTime delay)
      : clock_(clock), period_(period), due_(clock.now() + first + delay), delay_(delay) {}
  void begin(const Vector&) override {}
  bool send(const Vector&) override { return true; }
  Heard wait(LiveTime until, Vector& observation) override {
    if (due_ > until) {
      clock_.sleep_until(until);
      return {};
    }
    clock_.sleep_until(due_);
    observation = Pendulum{}.observe(Pendulum{}.spec().start);
    due_ += period_;
    return {.kind = Heard::measured, .at = due_ - period_ - delay_};
  }
  void rest(const Vector&) override {}
  void close() override {}
  bool has_own_clock() const override { return true; }

 private:
  LiveClock clock_;
  const LiveTime period_;
  LiveTime due_;  // when the next one is there
  const LiveTime delay_;
};

TEST_F(ControlRun, FollowsThePlantsClock) {
  for (const double faster : {0.99, 0.9999, 1.0, 1.0001, 1.01})
    for (const double first : {0.0, 0.4, 0.9})
      for (const double delay : {0.0, 0.001, 0.3, 0.7}) {
        SCOPED_TRACE(testing::Message() << faster << " " << first << " " << delay);
        OwnClock other(clock, live_seconds(faster * kPeriodSeconds),
                       live_seconds(first * kPeriodSeconds), live_seconds(delay * kPeriodSeconds));
        Controller controller(solution_->model, spec(), {.iterations = 0});
        controller.start(solution_->before, solution_->plan.actions);
        loop.seconds = 500 * kPeriodSeconds;
        const ControlSummary summary =
            control(controller, other, clock, spec().start, loop, nullptr, [] { return false; });
        EXPECT_EQ(summary.ending, ControlEnding::done);
        EXPECT_LE(summary.no_measurement, 1u);
        EXPECT_NEAR(static_cast<double>(summary.steps), 500 / faster, 6);
        EXPECT_EQ(summary.missed_deadlines(), 0u);
      }
}

}  // namespace
}  // namespace rhc
