// SPDX-License-Identifier: Apache-2.0
#include "report/full_disks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

using ::testing::HasSubstr;

class FullDisks : public ::testing::Test {
 protected:
  FullDisks() {
    pb::ReportVertex& disk = *report_.add_vertices();
    disk.set_name("vda");
    disk.set_kind("disk");
    pb::Finding& finding = *report_.add_findings();
    finding.set_kind("latency");
    finding.set_title("A waits for vda, one request at a time, 90 % of the time.");
    finding.add_members(0);
    finding.add_advice("Let several requests be under way.");
    finding.add_natural_fixes();
    report_.set_verdict(finding.title());
  }
  pb::MachineResource& Add(const std::string& what, double mean, double capacity, double full_s) {
    pb::MachineResource& row = *report_.add_machine();
    row.set_what(what);
    row.set_name("vda");
    row.set_mean(mean);
    row.set_capacity(capacity);
    row.set_capacity_from("option");
    row.set_full_s(full_s);
    row.set_known_s(10);
    return row;
  }
  const pb::Finding& Told() {
    TellFullDisks(report_);
    return report_.findings(0);
  }

  pb::Report report_;
};

TEST_F(FullDisks, AreTheReasonOfWaitsForThem) {
  Add("disk_bytes", 1e6, 500e6, 0);
  Add("disk_operations", 19'700, 20'000, 9);
  const pb::Finding& finding = Told();
  EXPECT_EQ(finding.title(),
            "A waits for vda, one request at a time, 90 % of the time: vda is at its limit of "
            "20,000 operations a second.");
  EXPECT_EQ(report_.verdict(), finding.title());
  EXPECT_THAT(finding.why(0), HasSubstr("19,700 operations a second on average, and 90 %"));
  EXPECT_EQ(finding.advice_size(), 2);
  EXPECT_THAT(finding.advice(0), HasSubstr("less to do"));
  EXPECT_EQ(finding.natural_fixes_size(), 0);
  EXPECT_EQ(finding.capacity().what(), "disk_operations");
}

TEST_F(FullDisks, AreNoReasonWhereTheyAreSeldomFull) {
  Add("disk_operations", 5'000, 20'000, 2);
  EXPECT_FALSE(Told().has_capacity());
}

TEST_F(FullDisks, AreNoReasonByWhatNobodyTold) {
  Add("disk_operations", 19'700, 20'000, 9).set_capacity_from("kernel");
  EXPECT_FALSE(Told().has_capacity());
}

TEST_F(FullDisks, AreNoReasonOfOtherFindings) {
  Add("disk_operations", 19'700, 20'000, 9);
  report_.mutable_vertices(0)->set_kind("thread");
  EXPECT_FALSE(Told().has_capacity());
}

}  // namespace
}  // namespace gordian
