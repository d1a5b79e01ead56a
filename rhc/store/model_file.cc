#include "rhc/store/model_file.h"

#include "rhc/format/files.h"
#include "rhc/format/json.h"

namespace rhc {

namespace {

constexpr int kModelFormat = 1;

}  // namespace

std::string model_json(const BayesianLinearModel& model) {
  Json json;
  json["format"] = "rhc-model";
  json["format_version"] = kModelFormat;
  json["transitions"] = model.count;
  json["bandwidth"] = vector_json(model.features.bandwidth);
  json["prior_precision"] = model.prior_precision;
  json["noise"] = vector_json(model.noise);
  json["output_mean"] = vector_json(model.outputs.mean);
  json["output_scale"] = vector_json(model.outputs.scale);
  json["phase"] = vector_json(model.features.phase);
  json["frequencies"] = matrix_json(model.features.P);
  json["weights"] = matrix_json(model.weights);
  json["moment"] = matrix_json(model.moment);
  json["factor"] = matrix_json(model.factor);
  return json.dump() + "\n";
}

BayesianLinearModel read_model(const std::filesystem::path& path) {
  const JsonReader reader(read_text(path, kLargestMatrixFile), path.string());
  reader.check_format("rhc-model", "model file", kModelFormat);
  const Index M = reader.size("phase"), n = reader.size("bandwidth"), D = reader.size("noise");
  FourierFeatures features{reader.matrix("frequencies", M, n), reader.vector("phase", M),
                           reader.vector("bandwidth", n)};
  const Hyperparameters hyperparameters{features.bandwidth, reader.number("prior_precision"),
                                        reader.vector("noise", D)};
  BayesianLinearModel model(features, hyperparameters,
                            {reader.vector("output_mean", D), reader.vector("output_scale", D)});
  model.weights = reader.matrix("weights", M, D);
  model.moment = reader.matrix("moment", M, D);
  model.factor = reader.matrix("factor", M, M);
  model.count = static_cast<Index>(reader.number("transitions"));
  if (!(model.factor.diagonal().minCoeff() > 0)) reader.fail("\"factor\" is not positive definite");
  return model;
}

}  // namespace rhc
