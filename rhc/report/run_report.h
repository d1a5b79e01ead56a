// report.html: a run as a person looks at it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "rhc/report/details.h"

namespace rhc {

// All that the page shows; of a run of any length no more than one wants to open.
Json run_report_data(const RunRecord& run, const System& system, const ReportSettings& settings);

// The page with that data, as RUN/report.html or elsewhere; returns where it is.
std::filesystem::path write_report(const RunRecord& run, const Json& data,
                                   const std::optional<std::filesystem::path>& out = std::nullopt);

// The name of a run is the last part of its path.
std::string run_name(const std::filesystem::path& path);

// The commands that make the same run again: of a described system by the files in the run, of
// experiments that were carried out by hand by what was measured.
std::string reproducing_command(const RunRecord& run);

// Of a run that needs no files.
std::string reproducing_command(const Config& config, const SystemSpec& spec);

}  // namespace rhc
