#include "rhc/io/model_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "rhc/core/error.h"
#include "rhc/io/files.h"

namespace rhc {

namespace {

using Json = nlohmann::ordered_json;
constexpr int kFormat = 1;

Json vector_json(const Vector& v) { return Json(std::vector<double>(v.begin(), v.end())); }

// Row by row, as one reads it.
Json matrix_json(const Matrix& m) {
  Json rows = Json::array();
  for (Index i = 0; i < m.rows(); ++i) rows.push_back(vector_json(m.row(i).transpose()));
  return rows;
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path.string()) {
    try {
      json_ = Json::parse(read_text(path));
    } catch (const Json::exception& error) {
      throw InputError(fmt::format("{}: not valid JSON: {}", path_, error.what()));
    }
    if (!json_.is_object() || json_.value("format", Json()) != Json("rhc-model"))
      fail("this is not a model file (\"format\" is not \"rhc-model\")");
    const Json found = json_.value("format_version", Json());
    if (!found.is_number_integer()) fail("\"format_version\" is missing");
    if (found.get<int>() > kFormat)
      fail(fmt::format("written in format {}, this program reads up to {}; use a newer rhc",
                       found.get<int>(), kFormat));
  }

  double number(const char* key) const { return number_of(at(key), key); }

  Vector vector(const char* key, Index size) const { return vector_of(at(key), key, size); }

  Matrix matrix(const char* key, Index rows, Index cols) const {
    const Json& json = at(key);
    if (!json.is_array() || json.size() != static_cast<std::size_t>(rows))
      fail(fmt::format("\"{}\" must have {} rows", key, rows));
    Matrix result(rows, cols);
    for (Index i = 0; i < rows; ++i)
      result.row(i) = vector_of(json[static_cast<std::size_t>(i)], key, cols).transpose();
    return result;
  }

  // How many entries an array has.
  Index size(const char* key) const {
    const Json& json = at(key);
    if (!json.is_array() || json.empty()) fail(fmt::format("\"{}\" must be a list", key));
    return static_cast<Index>(json.size());
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", path_, what));
  }

 private:
  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("\"{}\" is missing", key));
    return *found;
  }

  double number_of(const Json& json, const char* key) const {
    if (!json.is_number())
      fail(fmt::format("\"{}\" holds {}, not a finite number", key, json.dump()));
    return json.get<double>();
  }

  Vector vector_of(const Json& json, const char* key, Index size) const {
    if (!json.is_array() || json.size() != static_cast<std::size_t>(size))
      fail(fmt::format("\"{}\" must have {} entries", key, size));
    Vector result(size);
    for (Index i = 0; i < size; ++i) result[i] = number_of(json[static_cast<std::size_t>(i)], key);
    return result;
  }

  std::string path_;
  Json json_;
};

}  // namespace

std::string model_json(const BayesianLinearModel& model) {
  Json json;
  json["format"] = "rhc-model";
  json["format_version"] = kFormat;
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
  const Reader reader(path);
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
