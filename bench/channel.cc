// How long does a measurement take through the fast channel, and an action back?
//   channel [rate=1000] [frames=5000] [values=4]
// A process with the client in C measures so many times a second; this one answers each measurement
// at once. The times are those of the plant, from sending until the action for it is there.
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "rhc/core/durations.h"
#include "rhc/core/stopwatch.h"
#include "rhc/plant/channel_plant.h"
#include "rhc_channel.h"

namespace {

using namespace rhc;

// As many observations as it is told, and one action.
struct Echoing {
  int values;
  double time_step;
  SystemSpec spec() const {
    SystemSpec spec{};
    spec.name = "echo";
    spec.time_step = time_step;
    spec.horizon = 1;
    spec.start = Vector::Zero(values);
    for (int i = 0; i < values; ++i) spec.state.push_back({fmt::format("x{}", i), ""});
    spec.observation = spec.state;
    spec.action = {{"u", ""}};
    spec.action_bounds = {Vector::Constant(1, -1), Vector::Constant(1, 1)};
    spec.limits = Box::unbounded(values);
    spec.region = {Vector::Constant(values, -1), Vector::Constant(values, 1)};
    spec.task = {.target = Vector::Zero(values),
                 .weight = Vector::Zero(values),
                 .action_weight = Vector::Zero(1)};
    return spec;
  }
  Vector step(const Vector& state, const Vector&) const { return state; }
};

void sleep_until(std::int64_t when) {
  const timespec at{when / 1000000000, when % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) != 0) continue;
}

// The plant's process; ends without returning.
[[noreturn]] void measure(const std::string& path, int rate, int frames, int values) {
  rhc_channel channel;
  if (rhc_channel_listen(&channel, path.c_str(), static_cast<unsigned>(values), 1, 1.0 / rate) != 0)
    _exit(1);
  while (!rhc_channel_accept(&channel, 1000)) continue;
  const std::vector<double> state(static_cast<std::size_t>(values), 0.5);
  Durations there_and_back;
  std::int64_t due = rhc_channel_now();
  int unanswered = 0;
  for (int i = 0; i < frames; ++i) {
    due += 1000000000 / rate;
    sleep_until(due);
    const std::int64_t sent = rhc_channel_now();
    rhc_channel_send(&channel, state.data(), 0, nullptr);
    double action = 0;
    int heard = RHC_NOTHING;
    // Until the next one is due.
    while (heard == RHC_NOTHING && rhc_channel_now() < due + 1000000000 / rate) {
      pollfd end{channel.controller, POLLIN, 0};
      const std::int64_t left = due + 1000000000 / rate - rhc_channel_now();
      const timespec wait{0, std::max<std::int64_t>(left, 0)};
      ppoll(&end, 1, &wait, nullptr);
      heard = rhc_channel_receive(&channel, &action);
    }
    if (heard == RHC_ACTION)
      there_and_back.add(1e-9 * static_cast<double>(rhc_channel_now() - sent));
    else
      ++unanswered;
  }
  fmt::print(
      "{} measurements of {} numbers at {} Hz: an action came back after {:.1f} us in the "
      "median,\n{:.1f} in 99 of 100, {:.1f} in 999 of 1,000, {:.1f} at most; {} within a "
      "period not at all\n",
      frames, values, rate, 1e6 * there_and_back.quantile(0.5), 1e6 * there_and_back.quantile(0.99),
      1e6 * there_and_back.quantile(0.999), 1e6 * there_and_back.longest(), unanswered);
  std::fflush(stdout);
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  int rate = 1000, frames = 5000, values = 4;
  bench::read_arguments(argc, argv, {{"rate", &rate}, {"frames", &frames}, {"values", &values}});
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("rhc-bench-{}.sock", getpid()))
          .string();
  const pid_t child = fork();
  if (child == 0) measure(path, rate, frames, values);
  while (!std::filesystem::exists(path)) usleep(1000);
  try {
    ChannelPlant plant(path, Echoing{values, 1.0 / rate}, 1.0 / rate, 10, [] {});
    Vector seen;
    const Vector action = Vector::Constant(1, 0.25);
    double cpu = thread_cpu_seconds();
    for (;;) {
      const Heard heard = plant.wait(live_now() + live_seconds(1), seen);
      if (heard.kind == Heard::gone) break;
      if (heard.kind == Heard::measured) plant.send(action);
    }
    cpu = thread_cpu_seconds() - cpu;
    fmt::print("The controller's end took {:.1f} us of its processor for each\n",
               1e6 * cpu / frames);
  } catch (const std::exception& error) {
    fmt::print(stderr, "channel: {}\n", error.what());
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::filesystem::remove(path);
  return WEXITSTATUS(status);
}
