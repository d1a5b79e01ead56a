#include "rhc/report/belief_maps.h"

#include <gtest/gtest.h>

#include "rhc/report/compact.h"
#include "tests/small_run.h"

namespace rhc {
namespace {

TEST(BeliefAfter, HasLearnedFromTheEpisodesUntilThen) {
  const TemporaryDirectory dir;
  const RunRecord run = read_run(explored(dir.path() / "run", tiny_config("pendulum", 3)));
  for (const int episode : {1, 3}) {
    const auto belief = belief_after(run, episode);
    ASSERT_TRUE(belief) << episode;
    EXPECT_EQ(belief->regression.count(), 100 * episode);
  }
  EXPECT_FALSE(belief_after(run, 0));
  EXPECT_FALSE(belief_after(run, 4));
}

TEST(BeliefAfter, IsNothingWhereAnEpisodeIsMissing) {
  const TemporaryDirectory dir;
  RunRecord run = read_run(explored(dir.path() / "run", tiny_config("pendulum", 3)));
  run.episodes[1].reset();
  EXPECT_TRUE(belief_after(run, 1));
  EXPECT_FALSE(belief_after(run, 2));
  EXPECT_FALSE(belief_after(run, 3));
  run.episodes.resize(2);
  EXPECT_FALSE(belief_after(run, 3));
}

TEST(MapJson, HasAByteACellFromLowToHigh) {
  Matrix map(2, 2);
  map << -3, 0, 1, 7;
  const Json json = map_json(5, map);
  EXPECT_EQ(json["episode"], 5);
  EXPECT_EQ(json["low"], -3);
  EXPECT_EQ(json["high"], 7);
  const std::string cells = from_base64(json["cells"].get<std::string>());
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_EQ(static_cast<unsigned char>(cells[0]), 0);
  EXPECT_EQ(static_cast<unsigned char>(cells[1]), 77) << "0.3 of 255, rounded";
  EXPECT_EQ(static_cast<unsigned char>(cells[2]), 102);
  EXPECT_EQ(static_cast<unsigned char>(cells[3]), 255);
}

TEST(MapJson, OfOneValueIsFlatAndOfNoneNull) {
  EXPECT_EQ(from_base64(map_json(1, Matrix::Constant(1, 2, 4))["cells"].get<std::string>()),
            std::string(2, '\0'));
  EXPECT_TRUE(map_json(1, Matrix::Constant(1, 2, kInfinity)).is_null());
}

}  // namespace
}  // namespace rhc
