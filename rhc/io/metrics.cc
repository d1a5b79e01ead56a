#include "rhc/io/metrics.h"

#include <nlohmann/json.hpp>

namespace rhc {

std::string metrics_json(const MetricsRow& row) {
  nlohmann::ordered_json json;
  const auto score = [&](double Scores::*member) {
    return row.scores ? nlohmann::ordered_json((*row.scores).*member) : nlohmann::ordered_json();
  };
  json["episode"] = row.episode;
  json["steps"] = row.steps;
  json["transitions"] = row.transitions;
  json["rmse"] = row.rmse;
  json["log_likelihood"] = score(&Scores::log_likelihood);
  json["log_likelihood_one_step"] = score(&Scores::log_likelihood_one_step);
  json["log_likelihood_paper"] = score(&Scores::log_likelihood_paper);
  json["coverage95"] = score(&Scores::coverage95);
  json["evidence"] =
      row.evidence ? nlohmann::ordered_json(*row.evidence) : nlohmann::ordered_json();
  json["plan_seconds"] = row.plan_seconds;
  json["fit_seconds"] = row.fit_seconds;
  json["evaluate_seconds"] = row.evaluate_seconds;
  return json.dump();
}

}  // namespace rhc
