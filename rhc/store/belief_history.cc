#include "rhc/store/belief_history.h"

#include <memory>

#include "rhc/store/layers_json.h"

namespace rhc {

namespace {

void put_record(const PosteriorRecord& record, Json& json) {
  json["bandwidth"] = vector_json(record.hyperparameters.bandwidth);
  json["prior_precision"] = record.hyperparameters.prior_precision;
  json["noise"] = vector_json(record.hyperparameters.noise);
  if (!predicts_with_noise_alone(record.hyperparameters))
    json["predicted_noise"] = vector_json(record.hyperparameters.predicted_noise);
  json["output_mean"] = vector_json(record.outputs.mean);
  json["output_scale"] = vector_json(record.outputs.scale);
  if (record.centre.size() == 0) return;
  json["affine_precision"] = record.hyperparameters.affine_precision;
  json["centre"] = vector_json(record.centre);
  json["scale"] = vector_json(record.scale);
}

PosteriorRecord posterior_record(const JsonReader& reader) {
  const Index n = reader.size("bandwidth"), D = reader.size("noise");
  PosteriorRecord record{
      .hyperparameters = {reader.vector("bandwidth", n), reader.number("prior_precision"),
                          reader.vector("noise", D)},
      .outputs = {reader.vector("output_mean", D), reader.vector("output_scale", D)}};
  if (reader.has("predicted_noise"))
    record.hyperparameters.predicted_noise = reader.vector("predicted_noise", D);
  if (!reader.has("centre")) return record;
  record.hyperparameters.affine_precision = reader.number("affine_precision");
  record.centre = reader.vector("centre", n);
  record.scale = reader.vector("scale", n);
  return record;
}

}  // namespace

Json belief_json(const BeliefRecord& record) {
  Json json = {
      {"episode", record.episode}, {"draw", record.draw}, {"transitions", record.transitions}};
  if (record.network > 0) json["network"] = record.network;
  if (record.trained && record.layers) json["layers"] = layers_json(*record.layers);
  if (record.posteriors.size() == 1) {
    put_record(record.posteriors[0], json);
  } else {
    json["outputs"] = Json::array();
    for (const PosteriorRecord& posterior : record.posteriors)
      put_record(posterior, json["outputs"].emplace_back(Json::object()));
  }
  return json;
}

BeliefRecord belief_record(const JsonReader& reader) {
  BeliefRecord record{.episode = static_cast<int>(reader.count("episode", 1)),
                      .draw = static_cast<std::uint64_t>(reader.count("draw", 0)),
                      .transitions = reader.count("transitions", 0)};
  if (reader.has("network"))
    record.network = static_cast<std::uint64_t>(reader.count("network", 1));
  if (reader.has("layers")) {
    record.layers = std::make_shared<const SineLayers>(layers_in(reader, "layers"));
    record.trained = true;
  }
  if (!reader.has("outputs")) {
    record.posteriors = {posterior_record(reader)};
    return record;
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(reader.size("outputs")); ++j)
    record.posteriors.push_back(posterior_record(reader.part("outputs", j)));
  return record;
}

}  // namespace rhc
