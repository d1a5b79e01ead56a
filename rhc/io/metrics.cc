#include "rhc/io/metrics.h"

#include <nlohmann/json.hpp>

namespace rhc {

std::string metrics_json(const MetricsRow& row) {
  using Json = nlohmann::ordered_json;
  Json json;
  const auto optional = [](const auto& value) { return value ? Json(*value) : Json(); };
  const auto score = [&](double Scores::*member) {
    return row.scores ? Json((*row.scores).*member) : Json();
  };
  json["episode"] = row.episode;
  json["steps"] = row.steps;
  json["transitions"] = row.transitions;
  json["rmse"] = optional(row.rmse);
  json["log_likelihood"] = score(&Scores::log_likelihood);
  json["log_likelihood_one_step"] = score(&Scores::log_likelihood_one_step);
  json["log_likelihood_paper"] = score(&Scores::log_likelihood_paper);
  json["coverage95"] = score(&Scores::coverage95);
  json["evidence"] = optional(row.evidence);
  json["task_cost"] = optional(row.task_cost);
  json["task_cost_predicted"] = optional(row.task_cost_predicted);
  json["task_cost_limit"] = optional(row.task_cost_limit);
  json["information_planned"] = optional(row.information_planned);
  json["information_gained"] = optional(row.information_gained);
  json["plan_status"] = optional(row.plan_status);
  json["plan_seconds"] = row.plan_seconds;
  json["fit_seconds"] = row.fit_seconds;
  json["evaluate_seconds"] = row.evaluate_seconds;
  return json.dump();
}

}  // namespace rhc
