// The model: fitted, asked, and taught more.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/arrays.h"
#include "python/bindings.h"
#include "python/model.h"
#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/model/fit_model.h"
#include "rhc/model/information.h"

namespace rhc::python {

namespace {

Transitions transitions(const ArrayLike& inputs, const ArrayLike& outputs, Index n = -1,
                        Index D = -1) {
  const Points points(inputs, "inputs", n), differences(outputs, "outputs", D);
  return {points.columns(), differences.columns()};
}

Model fit(const ArrayLike& inputs, const ArrayLike& outputs, int features, std::uint64_t seed,
          double noise_floor, double caution, const std::optional<ArrayLike>& region, int starts,
          int threads) {
  const Transitions data = transitions(inputs, outputs);
  const Index n = data.inputs.rows();
  if (features < 1 || starts < 1) throw InputError("features and starts must be at least 1");
  EvidenceSettings settings{.noise_floor = noise_floor,
                            .caution = caution,
                            .starts = starts,
                            .threads = threads > 0 ? threads : hardware_threads(),
                            .seed = seed};
  if (region) settings.region = Points(*region, "region", n).columns();
  const nb::gil_scoped_release others;
  check(data, n, data.outputs.rows());
  const FourierFeatures draw = draw_features(features, n, RandomStream(seed, "features"));
  FittedModel fitted = fit_model(draw, data, settings);
  return {std::move(fitted.model), fitted.fit.log_evidence, std::move(fitted.fit.at_bound)};
}

void learn(Model& model, const ArrayLike& inputs, const ArrayLike& outputs) {
  Regression& regression = model.regression;
  const Transitions data = transitions(inputs, outputs, regression.inputs(), regression.outputs());
  const nb::gil_scoped_release others;
  regression.learn(data);
  model.log_evidence.reset();
}

Prediction predict(const Model& model, const ArrayLike& inputs) {
  const Points points(inputs, "inputs", model.regression.inputs());
  const nb::gil_scoped_release others;
  return model.regression.predict(points.columns());
}

double nats(const Model& model, const ArrayLike& inputs) {
  const Points points(inputs, "inputs", model.regression.inputs());
  const nb::gil_scoped_release others;
  return information(model.regression, points.columns());
}

template <class Held, class Part>
auto part(Part Held::*member) {
  return [member](nb::handle self) { return view(nb::cast<const Held&>(self).*member, self); };
}

}  // namespace

void bind_models(nb::module_& module) {
  nb::class_<Prediction>(module, "Prediction", "What a model expects at some points.")
      .def_prop_ro("mean", part(&Prediction::mean), "(N, D): expected outputs")
      .def_prop_ro("epistemic", part(&Prediction::epistemic),
                   "(N, D): variance that more data would lower")
      .def_prop_ro("noise", part(&Prediction::noise), "(D,): variance that no data lower");

  nb::class_<Model>(module, "BayesianLinearModel",
                    R"(Bayesian linear regression on random Fourier features.

Made by `fit`, by an explorer, or read from a run. Inputs are observations and actions side by side, outputs the
differences of observations; one row a point. Do not teach it in one thread while another asks it.

>>> import numpy as np, rhc
>>> x = np.linspace(-2, 2, 60)[:, None]
>>> model = rhc.BayesianLinearModel.fit(x, np.sin(x), features=30)
>>> there = model.predict([[0.5]])
>>> bool(abs(there.mean[0, 0] - np.sin(0.5)) < 1e-2)
True
>>> inside, outside = model.predict([[0.5], [40.0]]).epistemic[:, 0]
>>> bool(outside > inside)
True
>>> model.information([[1.0], [30.0]]) > model.information([[1.0]])
True)")
      .def_static("fit", &fit, nb::arg("inputs"), nb::arg("outputs"), nb::arg("features") = 90,
                  nb::arg("seed") = 1, nb::arg("noise_floor") = 1e-4, nb::arg("caution") = 6.0,
                  nb::arg("region") = nb::none(), nb::arg("starts") = 32, nb::arg("threads") = 1,
                  "The model whose hyperparameters maximise the evidence. `region`: inputs where "
                  "it will be asked, for caution there. threads=0: all.")
      .def("learn", &learn, nb::arg("inputs"), nb::arg("outputs"),
           "Learns more without fitting the hyperparameters again.")
      .def("predict", &predict, nb::arg("inputs"))
      .def("information", &nats, nb::arg("inputs"),
           "Nats by which the entropy of the parameters falls when the outputs there are seen.")
      .def_prop_ro(
          "entropy", [](const Model& m) { return m.regression.parameter_entropy(); },
          "Of all parameters (of standardised outputs), in nats.")
      .def_ro("log_evidence", &Model::log_evidence,
              "Of the data it was fitted to; None where it was not, or has learned more.")
      .def_ro("at_bound", &Model::at_bound, "Hyperparameters whose fit ended at a bound.")
      .def_prop_ro(
          "count", [](const Model& m) { return m.regression.count(); }, "Transitions learned from.")
      .def_prop_ro("inputs", [](const Model& m) { return m.regression.inputs(); })
      .def_prop_ro("outputs", [](const Model& m) { return m.regression.outputs(); })
      .def_prop_ro("features", [](const Model& m) { return m.regression.features(); })
      .def_prop_ro(
          "shared", [](const Model& m) { return m.regression.shared(); },
          "Whether all outputs share one posterior; otherwise each has its own.")
      .def_prop_ro(
          "prior_precision",
          [](const Model& m) -> nb::object {
            if (m.regression.shared())
              return nb::cast(m.regression.groups[0].posterior.prior_precision);
            Vector all(m.regression.outputs());
            for (const OutputGroup& group : m.regression.groups)
              all[group.outputs[0]] = group.posterior.prior_precision;
            return nb::cast(give(all));
          },
          "A number, or one for each output that has its own posterior.")
      .def_prop_ro(
          "bandwidth",
          [](nb::handle self) -> nb::object {
            const Regression& regression = nb::cast<const Model&>(self).regression;
            if (regression.shared())
              return nb::cast(view(regression.groups[0].posterior.features.bandwidth, self));
            Matrix all(regression.inputs(), regression.outputs());
            for (const OutputGroup& group : regression.groups)
              all.col(group.outputs[0]) = group.posterior.features.bandwidth;
            return nb::cast(give(all));
          },
          "(n,), or (D, n) where each output has its own posterior.")
      .def_prop_ro(
          "noise_variance", [](const Model& m) { return give(m.regression.noise_variance()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "weights",
          [](const Model& m) -> nb::object {
            if (m.regression.shared())
              return nb::cast(give(Matrix(m.regression.groups[0].posterior.weights.transpose())));
            nb::list all;
            for (const OutputGroup& group : m.regression.groups)
              all.append(nb::cast(give(Vector(group.posterior.weights.col(0)))));
            return all;
          },
          "(M, D): of standardised outputs; or a list of (M,), one for each output that has its "
          "own "
          "posterior.")
      .def("__repr__", [](const Model& m) {
        return "<rhc.BayesianLinearModel of " + std::to_string(m.regression.features()) +
               " features, " + std::to_string(m.regression.count()) + " transitions>";
      });
}

}  // namespace rhc::python
