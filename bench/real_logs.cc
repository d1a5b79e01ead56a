// How well models predict a real double pendulum 0.3 s ahead, after logs of the same machine.
//   real_logs FOLDER [acrobot] [pendubot] [key=value ...]   settings as `rhc explore`
// From every seventh row of logs that were not learned from, ten steps of 30 ms with the torques as
// they were: root mean square errors, and the share inside the announced 95 % band. Learned three
// times: with nothing known, with the speeds known to be derivatives of the angles, and with the
// identified physics as nominal model, whose own error comes first.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "rhc/core/error.h"
#include "rhc/core/parallel.h"
#include "rhc/describe/measured.h"
#include "rhc/describe/settings.h"
#include "rhc/describe/system_file.h"
#include "rhc/explore/learner.h"
#include "rhc/format/files.h"

namespace {

using namespace rhc;

constexpr Index kSteps = 10, kEvery = 7;
const std::vector<std::string> kLearned = {"ilqr-perturbed-1", "ilqr-perturbed-2",
                                           "ilqr-perturbed-3", "mcpilco-1",
                                           "mcpilco-2",        "mcpilco-3"};
const std::vector<std::string> kUnseen = {"ilqr-1", "ilqr-perturbed-8", "mcpilco-7"};

SystemFile described(const std::filesystem::path& folder, const std::string& known) {
  const std::filesystem::path file = folder / "double_pendulum.toml";
  std::string text = read_input(file);
  if (known == "derivatives")
    for (const std::string joint : {"1", "2"}) {
      const std::string name = "name = \"w" + joint + "\"\n";
      text.insert(text.find(name), "derivative_of = \"q" + joint + "\"\n");
    }
  if (known == "physics") text += "\n[nominal]\nsystem = \"nominal.toml\"\n";
  return parse_system(text, file.string(), folder);
}

struct Errors {
  Vector squares, inside;
  double points = 0;

  void print(const std::string& name, bool bands) const {
    fmt::print("  {:<16}", name);
    for (const double sum : squares) fmt::print(" {:>6.3f}", std::sqrt(sum / points));
    if (bands) fmt::print("   ");
    for (Index i = 0; bands && i < inside.size(); ++i) fmt::print(" {:.3f}", inside[i] / points);
    fmt::print("\n");
    std::fflush(stdout);
  }
};

// `predict`: from an observation with these actions.
template <class Predict>
Errors judge(const std::vector<Trajectory>& logs, Index outputs, const Predict& predict) {
  Errors errors{Vector::Zero(outputs), Vector::Zero(outputs)};
  for (const Trajectory& log : logs)
    for (Index s = 0; s + kSteps < log.steps(); s += kEvery, ++errors.points) {
      const Vector first = log.observations.col(s), came = log.observations.col(s + kSteps);
      const Forecast expected = predict(first, log.actions.middleCols(s, kSteps));
      const Vector off = (came - expected.mean.col(kSteps)).cwiseAbs();
      errors.squares += off.cwiseAbs2();
      errors.inside.array() +=
          (off.array() <= 1.96 * expected.deviation.col(kSteps).array()).cast<double>();
    }
  return errors;
}

void study(const std::filesystem::path& folder, const std::string& robot,
           const std::vector<std::string>& settings) {
  fmt::print("{}: errors of cos q1, sin q1, cos q2, sin q2, w1, w2, and shares inside\n", robot);
  for (const std::string known : {"physics", "nothing", "derivatives"}) {
    const SystemFile system = described(folder, known);
    const SystemSpec& spec = system.system.spec();
    const auto read = [&](const std::vector<std::string>& names) {
      std::vector<Trajectory> all;
      for (const std::string& log : names)
        all.push_back(
            read_measured(folder / (robot + "-" + log + ".csv"), system, {.resample = true})
                .trajectory);
      return all;
    };
    const std::vector<Trajectory> unseen = read(kUnseen);
    const auto alone = [&](const Vector& first, const Matrix& actions) {
      Forecast result{first.replicate(1, kSteps + 1), Matrix::Zero(first.size(), kSteps + 1),
                      actions};
      for (Index t = 0; spec.known && t < kSteps; ++t)
        result.mean.col(t + 1) =
            result.mean.col(t) + spec.known.change(result.mean.col(t), actions.col(t));
      return result;
    };
    if (known == "nothing") judge(unseen, spec.outputs(), alone).print("nothing moves", false);
    if (known == "physics") judge(unseen, spec.outputs(), alone).print("physics alone", false);

    Config config = preset("default", spec);
    for (const std::string& setting : settings) assign(config, setting);
    Learner learner(config, system.system, hardware_threads());
    std::vector<Transitions> seen;
    for (const Trajectory& log : read(kLearned))
      seen.push_back(transitions_of(log, spec.limits, spec.history));
    learner.learn(concatenate(seen));
    judge(unseen, spec.outputs(), [&](const Vector& first, const Matrix& actions) {
      return forecast_from(*learner.model(), first, actions);
    }).print("known: " + known, true);
    if (known == "derivatives") fmt::print("  of {} transitions\n", learner.transitions());
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc), robots, settings;
  if (words.empty()) {
    fmt::print(stderr, "real_logs FOLDER [acrobot] [pendubot] [key=value ...]\n");
    return 2;
  }
  for (std::size_t i = 1; i < words.size(); ++i)
    (words[i].find('=') == std::string::npos ? robots : settings).push_back(words[i]);
  if (robots.empty()) robots = {"acrobot", "pendubot"};
  try {
    for (const std::string& robot : robots) study(words[0], robot, settings);
  } catch (const InputError& error) {
    fmt::print(stderr, "real_logs: {}\n", error.what());
    return 2;
  }
}
