// SPDX-License-Identifier: Apache-2.0
#include "output/machine_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MachineText : public ::testing::Test {
 protected:
  pb::MachineResource& Add(const std::string& what, const std::string& name, double mean,
                           double capacity = 0) {
    pb::MachineResource& row = *report_.add_machine();
    row.set_node(node_);
    row.set_what(what);
    row.set_name(name);
    row.set_mean(mean);
    row.set_most(mean);
    row.set_capacity(capacity);
    row.set_known_s(10);
    return row;
  }
  std::string Text() const {
    TextPage page({.width = 200});
    AddMachineText(report_, page);
    return page.Take();
  }

  pb::Report report_;
  std::string node_ = "db1";
};

TEST_F(MachineText, IsEmptyWithoutSamples) { EXPECT_EQ(Text(), ""); }

TEST_F(MachineText, AlwaysTellsOfTheCpus) {
  Add("cpu", "", 1.6, 2).set_full_s(3.4);
  EXPECT_THAT(Text(),
              HasSubstr("CPUs: 1.6 of 2 used on average, all of them for 34 % of the time"));
}

TEST_F(MachineText, TellsOfDisksAndInterfacesThatWereUsed) {
  Add("cpu", "", 0.1, 2);
  Add("disk", "vda", 0.43);
  Add("disk_read", "vda", 0);
  Add("disk_write", "vda", 12 << 20);
  Add("disk", "vdb", 0.01);
  Add("net_receive", "eth0", 12 << 20, 125e6).set_full_s(6);
  Add("net_send", "eth0", 1 << 20, 125e6);
  Add("net_receive", "lo", 10);
  Add("net_send", "lo", 10);
  EXPECT_THAT(Text(), HasSubstr("disk vda: busy 43 % of the time, 0 B/s read, 12 MiB/s written"));
  EXPECT_THAT(Text(), HasSubstr("eth0: 12 MiB/s in, 1 MiB/s out of 119.2 MiB/s each, full inwards "
                                "for 60 % of the time"));
  EXPECT_THAT(Text(), Not(HasSubstr("vdb")));
  EXPECT_THAT(Text(), Not(HasSubstr("lo:")));
}

TEST_F(MachineText, TellsOfMemoryAndInterruptsOnlyIfTheyAreMuch) {
  Add("memory", "memory", 3.9e9, 4e9);
  Add("swap", "swap", 1e6, 1e9);
  Add("softirq", "cpu3/net_rx", 0.7, 1);
  Add("hardirq", "cpu0/virtio", 0.01, 1);
  EXPECT_THAT(Text(), HasSubstr("memory: 3.6 GiB of 3.7 GiB in use at most"));
  EXPECT_THAT(Text(), HasSubstr("CPU 3: 70 % of its time in softirq net_rx"));
  EXPECT_THAT(Text(), Not(HasSubstr("swap")));
  EXPECT_THAT(Text(), Not(HasSubstr("hardirq")));
}

TEST_F(MachineText, TellsOfMemoryThatIsWaitedFor) {
  Add("pressure", "memory/some", 0.3);
  Add("pressure", "memory/full", 0.1);
  Add("pressure", "io/some", 0.9);
  EXPECT_THAT(Text(), HasSubstr("memory pressure: threads wait for memory 30 % of the time, and "
                                "nothing else runs 10 %"));
  EXPECT_THAT(Text(), Not(HasSubstr("io")));
}

TEST_F(MachineText, TellsOfQuotasThatHoldBack) {
  Add("cpu_throttled", "/pod", 1.58, 0.4);
  EXPECT_THAT(Text(), HasSubstr("cgroup /pod: its quota of 0.4 CPUs holds back 1.6 CPUs' work"));
}

TEST_F(MachineText, TellsOfMemoryLimitsThatWereMet) {
  Add("cgroup_memory", "/pod", 60 << 20, 64 << 20);
  Add("cgroup_at_limit", "/pod", 120);
  Add("cgroup_read_again", "/pod", 2 << 20);
  Add("cgroup_out_of_memory", "/pod", 0.1);
  Add("cgroup_memory", "/roomy", 60 << 20, 64 << 20);
  Add("cgroup_at_limit", "/roomy", 0);
  Add("cgroup_at_limit", "/", 3);
  Add("cgroup_read_again", "/", 100);
  EXPECT_THAT(Text(), HasSubstr("cgroup /pod: met its memory limit of 64 MiB 1,200 times, and read "
                                "again 20 MiB, 1 kill for want of it"));
  EXPECT_THAT(Text(), Not(HasSubstr("roomy")));
  EXPECT_THAT(Text(), Not(HasSubstr("free memory")));
}

TEST_F(MachineText, TellsOfConnectionsAndFilesThatMeetTheirLimits) {
  Add("accept_queue", "0.0.0.0:80", 128, 128).set_full_s(9);
  Add("accept_overflows", "tcp", 2);
  Add("connection_table", "nf_conntrack", 900, 1000);
  Add("open_files", "server 7", 250, 256);
  Add("open_files", "machine", 250, 100'000);
  EXPECT_THAT(Text(),
              HasSubstr("accept queue of 0.0.0.0:80 (backlog 128): full for 90 % of the time"));
  EXPECT_THAT(Text(), HasSubstr("full accept queues turned connections away 20 times"));
  EXPECT_THAT(Text(), HasSubstr("tracked connections: 900 of 1000 at most"));
  EXPECT_THAT(Text(), HasSubstr("open files of server 7: 250 of 256 at most"));
  EXPECT_THAT(Text(), Not(HasSubstr("the machine")));
}

TEST_F(MachineText, TellsOfToldCapacitiesOfDisksAndOfRatesThatStayAtTheirHighest) {
  Add("disk", "vda", 0.9);
  Add("disk_operations", "vda", 990, 1000).set_full_s(8);
  Add("net_receive", "veth0", 5 << 20).set_highest_s(9);
  Add("net_send", "veth0", 10);
  EXPECT_THAT(Text(), HasSubstr("disk vda: busy 90 % of the time, 990 of 1000 operations a second, "
                                "full for 80 % of the time"));
  EXPECT_THAT(Text(), HasSubstr("veth0: 5 MiB/s in, 10 B/s out, inwards at its highest rate for "
                                "90 % of the time"));
}

TEST_F(MachineText, NamesNodesWhereThereAreSeveral) {
  Add("cpu", "", 1, 2);
  node_ = "db2";
  Add("cpu", "", 2, 4);
  EXPECT_THAT(Text(), HasSubstr("db1       CPUs: 1 of 2"));
  EXPECT_THAT(Text(), HasSubstr("db2       CPUs: 2 of 4"));
}

}  // namespace
}  // namespace gordian
