#include "rhc/run/told_remarks.h"

#include <gtest/gtest.h>

#include "tests/rig.h"

namespace rhc {
namespace {

using Lines = std::vector<std::string>;

const SystemFile kFile = rig(with(kRig, "range = [-8, 8]", "range = [-8, 8]\nlimits = [-3, 3]"));

// As asked, in every step as expected.
struct Case {
  Case() {
    proposal.forecast = {.mean = told.observations,
                         .deviation = Matrix::Constant(3, 11, 0.1),
                         .actions = told.actions};
  }

  Lines remarks() const { return remarks_on(told, proposal, kFile); }

  Trajectory told{Eigen::Vector3d(-1, 0, 0).replicate(1, 11), Matrix::Constant(1, 10, 0.5)};
  Proposal proposal{
      .episode = 2, .start = Eigen::Vector3d(-1, 0, 0), .actions = Matrix::Constant(1, 10, 0.5)};
};

// The one there is.
std::string only(const Lines& lines) {
  return lines.size() == 1 ? lines[0] : std::to_string(lines.size());
}

TEST(ToldRemarks, AreNoneOfWhatWentAsPlanned) { EXPECT_EQ(Case().remarks(), Lines{}); }

TEST(ToldRemarks, SayWhatIsNotLearnedFromBehindALimit) {
  Case c;
  c.told.observations(2, 4) = 3.5;
  EXPECT_EQ(only(c.remarks()),
            "'thetadot' left its limits [-3, 3] at step 4; 7 of 10 steps, that one and those after "
            "it, are not learned from");
  EXPECT_NE(only(remarks_on(c.told, std::nullopt, kFile)).find("at step 4"), std::string::npos)
      << "also of data that nobody asked for";
}

TEST(ToldRemarks, DoNotComplainOfStepsThatDoNotExist) {
  Case c;
  c.told.observations(2, 10) = -3.5;
  EXPECT_EQ(
      only(c.remarks()),
      "'thetadot' left its limits [-3, 3] at step 10; it ends there, and that step is not learned "
      "from");
}

TEST(ToldRemarks, NameTheActionThatDiffersMostAndItsStep) {
  Case c;
  c.told.actions(0, 3) = 0.25;
  c.told.actions(0, 7) = 0.4;
  EXPECT_NE(only(c.remarks()).find("'torque' at step 3 by 0.25 N m"), std::string::npos);
}

// Without a model nothing is known of what the sensors should have shown.
Lines surprises(const Case& c) {
  return remarks_on_surprise(c.told, c.proposal, {}, nullptr, kFile, "rhc forget lab 2");
}

TEST(ToldRemarks, CallWhatIsMostlyOutsideItsBandASurprise) {
  Case c;
  c.proposal.forecast->mean.row(2).tail(6).setConstant(1);
  EXPECT_EQ(only(surprises(c)),
            "the model did not expect what came of 'thetadot'; it learns from it, and announces "
            "wider bands");
  c.proposal.forecast->mean.row(2).tail(6).setConstant(0.19);
  EXPECT_EQ(surprises(c), Lines{});
}

TEST(ToldRemarks, CompareOnlyWhatWasMeasured) {
  Case c;
  c.told = {c.told.observations.leftCols(5), c.told.actions.leftCols(4)};
  c.proposal.forecast->mean.row(2).segment(5, 6).setConstant(1);
  EXPECT_EQ(surprises(c), Lines{});
}

TEST(AnnouncedAndCame, IsTheShareOfTheStepsInsideTheBandOfEachMeasure) {
  Case c;
  c.proposal.forecast->mean.row(2).tail(3).setConstant(1);
  c.proposal.forecast->mean.row(0).tail(2).setConstant(1);
  EXPECT_EQ(announced_and_came(c.told, *c.proposal.forecast, kFile),
            "theta 90 % inside its 95 % band, thetadot 70 %");
}

TEST(ToldRemarks, TellOfMoreStepsThanWereAskedFor) {
  Case c;
  c.proposal.actions = Matrix::Constant(1, 8, 0.5);
  EXPECT_NE(only(c.remarks()).find("10 steps were measured, and 8 were asked for"),
            std::string::npos);
}

}  // namespace
}  // namespace rhc
