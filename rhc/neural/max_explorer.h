// Model-based active exploration (Shyam, Jaskowski and Gomez 2019): a policy trained inside an
// ensemble of networks to find where they disagree.
#pragma once

#include <memory>

#include "rhc/explore/explorer.h"
#include "rhc/neural/imagination.h"
#include "rhc/system/system.h"

namespace rhc {

struct MaxSettings {
  EnsembleSettings ensemble{};
  ImaginationSettings imagination{};
  SacSettings policy{};
  bool stay_inside = true;  // imagined angles on their circles
  std::string device = "cpu";
  std::uint64_t seed = 1;
};

class MaxExplorer final : public Explorer {
 public:
  MaxExplorer(const System& system, MaxSettings settings);

  // Ensemble and policy are trained from nothing; before the first data actions are random.
  Decision decide(const Question& question) override;
  Vector act(const Vector& observation, int step) override;
  void learn(const Matrix& decided, const Trajectory& seen) override;
  void save(NamedValues& values) const override;
  void restore(const NamedValues& values) override;

 private:
  struct Mind {
    Ensemble ensemble;
    Sac policy;
  };

  NetworkShape shape_of_ensemble() const;
  NetworkShape shape_of_policy() const;

  SystemSpec spec_;
  MaxSettings settings_;
  at::Device device_;
  ImaginedWorld world_;
  Transitions data_;  // all that was seen
  RandomStream actions_;
  std::unique_ptr<Mind> mind_;
};

}  // namespace rhc
