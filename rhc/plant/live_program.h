// A program that answers by JSON lines (docs/protocol.md), as a plant that moves while one thinks.
// It is asked one question at a time; one that stays unanswered for long is given up as lost.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "rhc/plant/child_program.h"
#include "rhc/plant/live_plant.h"
#include "rhc/plant/plant_log.h"
#include "rhc/system/system.h"

namespace rhc {

struct LiveProgramSettings {
  std::string command;
  double start_timeout = 60;  // seconds for the answer to hello
  double timeout = 5;         // to end when closed
  double overdue = 0.1;       // after so long another question is asked
};

class LiveProgram final : public LivePlant {
 public:
  // Starts and greets it. InputError where it says that it is another system, IoError where it
  // cannot be started or says something else, PlantStop where it wants an end. `meanwhile` is
  // called several times a second; what it throws ends the waiting.
  LiveProgram(LiveProgramSettings settings, System system, const std::function<void()>& meanwhile);
  ~LiveProgram() override { close(); }
  LiveProgram(const LiveProgram&) = delete;
  LiveProgram& operator=(const LiveProgram&) = delete;

  // What it writes to its standard error is added to this file.
  void log_to(const std::filesystem::path& file) { log_.open(file); }
  std::string last_words() const { return log_.last_words(); }

  void begin(const Vector& start) override;
  // False while a question waits for its answer, until that is overdue.
  bool send(const Vector& action) override;
  Heard wait(LiveTime until, Vector& observation) override;
  void rest(const Vector& action) override;
  void close() override;

 private:
  void ask(const std::string& line);
  Heard read(const Answer& answer, Vector& observation);

  const LiveProgramSettings settings_;
  const System system_;
  PlantLog log_;
  std::unique_ptr<ChildProgram> program_;
  int id_ = 0;          // of the last question
  int oldest_ = 1;      // the first question that may still be answered by a line without an id
  bool open_ = false;   // whether the last question waits for its answer
  LiveTime asked_ = 0;  // when
};

}  // namespace rhc
