#include "rhc/plant/process_plant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/plant/plant_protocol.h"

namespace rhc {

namespace {

constexpr double kFarewell = 5;  // seconds; one that hangs must not keep a person waiting
// A value so many times as far away as the range of interest is wide was not measured.
constexpr double kAbsurd = 1e6;

std::string named(const std::vector<Quantity>& quantities) {
  std::string text;
  for (const Quantity& quantity : quantities)
    text += fmt::format("{}{} [{}]", text.empty() ? "" : ", ", quantity.name, quantity.unit);
  return text;
}

std::string listed(const Vector& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + exact(value);
  return "[" + text + "]";
}

std::string listed(const Box& box) { return listed(box.lower) + " to " + listed(box.upper); }

}  // namespace

PlantSettings plant_settings(const Config& config) {
  return {.command = config.plant.command,
          .timeout = config.plant.timeout,
          .start_timeout = config.plant.start_timeout,
          .on_failure = config.plant.on_failure,
          .restarts = config.plant.restarts};
}

ProcessPlant::ProcessPlant(PlantSettings settings) : settings_(std::move(settings)) {}

ProcessPlant::~ProcessPlant() { close(); }

std::string ProcessPlant::hello() {
  try {
    return described_ = start_and_greet();
  } catch (const PlantFailure&) {
    // One that never began is not started again.
    give_up();
  }
}

void ProcessPlant::expect(const System& system) {
  system_ = system;
  check_agreement(described_);
}

Vector ProcessPlant::reset(const Vector& start) {
  if (!program_) {
    if (starts_ > settings_.restarts)
      throw PlantGivenUp(fmt::format(
          "the plant `{}` failed and was started again {} times already (plant_restarts = {}); at "
          "last: {}{}",
          settings_.command, starts_ - 1, settings_.restarts, last_failure_, log_.last_words()));
    check_agreement(start_and_greet());
  }
  const Vector first = measured(reset_request(++id_, start), settings_.start_timeout);
  if (ended_) fail("it ended the episode in its answer to reset, before a step was made");
  return first;
}

Vector ProcessPlant::step(const Vector& action) {
  return measured(step_request(++id_, action), settings_.timeout);
}

std::string ProcessPlant::start_and_greet() {
  ++starts_;
  program_ = std::make_unique<ChildProgram>(settings_.command,
                                            [this](std::string_view text) { log_.add(text); });
  const std::string answer = ask(hello_request(++id_), settings_.start_timeout);
  try {
    return parse_hello(answer, id_);
  } catch (const InputError& error) {
    fail(fmt::format("it answered hello with {}", error.what()));
  }
}

// A plant that is another machine than before is no failure that starting it again could mend.
void ProcessPlant::check_agreement(const std::string& described) const {
  if (described.empty() || !system_) return;
  const SystemSpec spec = described_system(described).system.spec();
  if (const std::string other = difference(spec, system_->spec()); !other.empty())
    throw InputError(
        fmt::format("the plant `{}` says that it is another system: {}", settings_.command, other));
}

Vector ProcessPlant::measured(const std::string& request, double seconds) {
  const SystemSpec& spec = system_->spec();
  const std::string answer = ask(request, seconds);
  Vector values;
  try {
    values = parse_observation(answer, id_, static_cast<Index>(spec.state.size()));
    ended_ = parse_ended(answer, id_);
  } catch (const InputError& error) {
    fail(fmt::format("it answered with {}", error.what()));
  }
  if (const std::string absurd = why_absurd(spec, values); !absurd.empty())
    fail("it measured " + absurd);
  return system_->observe(values);
}

std::string ProcessPlant::ask(const std::string& request, double seconds) {
  if (const std::string said = program_->unasked(); !said.empty()) {
    stop_if_said(said);
    fail(fmt::format("it said {} without being asked", excerpt(trim(said))));
  }
  const Answer answer = program_->ask(request, seconds, [&] {
    if (stop_requested && stop_requested()) throw Interrupted{};
  });
  stop_if_said(answer.text);
  switch (answer.kind) {
    case Answer::line:
      return answer.text;
    case Answer::timeout:
      fail(fmt::format("it did not answer {} within {} s", excerpt(request), exact(seconds)));
    case Answer::too_long:
      fail(fmt::format("it answered with a line of more than {} bytes: {}",
                       ChildProgram::kLongestLine, excerpt(answer.text)));
    case Answer::closed:
      break;
  }
  fail(how_it_ended(*program_, answer.text));
}

void ProcessPlant::fail(const std::string& what) {
  last_failure_ = what;
  program_->stop();
  const std::string last_lines = program_->unasked();
  program_.reset();
  log_.add(fmt::format("rhc: {}\n", what));
  // A button that is pressed while a plant fails is a button that is pressed.
  if (const auto why = stop_in(last_lines)) throw PlantStop(*why);
  if (settings_.on_failure == OnFailure::stop) give_up();
  const int left = settings_.restarts - starts_ + 1;
  throw PlantFailure(fmt::format("the plant `{}` failed: {} ({} restart{} left)", settings_.command,
                                 what, left, left == 1 ? "" : "s"));
}

void ProcessPlant::give_up() const {
  throw PlantGivenUp(fmt::format("the plant `{}` failed: {}{}", settings_.command, last_failure_,
                                 log_.last_words()));
}

void ProcessPlant::stop_if_said(std::string_view lines) {
  const auto why = stop_in(lines);
  if (!why) return;
  log_.add(fmt::format("rhc: it wants to stop: {}\n", *why));
  close();
  throw PlantStop(*why);
}

void ProcessPlant::close() {
  if (program_) program_->close(close_request(++id_), std::min(settings_.timeout, kFarewell));
  program_.reset();
}

std::string why_absurd(const SystemSpec& spec, const Vector& values) {
  const Box& region = spec.region;
  for (Index i = 0; i < values.size(); ++i) {
    const double width = region.upper[i] - region.lower[i];
    if (!(std::abs(values[i] - region.lower[i]) <= kAbsurd * width))
      return fmt::format("{} = {}, far beyond its range of {} to {}",
                         spec.state[static_cast<std::size_t>(i)].name, exact(values[i]),
                         exact(region.lower[i]), exact(region.upper[i]));
  }
  return "";
}

std::string how_it_ended(ChildProgram& program, std::string_view text) {
  const std::string rest = text.empty() ? "" : " in the middle of a line: " + excerpt(text);
  if (const auto how = program.ended()) return fmt::format("it ended with {}{}", *how, rest);
  return "it closed its standard output" + rest;
}

SystemFile described_system(const std::string& toml) {
  const std::string name = "the plant's system";
  try {
    return parse_system(toml, name, {});
  } catch (const InputError& error) {
    // Lines and columns are those of a text that nobody has written.
    const std::string_view what = error.what();
    const auto place = what.find_first_not_of("0123456789:", name.size());
    throw InputError(name + ":" + std::string(what.substr(std::min(place, what.size()))));
  }
}

std::string difference(const SystemSpec& a, const SystemSpec& b) {
  const auto both = [](const char* what, const std::string& x, const std::string& y) {
    return x == y ? std::string() : fmt::format("{} is {}, not {}", what, x, y);
  };
  const auto final_weight = [](const SystemSpec& s) { return listed(s.task.weight_at_end()); };
  for (const std::string& found :
       {both("its name", a.name, b.name),
        both("what it observes", named(a.observation), named(b.observation)),
        both("what it measures", named(a.state), named(b.state)),
        both("its actions", named(a.action), named(b.action)),
        both("its action bounds", listed(a.action_bounds), listed(b.action_bounds)),
        both("its time step", exact(a.time_step), exact(b.time_step)),
        both("its horizon", std::to_string(a.horizon), std::to_string(b.horizon)),
        both("its history", std::to_string(a.history), std::to_string(b.history)),
        both("its start", listed(a.start), listed(b.start)),
        both("its limits", listed(a.limits), listed(b.limits)),
        both("its range", listed(a.region), listed(b.region)),
        both("its task's target", listed(a.task.target), listed(b.task.target)),
        both("its task's weight", listed(a.task.weight), listed(b.task.weight)),
        both("its task's final weight", final_weight(a), final_weight(b)),
        both("its task's action weight", listed(a.task.action_weight),
             listed(b.task.action_weight)),
        both("its actions' rate", listed(a.safety.rate), listed(b.safety.rate)),
        both("its actions' rest", listed(a.safety.rest), listed(b.safety.rest)),
        both("its safety's sigmas", exact(a.safety.sigmas), exact(b.safety.sigmas)),
        both("its safety's first", exact(a.safety.first), exact(b.safety.first))})
    if (!found.empty()) return found;
  return "";
}

}  // namespace rhc
