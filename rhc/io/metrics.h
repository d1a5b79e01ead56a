// One row of metrics.jsonl: what is known after an episode.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rhc/evaluate/scores.h"
#include "rhc/io/json.h"

namespace rhc {

struct MetricsRow {
  int episode = 0;               // 0: before any data
  Index steps = 0;               // steps of this episode
  Index transitions = 0;         // learned from so far
  std::optional<double> rmse{};  // the only score that a belief without data has
  std::optional<Scores> scores{};
  std::optional<double> evidence{};  // of all data, in the units of the observations
  std::optional<double> task_cost{}, task_cost_predicted{}, task_cost_limit{};
  // Nats about the parameters: what the plan promised, and what the episode brought.
  std::optional<double> information_planned{}, information_gained{};
  std::optional<std::string> plan_status{};
  double plan_seconds = 0, fit_seconds = 0, evaluate_seconds = 0;

  // All but the seconds, which no two runs share.
  MetricsRow without_seconds() const;
};

// Undefined values are null.
Json metrics_json(const MetricsRow& row);

// Throws InputError that names the key.
MetricsRow metrics_row(const JsonReader& reader);

// metrics.jsonl as a whole.
std::string metrics_text(const std::vector<MetricsRow>& rows);

Json scores_json(const Scores& scores);
Scores scores_of(const JsonReader& reader);

// best_achievable.json: the scores of a model that was given so many uniform transitions.
std::string best_achievable_text(const Scores& scores, int transitions);

}  // namespace rhc
