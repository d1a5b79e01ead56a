#include "rhc/io/config.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
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
  EXPECT_EQ(config.features, 90);
  EXPECT_EQ(config.noise_floor, 1e-3);
  EXPECT_EQ(config.observation_noise, (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(config.bandwidth, BandwidthRule::mean_distance);
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
  EXPECT_EQ(config.sac_hidden, (std::vector<Index>{32, 16}));
  assign(config, "sac_hidden", "8,4,2");
  EXPECT_EQ(config.sac_hidden, (std::vector<Index>{8, 4, 2}));
  for (const char* value : {"[]", "[0]", "[64, -1]", "[1.5]", "[64 64]", "[9000]", "wide"})
    EXPECT_THROW(assign(config, "sac_hidden", value), InputError) << value;
  EXPECT_EQ(config.sac_hidden, (std::vector<Index>{8, 4, 2}));
}

TEST(ConfigToml, ReadsBackToTheSameConfig) {
  const TemporaryDirectory dir;
  Config config;
  for (const char* change : {"system=cartpole", "seed=9223372036854775807", "features=123",
                             "observation_noise=0.01,2e-17,3", "bandwidth=mean-distance",
                             "noise_floor=0.00031", "test_steps=3", "caution=0"})
    assign(config, change);
  const std::string text = config_toml(config);
  Config back;
  read_config(back, dir.write("c.toml", text));
  EXPECT_EQ(config_toml(back), text);
  EXPECT_EQ(back.seed, 9223372036854775807u);
}

TEST(ConfigToml, ExplainsEverySetting) {
  const std::string text = config_toml(Config{});
  for (const Setting& setting : settings()) {
    EXPECT_NE(text.find("# " + setting.help), std::string::npos) << setting.key;
    EXPECT_NE(text.find("\n" + setting.key + " = "), std::string::npos);
    EXPECT_FALSE(setting.range.empty()) << setting.key;
  }
}

TEST(ReadConfig, NamesFileLineAndColumn) {
  const TemporaryDirectory dir;
  Config config;
  const std::string unknown = dir.write("u.toml", "seed = 3\nfeaturs = 9\n");
  EXPECT_TRUE(
      message_of<InputError>([&] {
        read_config(config, unknown);
      }).starts_with(unknown + ":2:11: unknown setting 'featurs'; did you mean 'features'?"));
  const std::string broken = dir.write("b.toml", "seed = = 3\n");
  EXPECT_TRUE(
      message_of<InputError>([&] { read_config(config, broken); }).starts_with(broken + ":1:8: "));
  EXPECT_NE(message_of<InputError>([&] { read_config(config, dir.path() / "none.toml"); }), "");
  const std::string typed = dir.write("t.toml", "features = true\n");
  EXPECT_NE(message_of<InputError>([&] { read_config(config, typed); }), "");
}

TEST(NoiseLevels, AreExpandedToTheSystem) {
  const SystemSpec spec = Pendulum{}.spec();
  Config config;
  EXPECT_EQ(noise_levels(config, spec).observation.size(), 0);
  config.observation_noise = {0.5};
  EXPECT_EQ(noise_levels(config, spec).observation, Vector::Constant(3, 0.5));
  config.process_noise = {0.1, 0.2};
  EXPECT_EQ(noise_levels(config, spec).process, Eigen::Vector2d(0.1, 0.2));
  config.process_noise = {0.1, 0.2, 0.3};
  EXPECT_EQ(message_of<InputError>([&] { noise_levels(config, spec); }),
            "setting 'process_noise' has 3 entries; pendulum has 2 (theta, thetadot)");
}

}  // namespace
}  // namespace rhc
