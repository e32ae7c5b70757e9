// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/named_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::HasSubstr;

// A target that asks a stranger, which the first finding is about.
class ProgressOfATarget : public ::testing::Test {
 protected:
  ProgressOfATarget() {
    for (const char* name : {"pool", "store"}) {
      pb::ReportVertex& vertex = *report_.add_vertices();
      vertex.set_id(static_cast<uint32_t>(report_.vertices_size() - 1));
      vertex.set_name(name);
      vertex.set_kind("thread");
      vertex.set_target(vertex.id() == 0);
    }
    report_.add_findings()->add_members(1);
  }
  NamedProgress Progress() const {
    const auto progress = DefaultProgress({.timeline = timeline_,
                                           .report = report_,
                                           .vertex_of_entity = {},
                                           .stacks = stacks_,
                                           .code = code_,
                                           .answers = &answers_});
    EXPECT_TRUE(progress.ok()) << progress.status();
    return *progress;
  }

  Timeline timeline_;
  pb::Report report_;
  StackSums stacks_;
  Code code_;
  TargetAnswers answers_ = {.marks = {{.thread = 0, .time_ns = 7}}, .what = "answers of port 80"};
};

TEST_F(ProgressOfATarget, IsItsAnswersWhereTheFindingIsAboutStrangers) {
  const NamedProgress progress = Progress();
  EXPECT_EQ(progress.what, "answers of port 80");
  ASSERT_EQ(progress.marks.size(), 1u);
  EXPECT_EQ(progress.marks[0].time_ns, 7u);
}

TEST_F(ProgressOfATarget, IsTheFindingsOwnCyclesWhereItIsAboutTheTargetAndAnswersAreFew) {
  report_.mutable_findings(0)->add_members(0);
  EXPECT_THAT(Progress().what, HasSubstr("cycles of "));
}

// Who holds others up goes on as ever when they gain.
TEST_F(ProgressOfATarget, IsItsAnswersWhateverTheFindingIsAbout) {
  report_.mutable_findings(0)->add_members(0);
  answers_.marks.resize(100, {.thread = 0, .time_ns = 7});
  EXPECT_EQ(Progress().what, "answers of port 80");
}

TEST_F(ProgressOfATarget, IsCyclesWhereNoAnswersAreKnown) {
  answers_.marks.clear();
  EXPECT_THAT(Progress().what, HasSubstr("cycles of "));
}

}  // namespace
}  // namespace gordian
