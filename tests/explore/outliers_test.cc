// What does not belong to the motion: a wall, a knock, a glitch of a sensor.
#include <gtest/gtest.h>

#include <functional>

#include "rhc/explore/campaign.h"
#include "rhc/plan/signals.h"
#include "rhc/system/registry.h"
#include "tests/repeats.h"

namespace rhc {
namespace {

constexpr int kEpisodes = 10;

Config config_with_outliers(const System& system, bool outliers) {
  Config config = preset("default", system.spec());
  config.model.evidence_starts = 8;
  config.model.forecast_features = 60;
  config.model.outliers = outliers;
  return config;
}

// Ten episodes of held actions; in the sixth, after 40 steps, something happens.
std::vector<Trajectory> episodes_of(const System& system, double noise, std::uint64_t seed,
                                    const std::function<Vector(const Vector&)>& knock,
                                    double glitch) {
  const SystemSpec& spec = system.spec();
  const Matrix region = sample_region(system, 1000, RandomStream(0, "scale"));
  const Vector scale = standardization_of(region.topRows(spec.outputs())).scale;
  std::vector<Trajectory> all;
  for (int e = 0; e < kEpisodes; ++e) {
    const RandomStream actions(seed, "actions", static_cast<std::uint64_t>(e));
    RandomStream noises(seed, "noise", static_cast<std::uint64_t>(e));
    Trajectory seen{Matrix(spec.outputs(), spec.horizon + 1),
                    held_signal(spec.action_bounds, spec.horizon, 10, actions)};
    Vector state = spec.start;
    for (Index t = 0; t <= spec.horizon; ++t) {
      if (e == 5 && t == 40 && knock) state = knock(state);
      seen.observations.col(t) = system.observe(state);
      for (Index i = 0; i < spec.outputs(); ++i)
        seen.observations(i, t) += noise * scale[i] * noises.normal();
      if (e == 5 && t == 40) seen.observations(spec.outputs() - 1, t) += glitch * scale.tail(1)[0];
      if (t < spec.horizon) state = system.step(state, seen.actions.col(t));
    }
    all.push_back(seen);
  }
  return all;
}

struct Learned {
  double error;  // of the changes of clean transitions elsewhere, in their standard deviations
  std::vector<std::string> remarks{};
  Vector weights{};
};

Learned learned_from(const System& system, const std::vector<Trajectory>& episodes, bool outliers) {
  Campaign campaign(config_with_outliers(system, outliers), system, 2, Campaign::Role::replays);
  Learned learned{};
  int episode = 0;
  for (const Trajectory& seen : episodes) {
    campaign.learn({.episode = ++episode}, seen);
    for (const std::string& remark : campaign.remarks())
      if (remark.find("noise does not explain") != std::string::npos)
        learned.remarks.push_back(remark);
  }
  std::vector<Transitions> unseen;
  for (const Trajectory& seen : episodes_of(system, 0, 77, {}, 0))
    unseen.push_back(transitions_of(seen, system.spec().limits));
  const Transitions all = concatenate(unseen);
  const Vector scale = standardization_of(all.outputs).scale;
  const Matrix off = scale.cwiseInverse().asDiagonal() *
                     (campaign.model()->regression.predict(all.inputs).mean - all.outputs);
  learned.error = std::sqrt(off.squaredNorm() / static_cast<double>(off.size()));
  return learned;
}

Vector stopped(const Vector& state) {
  Vector after = state;
  after.tail(1) *= -0.5;
  after.tail(1).array() -= after.tail(1)[0] > 0 ? -0.02 : 0.02;
  return after;
}

TEST(Outliers, OfAWallThatWasHitOnceLeaveTheErrorElsewhereAsItIs) {
  for (const std::string name : {"mountain-car", "pendulum"})
    for (const double noise : {0.0, 0.005})
      for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(repeats(1, 5)); ++seed) {
        const System system = make_system(name);
        const Learned clean = learned_from(system, episodes_of(system, noise, seed, {}, 0), true);
        const Learned hit =
            learned_from(system, episodes_of(system, noise, seed, stopped, 0), true);
        EXPECT_LT(hit.error, 2 * clean.error) << name << ", noise " << noise << ", seed " << seed;
        EXPECT_TRUE(clean.remarks.empty()) << name << ": " << clean.remarks[0];
      }
}

TEST(Outliers, OfASensorLeaveTheErrorElsewhereAsItIsAndAreTold) {
  const System system = make_system("pendulum");
  const std::vector<Trajectory> episodes = episodes_of(system, 0, 3, {}, 5);
  const Learned clean = learned_from(system, episodes_of(system, 0, 3, {}, 0), true);
  const Learned aside = learned_from(system, episodes, true);
  const Learned counted = learned_from(system, episodes, false);
  EXPECT_LT(aside.error, 2 * clean.error);
  EXPECT_GT(counted.error, 5 * clean.error);
  ASSERT_EQ(aside.remarks.size(), 1u) << aside.remarks[0] << "\n" << aside.remarks.back();
  EXPECT_NE(aside.remarks[0].find("noise does not explain 2 of 100 transitions"), std::string::npos)
      << aside.remarks[0];
  EXPECT_NE(aside.remarks[0].find("in step 4"), std::string::npos) << aside.remarks[0];
  EXPECT_TRUE(counted.remarks.empty());
}

TEST(Outliers, AreRememberedByACampaignThatGoesOn) {
  const System system = make_system("pendulum");
  const std::vector<Trajectory> episodes = episodes_of(system, 0, 3, {}, 5);
  Campaign campaign(config_with_outliers(system, true), system, 2, Campaign::Role::replays);
  std::vector<Transitions> data;
  for (std::size_t e = 0; e < 7; ++e) {
    campaign.learn({.episode = static_cast<int>(e) + 1}, episodes[e]);
    data.push_back(transitions_of(episodes[e], system.spec().limits));
  }
  Campaign restored(config_with_outliers(system, true), system, 2, Campaign::Role::replays);
  restored.restore(campaign.save(), data, {});
  const Matrix actions = episodes[8].actions;
  const Vector first = episodes[8].observations.col(0);
  EXPECT_EQ(forecast_from(*restored.model(), first, actions).deviation,
            forecast_from(*campaign.model(), first, actions).deviation);
  campaign.learn({.episode = 8}, episodes[7]);
  restored.learn({.episode = 8}, episodes[7]);
  EXPECT_EQ(restored.model()->regression.groups[0].posterior.weights,
            campaign.model()->regression.groups[0].posterior.weights);
}

}  // namespace
}  // namespace rhc
