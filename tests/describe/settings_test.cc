#include "rhc/describe/settings.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/describe/config_file.h"
#include "rhc/system/pendulum.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

TEST(Assign, SetsOneSetting) {
  Config config;
  assign(config, "features=90");
  assign(config, "noise_floor = 1e-3");
  assign(config, "observation_noise=[0.1, 0.2,0.3]");
  assign(config, "bandwidth=mean-distance");
  EXPECT_EQ(config.model.features, 90);
  EXPECT_EQ(config.model.noise_floor, 1e-3);
  EXPECT_EQ(config.noise.observation, (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(config.model.bandwidth, BandwidthRule::mean_distance);
}

TEST(Assign, SuggestsTheNearestKey) {
  Config config;
  const std::string message = message_of<InputError>([&] { assign(config, "noisefloor=1"); });
  EXPECT_TRUE(message.starts_with("unknown setting 'noisefloor'; did you mean 'noise_floor'?"))
      << message;
}

TEST(Assign, RefusesValuesOutOfRangeAndKeepsTheOldOnes) {
  Config config;
  EXPECT_EQ(message_of<InputError>([&] { assign(config, "features=-1"); }),
            "setting 'features' cannot be '-1'; expected: whole number from 0 to 20000");
  for (const char* bad :
       {"features=1.5", "features=", "noise_floor=0", "noise_floor=nan", "seed=-1",
        "observation_noise=[-1]", "observation_noise=[1", "bandwidth=wide", "episodes"})
    EXPECT_NE(message_of<InputError>([&] { assign(config, bad); }), "") << bad;
  EXPECT_EQ(config_toml(config), config_toml(Config{}));
}

TEST(Assign, TakesWidthsOfLayersAsAList) {
  Config config;
  assign(config, "sac_hidden=[32, 16]");
  EXPECT_EQ(config.sac.hidden, (std::vector<Index>{32, 16}));
  assign(config, "sac_hidden", "8,4,2");
  EXPECT_EQ(config.sac.hidden, (std::vector<Index>{8, 4, 2}));
  for (const char* value : {"[]", "[0]", "[64, -1]", "[1.5]", "[64 64]", "[9000]", "wide"})
    EXPECT_THROW(assign(config, "sac_hidden", value), InputError) << value;
  EXPECT_EQ(config.sac.hidden, (std::vector<Index>{8, 4, 2}));
}

TEST(GivenSettings, MayBeRepeatedButNotContradicted) {
  Config config;
  assign(config, std::vector{GivenSetting{"--seed 7", "seed", "7"}, given_setting("features=90"),
                             given_setting("seed = 07")});
  EXPECT_EQ(config.seed, 7u);
  EXPECT_EQ(config.model.features, 90);
  EXPECT_EQ(
      message_of<InputError>([&] {
        assign(config, std::vector{GivenSetting{"--seed 7", "seed", "7"}, given_setting("seed=8")});
      }),
      "`--seed 7` and `seed=8` give 'seed' different values; leave one of them out");
}

TEST(GivenSettings, AreNotComparedWithWhatStoodThere) {
  Config config;
  config.seed = 3;
  assign(config, std::vector{given_setting("seed=4")});
  EXPECT_EQ(config.seed, 4u);
}

}  // namespace
}  // namespace rhc
