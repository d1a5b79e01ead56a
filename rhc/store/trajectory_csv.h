// Trajectories, actions and forecasts as tables.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "rhc/model/forecast.h"
#include "rhc/system/spec.h"

namespace rhc {

// `step`, the observations, the actions; row 0 is the start, the last row has no action. Where the
// plant ended the episode, a last column `ended` is 1 in the last row.
std::string trajectory_csv(const SystemSpec& spec, const Trajectory& trajectory);
Trajectory read_trajectory(const std::filesystem::path& path, const SystemSpec& spec);
Trajectory parse_trajectory(std::string_view text, const std::string& path, const SystemSpec& spec);

// `step` and the actions.
std::string actions_csv(const SystemSpec& spec, const Matrix& actions);

// `step`, the expected observations, their deviations (`NAME_sd`), the actions.
std::string forecast_csv(const SystemSpec& spec, const Forecast& forecast);
Forecast read_forecast(const std::filesystem::path& path, const SystemSpec& spec);

// The action columns of any table, by name; a single action may be called `action`, and a file of
// nothing but actions needs no header.
Matrix read_actions(const std::filesystem::path& path, const SystemSpec& spec);
Matrix parse_actions(std::string_view text, const std::string& path, const SystemSpec& spec);

}  // namespace rhc
