// An evidence problem as random exploration meets it: writes it as JSON for a peer, with our own
// solution and its CPU time.  evidence_problem SYSTEM EPISODES FEATURES SEED REPEATS
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "rhc/model/maximize_evidence.h"
#include "tests/model/random_exploration.h"

namespace {

nlohmann::json rows(const rhc::Matrix& m) {
  nlohmann::json json = nlohmann::json::array();
  for (rhc::Index i = 0; i < m.rows(); ++i) {
    const rhc::Vector row = m.row(i).transpose();
    json.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return json;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: evidence_problem SYSTEM EPISODES FEATURES SEED REPEATS\n");
    return 2;
  }
  const rhc::System system = rhc::make_system(argv[1]);
  const auto seed = static_cast<std::uint64_t>(std::atoll(argv[4]));
  const rhc::Transitions data = rhc::explore_at_random(system, {}, std::atoi(argv[2]), seed);
  const rhc::FourierFeatures draw = rhc::draw_features(std::atoi(argv[3]), system.spec().inputs(),
                                                       rhc::RandomStream(seed, "features"));
  const rhc::Standardization standardization = rhc::standardization_of(data.outputs);
  const rhc::EvidenceSettings settings{
      .region = rhc::sample_region(system, 64, rhc::RandomStream(0, "region")), .seed = seed};

  std::vector<double> seconds;
  rhc::EvidenceFit fit{};
  for (int i = 0; i < std::max(1, std::atoi(argv[5])); ++i) {
    const double start = cpu_seconds();
    fit = rhc::maximize_evidence(draw, data, standardization, settings);
    seconds.push_back(cpu_seconds() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  fmt::print("{}\n", nlohmann::json{{"P", rows(draw.P)},
                                    {"phase", rows(draw.phase.transpose())[0]},
                                    {"inputs", rows(data.inputs)},
                                    {"outputs", rows(standardization.apply(data.outputs))},
                                    {"region", rows(settings.region)},
                                    {"noise_floor", settings.noise_floor},
                                    {"caution", fit.caution},
                                    {"objective", fit.objective},
                                    {"evaluations", fit.evaluations},
                                    {"seconds", seconds[seconds.size() / 2]}}
                         .dump());
}
