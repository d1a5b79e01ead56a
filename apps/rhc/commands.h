// What a person types: one file a subcommand. Each adds itself to the program and, when it was
// chosen, sets the exit code.
#pragma once

#include <CLI/CLI.hpp>

namespace rhc::app {

// 0 done, 1 failed, 2 bad usage or input, 3 stopped by the plant, 130 interrupted, 141 nobody reads
// what is printed any more; with 3 and 130 the state is saved.
enum ExitCode {
  kDone = 0,
  kFailed = 1,
  kBadInput = 2,
  kStopped = 3,
  kInterrupted = 130,
  kNoReader = 141
};

void add_explore(CLI::App& program, int& exit_code);
void add_resume(CLI::App& program, int& exit_code);
void add_describe(CLI::App& program, int& exit_code);
void add_new(CLI::App& program, int& exit_code);
void add_ask(CLI::App& program, int& exit_code);
void add_tell(CLI::App& program, int& exit_code);
void add_forget(CLI::App& program, int& exit_code);
void add_change(CLI::App& program, int& exit_code);
void add_solve(CLI::App& program, int& exit_code);
void add_control(CLI::App& program, int& exit_code);
void add_inspect(CLI::App& program, int& exit_code);
void add_evaluate(CLI::App& program, int& exit_code);
void add_validate(CLI::App& program, int& exit_code);
void add_export(CLI::App& program, int& exit_code);
void add_report(CLI::App& program, int& exit_code);
void add_compare(CLI::App& program, int& exit_code);
void add_serve(CLI::App& program, int& exit_code);
void add_sweep(CLI::App& program, int& exit_code);
void add_reproduce(CLI::App& program, int& exit_code);
void add_plan(CLI::App& program, int& exit_code);
void add_simulate(CLI::App& program, int& exit_code);
void add_systems(CLI::App& program, int& exit_code);
void add_config(CLI::App& program, int& exit_code);
void add_doctor(CLI::App& program, int& exit_code);
void add_completion(CLI::App& program, int& exit_code);
void add_man_pages(CLI::App& program, int& exit_code);

}  // namespace rhc::app
