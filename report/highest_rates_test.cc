// SPDX-License-Identifier: Apache-2.0
#include "report/highest_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A finding whose thread A waits for an interface that receives 5 MiB/s at most.
pb::Finding ToldOf(const std::string& interface, double highest_s, double known_s) {
  pb::Report report;
  report.add_vertices()->set_name("A");
  pb::ReportVertex& nic = *report.add_vertices();
  nic.set_name("eth0");
  nic.set_kind("nic");
  pb::Finding& finding = *report.add_findings();
  finding.set_kind("outside");
  finding.add_members(0);
  finding.mutable_edge()->set_to(1);
  pb::MachineResource& row = *report.add_machine();
  row.set_what("net_receive");
  row.set_name(interface);
  row.set_most(5 << 20);
  row.set_highest_s(highest_s);
  row.set_known_s(known_s);
  TellHighestRates(report);
  return report.findings(0);
}

TEST(HighestRates, AreToldWhereThreadsWaitForAnInterfaceThatStaysAtIts) {
  EXPECT_THAT(ToldOf("eth0", 9, 10).why(),
              ElementsAre("eth0 receives 5 MiB/s, its highest rate here, for 90 % of the time. It "
                          "may be full, or the load is steady: with --link eth0=RATE the report "
                          "can tell."));
}

TEST(HighestRates, AreNotToldOfShortRecordingsOrSeldomOnesOrOtherInterfaces) {
  EXPECT_THAT(ToldOf("eth0", 2, 2).why(), IsEmpty());
  EXPECT_THAT(ToldOf("eth0", 3, 10).why(), IsEmpty());
  EXPECT_THAT(ToldOf("eth1", 9, 10).why(), IsEmpty());
}

}  // namespace
}  // namespace gordian
