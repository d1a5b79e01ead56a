// What `rhc new`, `ask`, `tell`, `forget`, `solve` and `validate` share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "rhc/run/laboratory.h"

namespace rhc::app {

// What --start says: values of what is measured, "3.1,0", where all was at rest before; or a log,
// whose last row is where the machine stands, and of which remarks are printed. InputError that
// names what does not fit.
Trajectory parse_measured_start(const std::string& text, const SystemFile& system,
                                const MeasuredSettings& how = {});

inline constexpr char kMeasuredStart[] =
    "Where the machine stands now: the measured values, in the order of the file; or a log "
    "whose\nlast row that is, for a model that looks back";

// The plan of an experiment, a row a step: time, actions, and what is expected to be measured with
// its 95 % band. Its first row is of this step.
std::string proposal_csv(const SystemFile& system, const Matrix& actions,
                         const std::optional<Forecast>& forecast, Index first_step = 0);

// How far each measured quantity is expected to go, and how near to its limits it comes. The
// forecast begins at this step.
void print_envelope(std::FILE* out, const SystemFile& system, const Forecast& forecast,
                    Index first_step = 0);

// `--sigmas`, where another margin to the limits is wanted than the system's file says.
void add_sigmas_option(CLI::App& command, std::optional<double>& sigmas);

// `--resample` and `--delay`: how a log is read.
void add_measured_options(CLI::App& command, MeasuredSettings& measured);

// Where a controller learned in this run and its process is gone, what it learned is kept now.
void keep_what_was_learned(const std::string& run, int threads);

// What was found damaged or unfinished in opening it.
void print_remarks(const Laboratory& lab, const std::string& run);

// To a file, or where none is named to the standard output.
void write_or_print(const std::string& file, const std::string& text);

}  // namespace rhc::app
