#include "rhc/store/model_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rhc/core/error.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

BayesianLinearModel some_model() {
  RandomStream r(3, "model");
  BayesianLinearModel model(draw_features(7, 2, RandomStream(1, "features")),
                            {Eigen::Vector2d(0.3, 1e-7), 1e-11, Eigen::Vector2d(1e-4, 0.2)},
                            {r.normals(2), Eigen::Vector2d(1e-9, 1e9)});
  Transitions data{Matrix(2, 20), Matrix(2, 20)};
  for (double& v : data.inputs.reshaped()) v = r.normal();
  for (double& v : data.outputs.reshaped()) v = r.normal();
  model.learn(data);
  return model;
}

TEST(ModelFile, ReadsBackBitForBit) {
  const TemporaryDirectory dir;
  const BayesianLinearModel model = some_model();
  const BayesianLinearModel back =
      read_model(dir.write("model.json", model_json(model))).groups[0].posterior;
  EXPECT_EQ(back.features.P, model.features.P);
  EXPECT_EQ(back.features.phase, model.features.phase);
  EXPECT_EQ(back.features.bandwidth, model.features.bandwidth);
  EXPECT_EQ(back.outputs.mean, model.outputs.mean);
  EXPECT_EQ(back.outputs.scale, model.outputs.scale);
  EXPECT_EQ(back.prior_precision, model.prior_precision);
  EXPECT_EQ(back.noise, model.noise);
  EXPECT_EQ(back.predicted_noise, model.noise);
  EXPECT_EQ(back.factor, model.factor);
  EXPECT_EQ(back.moment, model.moment);
  EXPECT_EQ(back.weights, model.weights);
  EXPECT_EQ(back.count, model.count);
}

TEST(ModelFile, ReadsBackWhatPredictionsHaveWrong) {
  const TemporaryDirectory dir;
  const BayesianLinearModel plain = some_model();
  const BayesianLinearModel model(plain.features, with_model_error(plain.hyperparameters(), 1e-3),
                                  plain.outputs);
  const BayesianLinearModel back =
      read_model(dir.write("model.json", model_json(model))).groups[0].posterior;
  EXPECT_EQ(back.noise, plain.noise);
  EXPECT_EQ(back.predicted_noise, Eigen::Vector2d(1e-3, 0.2));
  EXPECT_EQ(model_json(plain).find("predicted_noise"), std::string::npos)
      << "as earlier versions wrote it";
}

TEST(ModelFile, ReadsBackANetworkBitForBit) {
  const TemporaryDirectory dir;
  RandomStream r(4, "network");
  const BayesianLinearModel plain = some_model();
  FourierFeatures features = plain.features;
  features.hidden = {{Matrix::Random(5, 2), r.normals(5)}, {Matrix::Random(3, 5), r.normals(3)}};
  features.P = Matrix::Random(7, 3);
  features.centre = r.normals(2);
  features.scale = Eigen::Vector2d(0.3, 7);
  Hyperparameters h = plain.hyperparameters();
  h.affine_precision = 0.3;
  BayesianLinearModel model(features, h, plain.outputs);
  model.learn({Matrix::Random(2, 30), Matrix::Random(2, 30)});
  const std::string text = model_json(model);
  const BayesianLinearModel back = read_model(dir.write("model.json", text)).groups[0].posterior;
  ASSERT_EQ(back.features.hidden.size(), 2u);
  EXPECT_EQ(back.features.hidden[1].weights, features.hidden[1].weights);
  EXPECT_EQ(back.features.hidden[0].phase, features.hidden[0].phase);
  EXPECT_EQ(back.features.P, features.P);
  EXPECT_EQ(back.weights, model.weights);
  EXPECT_EQ(back.factor, model.factor);
  auto cut = nlohmann::ordered_json::parse(text);
  cut["layers"][1]["weights"][0].erase(0);
  EXPECT_THROW(read_model(dir.write("cut.json", cut.dump())), InputError);
}

// Each output with its own posterior, affine part and all.
Regression separate_model() {
  std::vector<OutputGroup> groups;
  for (Index j = 0; j < 3; ++j) {
    RandomStream r(static_cast<std::uint64_t>(j), "separate");
    FourierFeatures draw = draw_features(5 + j, 2, RandomStream(1, "draw"));
    draw.centre = r.normals(2);
    draw.scale = Eigen::Vector2d(0.3, 7);
    groups.push_back(
        {{j},
         BayesianLinearModel(draw, {Eigen::Vector2d(0.3, 2), 1e-3, Vector::Constant(1, 0.1), 0.7},
                             {r.normals(1), Vector::Constant(1, 2.5)})});
  }
  Regression model(std::move(groups));
  RandomStream r(3, "data");
  Transitions data{Matrix(2, 20), Matrix(3, 20)};
  for (double& v : data.inputs.reshaped()) v = r.normal();
  for (double& v : data.outputs.reshaped()) v = r.normal();
  model.learn(data);
  return model;
}

TEST(ModelFile, ReadsBackOneForEachOutput) {
  const TemporaryDirectory dir;
  const Regression model = separate_model();
  const std::string text = model_json(model);
  const Regression back = read_model(dir.write("model.json", text));
  EXPECT_EQ(model_json(back), text);
  const Matrix points = Matrix::Random(2, 9);
  EXPECT_EQ(back.predict(points).mean, model.predict(points).mean);
  EXPECT_EQ(back.predict(points).epistemic, model.predict(points).epistemic);
  EXPECT_EQ(back.count(), 20);
}

TEST(ModelFile, SaysWhichOutputIsWrong) {
  const TemporaryDirectory dir;
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(model_json(separate_model()));
  json["outputs"][1].erase("scale");
  const std::string file = dir.write("m.json", json.dump());
  EXPECT_EQ(message_of<InputError>([&] { read_model(file); }),
            file + ": outputs[1]: \"scale\" is missing");
}

TEST(ModelFile, SaysWhatIsWrong) {
  const TemporaryDirectory dir;
  const auto message = [&](auto spoil) {
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(model_json(some_model()));
    spoil(json);
    const std::string file = dir.write("m.json", json.dump());
    const std::string text = message_of<InputError>([&] { read_model(file); });
    return text.starts_with(file + ": ") ? text.substr(file.size() + 2)
                                         : "no error that names the file";
  };
  EXPECT_EQ(message([](auto& j) { j.erase("noise"); }), "\"noise\" is missing");
  EXPECT_EQ(message([](auto& j) { j["phase"][2] = nullptr; }),
            "\"phase\" holds null, not a finite number");
  EXPECT_EQ(message([](auto& j) { j["weights"][3].erase(0); }),
            "\"weights[3]\" must have 2 entries");
  EXPECT_EQ(message([](auto& j) { j["factor"].erase(0); }), "\"factor\" must have 7 rows");
  EXPECT_EQ(message([](auto& j) { j["factor"][0][0] = 0; }), "\"factor\" is not positive definite");
  EXPECT_EQ(message([](auto& j) { j["format_version"] = 99; }),
            "written in format 99, this program reads up to 3; use a newer rhc");
  EXPECT_NE(message([](auto& j) { j["format"] = "other"; }).find("not a model file"),
            std::string::npos);
}

TEST(ModelFile, SurvivesATruncatedFile) {
  const TemporaryDirectory dir;
  const std::string whole = model_json(some_model());
  for (std::size_t size = 0; size + 2 < whole.size(); size += 97)
    EXPECT_THROW(read_model(dir.write("m.json", whole.substr(0, size))), InputError) << size;
}

}  // namespace
}  // namespace rhc
