#include "rhc/describe/config_file.h"

#include <gtest/gtest.h>

#include "rhc/core/error.h"
#include "rhc/describe/settings.h"
#include "rhc/system/pendulum.h"
#include "tests/temporary_directory.h"

namespace rhc {
namespace {

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

}  // namespace
}  // namespace rhc
