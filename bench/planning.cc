// How the time of a planning iteration grows, and what entropy costs more than variance.
//   planning            on random models of many sizes; one thread, CPU time
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "rhc/core/random.h"
#include "rhc/plan/mean_dynamics.h"
#include "rhc/plan/objectives.h"
#include "rhc/plan/planner.h"
#include "rhc/plan/task.h"

namespace {

using namespace rhc;

struct Size {
  Index M, T, nx, nu;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// A model that knows the first half of its features well and the others hardly, with gentle
// motion.
PlanningModel random_model(const Size& size) {
  RandomStream randomness(1, "belief");
  const Index n = size.nx + size.nu;
  PlanningModel model{.Q = Matrix(size.M, n),
                      .phase = Vector(size.M),
                      .W = Matrix(size.M, size.nx),
                      .offset = Vector::Zero(size.nx),
                      .doubts = {{0, size.M, static_cast<double>(size.nx), {}}},
                      .angles = {},
                      .outputs = size.nx};
  Matrix& inverse_factor = model.doubts[0].inverse_factor;
  inverse_factor.setZero(size.M, size.M);
  for (Index i = 0; i < size.M; ++i) {
    model.phase[i] = randomness.uniform(-3, 3);
    for (Index j = 0; j < n; ++j)
      model.Q(i, j) = randomness.normal() / std::sqrt(static_cast<double>(n));
    for (Index j = 0; j < size.nx; ++j)
      model.W(i, j) = 0.1 * randomness.normal() / std::sqrt(static_cast<double>(size.M));
    for (Index j = 0; j < i; ++j)
      inverse_factor(i, j) = 0.1 * randomness.normal() / static_cast<double>(size.M);
    inverse_factor(i, i) = i % 2 == 0 ? 1 : 0.01;
  }
  return model;
}

std::unique_ptr<Objective> objective_of(const std::string& name, const PlanningModel& model,
                                        Index T) {
  if (name == "task") {
    const Index nx = model.states(), nu = model.actions();
    return std::make_unique<Task>(
        TaskCost{Vector::Ones(nx), Vector::Ones(nx), Vector::Constant(nu, 0.1)});
  }
  return make_curious_objective(name, model, Vector::Ones(T));
}

// Median over repeats of the time of one iteration, in microseconds.
double iteration_time(const std::string& objective, const Size& size) {
  const PlanningModel model = random_model(size);
  const MeanDynamics dynamics(model, size.T);
  const auto cost = objective_of(objective, model, size.T);
  const Box actions{-Vector::Ones(size.nu), Vector::Ones(size.nu)};
  Shooting shooting(dynamics, *cost, actions, Box::unbounded(size.nx), size.T);
  RandomStream randomness(2, "actions");
  std::vector<double> times;
  for (int repeat = 0; repeat < 5; ++repeat) {
    Matrix start(size.nu, size.T);
    for (Index t = 0; t < size.T; ++t) start.col(t) = 0.3 * randomness.normals(size.nu);
    shooting.begin(Vector::Zero(size.nx), start);
    const double begin = cpu_seconds();
    // Never converged by the tolerance, so that all do the same number of steps.
    shooting.iterate(8, {.tolerance = 0});
    times.push_back((cpu_seconds() - begin) / std::max(1, shooting.iterations()));
  }
  std::sort(times.begin(), times.end());
  return 1e6 * times[2];
}

void grow(const char* what, const std::vector<Size>& sizes,
          const std::function<Index(const Size&)>& varied) {
  const std::vector<std::string> objectives = {"us", "info", "task", "evr"};
  fmt::print("{:>5}", what);
  for (const std::string& name : objectives) fmt::print(" {:>9} {:>6}", name, "power");
  fmt::print("\n");
  std::vector<double> before(objectives.size(), 0);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    fmt::print("{:>5}", varied(sizes[i]));
    for (std::size_t k = 0; k < objectives.size(); ++k) {
      const double time = iteration_time(objectives[k], sizes[i]);
      // The exponent of the growth since the last row.
      const double power =
          i == 0 ? 0
                 : std::log(time / before[k]) / std::log(static_cast<double>(varied(sizes[i])) /
                                                         static_cast<double>(varied(sizes[i - 1])));
      fmt::print(" {:>9.0f} {:>6}", time, i == 0 ? "" : fmt::format("{:.2f}", power));
      before[k] = time;
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Whole plans, all starts.
void entropy_against_variance() {
  fmt::print("whole plans of 16 starts: M, T, seconds by us, by evr, ratio, peak memory so far\n");
  for (const Size& size : {Size{100, 100, 3, 1}, Size{200, 100, 5, 1}, Size{500, 200, 5, 1}}) {
    const PlanningModel model = random_model(size);
    double seconds[2];
    for (const int k : {0, 1}) {
      const std::string name = k == 0 ? "us" : "evr";
      const PlanProblem problem{
          .dynamics = [&] { return std::make_unique<MeanDynamics>(model, size.T); },
          .objective = [&] { return make_curious_objective(name, model, Vector::Ones(size.T)); },
          .first_state = Vector::Zero(size.nx),
          .action_bounds = {-Vector::Ones(size.nu), Vector::Ones(size.nu)},
          .state_bounds = Box::unbounded(size.nx),
          .horizon = size.T};
      const double begin = cpu_seconds();
      plan(problem, {});
      seconds[k] = cpu_seconds() - begin;
    }
    fmt::print("{:>5} {:>5} {:>8.3f} {:>8.3f} {:>6.2f} {:>8.0f} MB\n", size.M, size.T, seconds[0],
               seconds[1], seconds[1] / seconds[0], peak_megabytes());
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  entropy_against_variance();
  fmt::print(
      "\nmicroseconds an iteration (M 100, T 100, nx 5, nu 1 unless varied), and the power "
      "of the growth from row to row\n");
  grow("T", {{100, 50, 5, 1}, {100, 100, 5, 1}, {100, 200, 5, 1}, {100, 400, 5, 1}},
       [](const Size& s) { return s.T; });
  grow("M",
       {{50, 100, 5, 1}, {100, 100, 5, 1}, {200, 100, 5, 1}, {500, 100, 5, 1}, {1000, 100, 5, 1}},
       [](const Size& s) { return s.M; });
  grow("nx", {{100, 100, 3, 1}, {100, 100, 6, 1}, {100, 100, 12, 1}, {100, 100, 20, 1}},
       [](const Size& s) { return s.nx; });
  grow("nu", {{100, 100, 5, 1}, {100, 100, 5, 2}, {100, 100, 5, 4}, {100, 100, 5, 6}},
       [](const Size& s) { return s.nu; });
}
