#include "rhc/store/model_file.h"

#include <utility>

#include "rhc/format/files.h"
#include "rhc/format/json.h"
#include "rhc/store/layers_json.h"

namespace rhc {

namespace {

constexpr int kSharedFormat = 1;    // one posterior
constexpr int kSeparateFormat = 2;  // one for each output
constexpr int kNetworkFormat = 3;   // one, of a network's features

void put_model_posterior(const BayesianLinearModel& model, Json& json) {
  json["bandwidth"] = vector_json(model.features.bandwidth);
  json["prior_precision"] = model.prior_precision;
  json["noise"] = vector_json(model.noise);
  if (!predicts_with_noise_alone(model.hyperparameters()))
    json["predicted_noise"] = vector_json(model.predicted_noise);
  json["output_mean"] = vector_json(model.outputs.mean);
  json["output_scale"] = vector_json(model.outputs.scale);
  json["phase"] = vector_json(model.features.phase);
  json["frequencies"] = matrix_json(model.features.P);
  if (!model.features.hidden.empty()) json["layers"] = layers_json(model.features.hidden);
  if (model.features.affine() > 0) {
    json["affine_precision"] = model.affine_precision;
    json["centre"] = vector_json(model.features.centre);
    json["scale"] = vector_json(model.features.scale);
  }
  json["weights"] = matrix_json(model.weights);
  json["moment"] = matrix_json(model.moment);
  json["factor"] = matrix_json(model.factor);
}

BayesianLinearModel posterior_in(const JsonReader& reader, Index transitions) {
  const Index n = reader.size("bandwidth"), D = reader.size("noise");
  const Index sines = reader.size("phase");
  SineLayers hidden;
  if (reader.has("layers")) hidden = layers_in(reader, "layers");
  if (!hidden.empty() && hidden.front().weights.cols() != n)
    reader.fail("\"layers\" must begin with the inputs that have a \"bandwidth\"");
  FourierFeatures features{
      reader.matrix("frequencies", sines, hidden.empty() ? n : hidden.back().width()),
      reader.vector("phase", sines), reader.vector("bandwidth", n)};
  features.hidden = std::move(hidden);
  Hyperparameters hyperparameters{features.bandwidth, reader.number("prior_precision"),
                                  reader.vector("noise", D)};
  if (reader.has("predicted_noise"))
    hyperparameters.predicted_noise = reader.vector("predicted_noise", D);
  if (reader.has("centre")) {
    features.centre = reader.vector("centre", n);
    features.scale = reader.vector("scale", n);
    hyperparameters.affine_precision = reader.number("affine_precision");
  }
  const Index M = features.count();
  BayesianLinearModel model(std::move(features), hyperparameters,
                            {reader.vector("output_mean", D), reader.vector("output_scale", D)});
  model.weights = reader.matrix("weights", M, D);
  model.moment = reader.matrix("moment", M, D);
  model.factor = reader.matrix("factor", M, M);
  model.count = transitions;
  if (!(model.factor.diagonal().minCoeff() > 0)) reader.fail("\"factor\" is not positive definite");
  return model;
}

}  // namespace

std::string model_json(const Regression& model) {
  Json json;
  json["format"] = "rhc-model";
  const bool network = !model.groups[0].posterior.features.hidden.empty();
  json["format_version"] = network          ? kNetworkFormat
                           : model.shared() ? kSharedFormat
                                            : kSeparateFormat;
  json["transitions"] = model.count();
  if (model.known) json["known"] = model.known.words;
  if (model.shared()) {
    put_model_posterior(model.groups[0].posterior, json);
  } else {
    json["outputs"] = Json::array();
    for (const OutputGroup& group : model.groups)
      put_model_posterior(group.posterior, json["outputs"].emplace_back(Json::object()));
  }
  return json.dump() + "\n";
}

Regression read_model(const std::filesystem::path& path) {
  const JsonReader reader(read_text(path, kLargestMatrixFile), path.string());
  reader.check_format("rhc-model", "model file", kNetworkFormat);
  const auto transitions = static_cast<Index>(reader.number("transitions"));
  if (!reader.has("outputs")) return posterior_in(reader, transitions);
  std::vector<OutputGroup> groups;
  for (Index j = 0; j < reader.size("outputs"); ++j)
    groups.push_back(
        {{j}, posterior_in(reader.part("outputs", static_cast<std::size_t>(j)), transitions)});
  if (groups.empty()) reader.fail("\"outputs\" is empty");
  for (const OutputGroup& group : groups)
    if (group.posterior.noise.size() != 1 ||
        group.posterior.features.inputs() != groups[0].posterior.features.inputs())
      reader.fail("each of \"outputs\" must be of one output, and all of the same inputs");
  return Regression(std::move(groups));
}

}  // namespace rhc
