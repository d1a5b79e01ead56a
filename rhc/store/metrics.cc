#include "rhc/store/metrics.h"

#include <cmath>
#include <limits>

namespace rhc {

namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

std::optional<double> number_or_none(const JsonReader& reader, const char* key) {
  if (reader.at(key).is_null()) return std::nullopt;
  return reader.number(key);
}

// Numbers that are not, which JSON has as null.
Scores nothing() {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  return {.rmse = kNone,
          .log_likelihood = kNone,
          .log_likelihood_one_step = kNone,
          .log_likelihood_paper = kNone,
          .coverage95 = kNone};
}

}  // namespace

Json scores_json(const Scores& scores) {
  Json json = {{"rmse", scores.rmse},
               {"log_likelihood", scores.log_likelihood},
               {"log_likelihood_one_step", scores.log_likelihood_one_step},
               {"log_likelihood_paper", scores.log_likelihood_paper}};
  // What version 0.1 did not write is written as it was read.
  if (scores.log_likelihood_coherent)
    json["log_likelihood_coherent"] = *scores.log_likelihood_coherent;
  json["coverage95"] = scores.coverage95;
  return json;
}

Scores scores_of(const JsonReader& reader) {
  // A score that was not finite was written as null.
  const auto score = [&](const char* key) {
    return number_or_none(reader, key).value_or(std::numeric_limits<double>::quiet_NaN());
  };
  return {.rmse = score("rmse"),
          .log_likelihood = score("log_likelihood"),
          .log_likelihood_one_step = score("log_likelihood_one_step"),
          .log_likelihood_paper = score("log_likelihood_paper"),
          .coverage95 = score("coverage95"),
          .log_likelihood_coherent = reader.has("log_likelihood_coherent")
                                         ? std::optional(score("log_likelihood_coherent"))
                                         : std::nullopt};
}

std::string best_achievable_text(const Scores& scores, int transitions) {
  Json json = {{"transitions", transitions}};
  json.update(scores_json(scores));
  return json.dump(2) + "\n";
}

Json metrics_json(const MetricsRow& row) {
  Json json;
  const auto score = [&](double Scores::*member) {
    return row.scores ? Json((*row.scores).*member) : Json();
  };
  json["episode"] = row.episode;
  json["steps"] = row.steps;
  json["transitions"] = row.transitions;
  if (row.left_out > 0) json["left_out"] = row.left_out;
  json["rmse"] = or_null(row.rmse);
  json["log_likelihood"] = score(&Scores::log_likelihood);
  json["log_likelihood_one_step"] = score(&Scores::log_likelihood_one_step);
  json["log_likelihood_paper"] = score(&Scores::log_likelihood_paper);
  // A row that does not say is written as it was read.
  if (row.scores && row.scores->log_likelihood_coherent)
    json["log_likelihood_coherent"] = *row.scores->log_likelihood_coherent;
  json["coverage95"] = score(&Scores::coverage95);
  json["evidence"] = or_null(row.evidence);
  json["task_cost"] = or_null(row.task_cost);
  json["task_cost_predicted"] = or_null(row.task_cost_predicted);
  json["task_cost_limit"] = or_null(row.task_cost_limit);
  if (row.task_cost_closed) json["task_cost_closed"] = *row.task_cost_closed;
  if (row.task_cost_closed_limit) json["task_cost_closed_limit"] = *row.task_cost_closed_limit;
  json["information_planned"] = or_null(row.information_planned);
  json["information_gained"] = or_null(row.information_gained);
  if (!row.information_by_output.empty()) json["information_by_output"] = row.information_by_output;
  json["plan_status"] = or_null(row.plan_status);
  if (row.trouble) json["trouble"] = row.trouble->empty() ? Json() : Json(*row.trouble);
  json["plan_seconds"] = row.plan_seconds;
  json["fit_seconds"] = row.fit_seconds;
  json["evaluate_seconds"] = row.evaluate_seconds;
  return json;
}

Json metrics_cells(const MetricsRow& row) {
  MetricsRow complete = row;
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  if (!row.trouble) complete.trouble = "";
  if (!row.task_cost_closed) complete.task_cost_closed = kNothing;
  if (!row.task_cost_closed_limit) complete.task_cost_closed_limit = kNothing;
  if (!complete.scores) complete.scores = nothing();
  if (!complete.scores->log_likelihood_coherent)
    complete.scores->log_likelihood_coherent = kNothing;
  const Json known = metrics_json(complete);
  Json json = Json::object();
  for (const auto& [key, value] : known.items()) {
    json[key] = value;
    if (key == "transitions") json["left_out"] = row.left_out;
    if (key == "information_gained") json["information_by_output"] = nullptr;
  }
  return json;
}

std::string metrics_text(const std::vector<MetricsRow>& rows) {
  std::string text;
  for (const MetricsRow& row : rows) text += metrics_json(row).dump() + "\n";
  return text;
}

MetricsRow metrics_row(const JsonReader& reader) {
  MetricsRow row{.episode = static_cast<int>(reader.count("episode", 0)),
                 .steps = reader.count("steps", 0),
                 .transitions = reader.count("transitions", 0),
                 .left_out = reader.has("left_out") ? reader.count("left_out", 0) : 0,
                 .rmse = number_or_none(reader, "rmse"),
                 .evidence = number_or_none(reader, "evidence"),
                 .task_cost = number_or_none(reader, "task_cost"),
                 .task_cost_predicted = number_or_none(reader, "task_cost_predicted"),
                 .task_cost_limit = number_or_none(reader, "task_cost_limit"),
                 .information_planned = number_or_none(reader, "information_planned"),
                 .information_gained = number_or_none(reader, "information_gained"),
                 .plan_seconds = reader.number("plan_seconds"),
                 .fit_seconds = reader.number("fit_seconds"),
                 .evaluate_seconds = reader.number("evaluate_seconds")};
  if (reader.has("information_by_output")) {
    const Vector nats =
        reader.vector("information_by_output", reader.size("information_by_output"));
    row.information_by_output.assign(nats.begin(), nats.end());
  }
  if (reader.has("task_cost_closed"))
    row.task_cost_closed = number_or_none(reader, "task_cost_closed");
  if (reader.has("task_cost_closed_limit"))
    row.task_cost_closed_limit = number_or_none(reader, "task_cost_closed_limit");
  const Scores scores = scores_of(reader);
  for (const double score : {scores.log_likelihood, scores.log_likelihood_one_step,
                             scores.log_likelihood_paper, scores.coverage95})
    if (!std::isnan(score)) row.scores = scores;
  if (!reader.at("plan_status").is_null()) row.plan_status = reader.text("plan_status");
  if (!reader.has("trouble"))
    row.trouble.reset();
  else if (!reader.at("trouble").is_null())
    row.trouble = reader.text("trouble");
  return row;
}

}  // namespace rhc
