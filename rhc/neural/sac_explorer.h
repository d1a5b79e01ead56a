// Learns while it acts: soft actor-critic, rewarded for what surprises the model or teaches it.
#pragma once

#include <optional>

#include "rhc/explore/bonus.h"
#include "rhc/explore/explorer.h"
#include "rhc/neural/sac.h"
#include "rhc/system/system.h"

namespace rhc {

struct SacExplorerSettings {
  Bonus bonus = Bonus::prediction_error;
  SacSettings sac{};
  int updates = 1;  // a step
  std::string device = "cpu";
  std::uint64_t seed = 1;
};

class SacExplorer final : public Explorer {
 public:
  SacExplorer(const SystemSpec& spec, SacExplorerSettings settings);

  Decision decide(const Question& question) override;
  Vector act(const Vector& observation, int step) override;
  void learn(const Matrix& decided, const Trajectory& seen) override;
  void save(NamedValues& values) const override;
  void restore(const NamedValues& values) override;

 private:
  void remember(BonusMeter& meter, const Vector& observation, const Vector& action,
                const Vector& next);
  void update(int step);
  [[noreturn]] void fail(int step, const std::string& symptom) const;

  SystemSpec spec_;
  SacExplorerSettings settings_;
  at::Device device_;
  Sac sac_;
  int episode_ = 0;
  RandomStream actions_, updates_;
  std::optional<BonusMeter> meter_;
  Vector last_observation_, last_action_;
  // An episode from before there was a model: its worth is known when there is one.
  std::optional<Trajectory> without_worth_;
};

}  // namespace rhc
