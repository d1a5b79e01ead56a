// A plant that is a program of its own: started, asked over its standard input and output, and
// where that is wanted started again when it fails.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rhc/describe/system_file.h"
#include "rhc/explore/config.h"
#include "rhc/plant/child_program.h"
#include "rhc/plant/plant_log.h"
#include "rhc/system/plant.h"

namespace rhc {

struct PlantSettings {
  std::string command;
  double timeout = 5;  // seconds for the answer to a step, and (5 at most) to end when closed
  double start_timeout = 60;  // for those to hello and reset
  OnFailure on_failure = OnFailure::stop;
  int restarts = 3;  // with retry
};

PlantSettings plant_settings(const Config& config);

class ProcessPlant final : public Plant {
 public:
  explicit ProcessPlant(PlantSettings settings);
  ~ProcessPlant() override;

  // Asks the plant to end; one that does not is ended, with all that it started.
  void close();

  // Starts the plant; the text of the system file that stands for what it says it is, or empty.
  // IoError where it cannot be started or says something else, PlantStop where it wants an end.
  std::string hello();

  // What its answers must fit. InputError where it said that it was another system.
  void expect(const System& system);

  // What it writes to its standard error, and what becomes of it, is added to this file.
  void log_to(const std::filesystem::path& file) { log_.open(file); }

  // A plant that fails is ended. PlantGivenUp where that is to stop the run, or where it was
  // started too often already; else PlantFailure, and the next reset starts it again. PlantStop
  // where it asks for an end; it is closed then. The state is what is measured.
  Vector reset(const Vector& start) override;
  Vector step(const Vector& action) override;
  bool ended() const override { return ended_; }

  std::function<bool()> stop_requested;  // asked while waiting; Interrupted is then thrown

 private:
  std::string ask(const std::string& request, double seconds);
  std::string start_and_greet();
  Vector measured(const std::string& request, double seconds);
  [[noreturn]] void fail(const std::string& what);
  [[noreturn]] void give_up() const;
  void stop_if_said(std::string_view lines);
  void check_agreement(const std::string& described) const;

  const PlantSettings settings_;
  std::optional<System> system_;
  std::string described_;  // by the plant that runs
  std::unique_ptr<ChildProgram> program_;
  int id_ = 0, starts_ = 0;
  bool ended_ = false;  // the episode, by its last answer
  std::string last_failure_;
  PlantLog log_;
};

// Why this was not measured: a value that is no finite number, or far beyond its range. Empty where
// it may have been.
std::string why_absurd(const SystemSpec& spec, const Vector& values);

// How a program that answers nothing more came to its end, with what had come of a line.
std::string how_it_ended(ChildProgram& program, std::string_view rest);

// The system that a plant's hello describes. InputError where that contradicts itself.
SystemFile described_system(const std::string& toml);

// The first field in which two descriptions of a system differ; empty where they agree.
std::string difference(const SystemSpec& a, const SystemSpec& b);

}  // namespace rhc
