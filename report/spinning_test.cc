// SPDX-License-Identifier: Apache-2.0
#include "report/spinning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/findings/evidence/cpu_advice.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SpinningThreads : public ::testing::Test {
 protected:
  SpinningThreads() {
    report_.mutable_recording()->set_seconds(4);
    report_.mutable_recording()->set_cpus(2);
    for (const bool is_target : {true, true, false}) {
      pb::ReportVertex& vertex = *report_.add_vertices();
      vertex.set_id(static_cast<uint32_t>(report_.vertices_size() - 1));
      vertex.set_target(is_target);
    }
    Add("starvation", "parser is ready to run but gets no CPU for 68 % of the time.");
    report_.mutable_findings(0)->add_advice(kMoreCpus);
    report_.mutable_findings(0)->add_natural_fixes()->set_change("cpus");
    report_.set_verdict(report_.findings(0).title());
    pb::Suggestion& spin = *report_.add_suggestions();
    spin.set_kind("spin");
    spin.set_sure("likely");
    spin.set_seconds(6.4);
    spin.set_vertex(1);
    spin.set_function("Look");
    spin.set_text("10 threads of ingest most likely spin in Look (a.cc:5).");
    suggestions_ = {{.samples = 640, .other_samples = 10}};
  }

  void Add(const std::string& kind, const std::string& title) {
    pb::Finding& finding = *report_.add_findings();
    finding.set_kind(kind);
    finding.set_title(title);
  }

  const pb::Finding& Told() {
    TellSpinning(suggestions_, report_);
    return report_.findings(0);
  }

  std::vector<Suggestion> suggestions_;
  pb::Report report_;
};

TEST_F(SpinningThreads, AreTheReasonWhyOthersGetNoCpu) {
  const pb::Finding& finding = Told();
  EXPECT_EQ(finding.title(),
            "parser is ready to run but gets no CPU for 68 % of the time: threads spin in Look for "
            "80 % of the CPUs' time.");
  EXPECT_EQ(report_.verdict(), finding.title());
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("gordian whatif --function 'Look=0'")));
  EXPECT_THAT(finding.code(), ElementsAre(HasSubstr("spin in Look (a.cc:5)")));
  ASSERT_EQ(finding.natural_fixes_size(), 1);
  EXPECT_EQ(finding.natural_fixes(0).change(), "function");
  EXPECT_EQ(finding.natural_fixes(0).who(), 1);
  EXPECT_EQ(finding.natural_fixes(0).amount(), 0);
}

TEST_F(SpinningThreads, AreNoQuestionIfTheirFunctionDoesOtherWorkToo) {
  suggestions_[0].other_samples = 400;
  const pb::Finding& finding = Told();
  EXPECT_EQ(finding.natural_fixes_size(), 0);
  EXPECT_THAT(finding.no_natural_fix_because(), HasSubstr("spin on more CPUs"));
}

TEST_F(SpinningThreads, AreToldOnceInTheFindingOfCpusThatIsReadFirst) {
  report_.mutable_findings(0)->set_kind("knot");
  Add("sink", "pool is the limit: it is busy 90 % of the time.");
  Add("starvation", "parser gets no CPU.");
  EXPECT_THAT(Told().code(), IsEmpty());
  EXPECT_EQ(report_.findings(1).title(),
            "pool is the limit: it is busy 90 % of the time; threads spin in Look for 80 % of the "
            "CPUs' time.");
  EXPECT_EQ(report_.findings(2).title(), "parser gets no CPU.");
}

TEST_F(SpinningThreads, OfAMinorPartOfTheCpusTimeAreNotTold) {
  report_.mutable_suggestions(0)->set_seconds(1.5);
  EXPECT_THAT(Told().code(), IsEmpty());
  EXPECT_EQ(report_.findings(0).natural_fixes_size(), 1);
}

TEST_F(SpinningThreads, ThatMaySpinOrAreStrangersAreNotTold) {
  report_.mutable_suggestions(0)->set_sure("possible");
  EXPECT_THAT(Told().code(), IsEmpty());
  report_.mutable_suggestions(0)->set_sure("likely");
  report_.mutable_suggestions(0)->set_vertex(2);
  EXPECT_THAT(Told().code(), IsEmpty());
}

}  // namespace
}  // namespace gordian
