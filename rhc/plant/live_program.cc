#include "rhc/plant/live_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "rhc/core/error.h"
#include "rhc/core/text.h"
#include "rhc/plant/plant_protocol.h"
#include "rhc/plant/process_plant.h"
#include "rhc/system/plant.h"

namespace rhc {

namespace {

constexpr double kLongestFarewell = 5;  // seconds
constexpr int kMostLines = 1024;        // that are read in one look

void do_nothing() {}

}  // namespace

LiveProgram::LiveProgram(LiveProgramSettings settings, System system,
                         const std::function<void()>& meanwhile)
    : settings_(std::move(settings)), system_(std::move(system)) {
  program_ = std::make_unique<ChildProgram>(settings_.command,
                                            [this](std::string_view text) { log_.add(text); });
  const auto fail = [&](const std::string& what) {
    program_->stop();
    throw IoError(
        fmt::format("the plant `{}` failed: {}{}", settings_.command, what, log_.last_words()));
  };
  const Answer answer = program_->ask(hello_request(++id_), settings_.start_timeout, meanwhile);
  if (const auto why = stop_in(answer.text)) throw PlantStop(*why);
  if (answer.kind == Answer::timeout)
    fail(fmt::format("it did not answer hello within {} s", exact(settings_.start_timeout)));
  if (answer.kind == Answer::too_long) fail("it answered hello with a line that does not end");
  if (answer.kind == Answer::closed) fail(how_it_ended(*program_, answer.text));
  std::string described;
  try {
    described = parse_hello(answer.text, id_);
  } catch (const InputError& error) {
    fail(fmt::format("it answered hello with {}", error.what()));
  }
  oldest_ = id_ + 1;
  if (described.empty()) return;
  const std::string other = difference(described_system(described).system.spec(), system_.spec());
  if (!other.empty())
    throw InputError(
        fmt::format("the plant `{}` says that it is another system: {}", settings_.command, other));
}

void LiveProgram::begin(const Vector& start) { ask(reset_request(++id_, start)); }

void LiveProgram::ask(const std::string& line) {
  program_->send(line);
  open_ = true;
  asked_ = live_now();
}

bool LiveProgram::send(const Vector& action) {
  if (!program_ || !program_->all_sent()) return false;
  if (open_ && live_now() - asked_ < live_seconds(settings_.overdue)) return false;
  if (open_) ++dropped_.lost;
  ask(step_request(++id_, action));
  return true;
}

void LiveProgram::rest(const Vector& action) {
  if (program_) ask(step_request(++id_, action));
}

Heard LiveProgram::wait(LiveTime until, Vector& observation) {
  if (!program_) return {.kind = Heard::gone, .why = "it was let go of"};
  Heard newest;
  // Not for ever, where it speaks faster than it is read.
  bool came = false;
  for (int lines = 0; lines < kMostLines; ++lines) {
    const Answer answer = program_->wait(came ? 0 : until, do_nothing);
    if (const auto why = stop_in(answer.text)) return {.kind = Heard::stopped, .why = *why};
    if (answer.kind == Answer::timeout) return newest;
    if (answer.kind == Answer::too_long)
      return {.kind = Heard::gone, .why = "it answers with a line that does not end"};
    if (answer.kind == Answer::closed)
      return {.kind = Heard::gone, .why = how_it_ended(*program_, answer.text)};
    Heard heard = read(answer, observation);
    if (heard.kind == Heard::gone) return heard;
    if (heard.kind == Heard::nothing) continue;
    came = true;
    if (heard.kind == Heard::nonsense) ++dropped_.nonsense;
    if (newest.kind != Heard::measured || heard.kind == Heard::measured) newest = std::move(heard);
  }
  return newest;
}

Heard LiveProgram::read(const Answer& answer, Vector& observation) {
  int id = id_;
  try {
    const std::optional<int> said = parse_id(answer.text);
    // Who says no id answers one question after the other.
    id = said.value_or(std::min(oldest_, id_));
    if (id > id_ || id < 1)
      return {.kind = Heard::nonsense, .why = fmt::format("it answers request {}", id)};
    if (id < oldest_ || (id == id_ && !open_) || (!said && oldest_ > id_)) {
      ++(id == oldest_ - 1 || id == id_ ? dropped_.doubled : dropped_.late);
      return {};
    }
    oldest_ = id + 1;
    if (id < id_) {
      ++dropped_.late;
      return {};
    }
    open_ = false;
    Vector values =
        parse_observation(answer.text, id, static_cast<Index>(system_.spec().state.size()));
    if (std::string absurd = why_absurd(system_.spec(), values); !absurd.empty())
      return {.kind = Heard::nonsense, .why = "it measured " + absurd};
    observation = system_.observe(values);
    return {.kind = Heard::measured, .at = live_now(), .ended = parse_ended(answer.text, id)};
  } catch (const InputError& error) {
    const bool failed = says_error(answer.text);
    return {.kind = failed ? Heard::gone : Heard::nonsense,
            .why = fmt::format("it answered with {}", error.what())};
  }
}

void LiveProgram::close() {
  if (program_)
    program_->close(close_request(++id_), std::min(settings_.timeout, kLongestFarewell));
  program_.reset();
}

}  // namespace rhc
