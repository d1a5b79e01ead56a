// What is known after an episode.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rhc/evaluate/scores.h"

namespace rhc {

struct MetricsRow {
  int episode = 0;               // 0: before any data
  Index steps = 0;               // steps of this episode
  Index transitions = 0;         // learned from so far
  Index left_out = 0;            // steps of this episode that led outside the limits, or came after
  std::optional<double> rmse{};  // the only score that a model without data has
  std::optional<Scores> scores{};
  std::optional<double> evidence{};  // of all data, in the units of the observations
  std::optional<double> task_cost{}, task_cost_predicted{}, task_cost_limit{};
  // As a controller carries it out under the run's noise: with the model, and with the true
  // dynamics in its place. Nothing in rows of earlier versions.
  std::optional<double> task_cost_closed{}, task_cost_closed_limit{};
  // Nats about the parameters: what the plan promised, and what the episode brought.
  std::optional<double> information_planned{}, information_gained{};
  // What was gained, by output; empty where nothing was, and in rows of earlier versions.
  std::vector<double> information_by_output{};
  std::optional<std::string> plan_status{};
  // What did not go as it might have; empty: nothing. Rows of 0.1 do not say.
  std::optional<std::string> trouble = "";
  double plan_seconds = 0, fit_seconds = 0, evaluate_seconds = 0;

  // All but the seconds, which no two runs share.
  MetricsRow without_seconds() const {
    MetricsRow row = *this;
    row.plan_seconds = row.fit_seconds = row.evaluate_seconds = 0;
    return row;
  }
};

}  // namespace rhc
