// Trajectories of a noisy pendulum as one dense least-squares problem.
#pragma once

#include <Eigen/QR>
#include <cmath>
#include <vector>

#include "rhc/model/noise_split.h"

namespace rhc {

inline Transitions some_steps(const Transitions& episode, Index first, Index count) {
  return {episode.inputs.middleCols(first, count), episode.outputs.middleCols(first, count)};
}

// Oracle: all states and weights as one vector of unknowns, derivatives by differences, least
// squares by QR.
struct AllUnknowns {
  Regression regression;
  const std::vector<Transitions>& episodes;
  Vector R, Q;

  AllUnknowns(const Regression& of, const std::vector<Transitions>& seen, const NoiseSplit& noise)
      : regression(of), episodes(seen), R(noise.sensor.cwiseAbs2()), Q(noise.process.cwiseAbs2()) {}

  // As a guess of the states.
  Vector measured() const {
    std::vector<double> all;
    for (const Transitions& episode : episodes) {
      const Matrix &inputs = episode.inputs, &outputs = episode.outputs;
      const Index T = inputs.cols();
      for (Index t = 0; t <= T; ++t)
        for (Index i = 0; i < 3; ++i)
          all.push_back(t < T ? inputs(i, t) : inputs(i, T - 1) + outputs(i, T - 1));
    }
    return Eigen::Map<Vector>(all.data(), static_cast<Index>(all.size()));
  }

  Vector residuals(const Vector& states, const Matrix& weights) {
    BayesianLinearModel& model = regression.groups[0].posterior;
    model.weights = weights;
    std::vector<double> all;
    Index at = 0;
    for (const Transitions& episode : episodes) {
      const Matrix &inputs = episode.inputs, &outputs = episode.outputs;
      const Index T = inputs.cols();
      const auto x = Eigen::Map<const Matrix>(states.data() + at, 3, T + 1);
      at += x.size();
      Matrix z = inputs;
      z.topRows(3) = x.leftCols(T);
      const Matrix gap = x.leftCols(T) + regression.predict(z).mean - x.rightCols(T);
      for (Index t = 0; t <= T; ++t)
        for (Index i = 0; i < 3; ++i) {
          const double measured = t < T ? inputs(i, t) : inputs(i, T - 1) + outputs(i, T - 1);
          all.push_back((measured - x(i, t)) / std::sqrt(R[i]));
          if (t < T) all.push_back(gap(i, t) / std::sqrt(Q[i]));
        }
      for (Index t = 1; t <= T; ++t)
        all.push_back((1 - std::hypot(x(0, t), x(1, t))) / std::sqrt(0.01 * (R[0] + R[1])));
    }
    for (Index j = 0; j < 3; ++j)
      for (const double w : weights.col(j))
        all.push_back(w * std::sqrt(model.prior_precision) / model.noise[j]);
    return Eigen::Map<Vector>(all.data(), static_cast<Index>(all.size()));
  }

  // Derivatives of the residuals by the states, and by the weights where both are free.
  Matrix jacobian(const Vector& states, const Matrix& weights, bool both) {
    const Index free = states.size() + (both ? weights.size() : 0);
    const auto moved = [&](Index k, double by) {
      Vector x = states;
      Matrix w = weights;
      (k < x.size() ? x[k] : w.reshaped()[k - x.size()]) += by;
      return residuals(x, w);
    };
    Matrix J(residuals(states, weights).size(), free);
    for (Index k = 0; k < free; ++k) J.col(k) = (moved(k, 1e-6) - moved(k, -1e-6)) / 2e-6;
    return J;
  }

  // The least cost that is found from here, over states alone or over both.
  double least(Vector states, Matrix weights, bool both) {
    double cost = residuals(states, weights).squaredNorm();
    for (int step = 0; step < 15; ++step) {
      const auto moved = [&](const Vector& by) {
        Matrix w = weights;
        if (both) w.reshaped() += by.tail(weights.size());
        return residuals(states + by.head(states.size()), w);
      };
      const Vector here = residuals(states, weights);
      const Matrix J = jacobian(states, weights, both);
      const Vector by = -J.householderQr().solve(here);
      double length = 1;
      while (length > 1e-3 && moved(length * by).squaredNorm() > cost) length /= 2;
      states += length * by.head(states.size());
      if (both) weights.reshaped() += length * by.tail(weights.size());
      cost = residuals(states, weights).squaredNorm();
    }
    return cost;
  }
};

}  // namespace rhc
