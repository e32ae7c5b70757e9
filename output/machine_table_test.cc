// SPDX-License-Identifier: Apache-2.0
#include "output/machine_table.h"

#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

class MachineTableOf : public ::testing::Test {
 protected:
  pb::MachineResource& Add(const std::string& what, const std::string& name,
                           const std::string& unit, double mean, double most) {
    pb::MachineResource& row = *report_.add_machine();
    row.set_what(what);
    row.set_name(name);
    row.set_unit(unit);
    row.set_mean(mean);
    row.set_most(most);
    row.set_known_s(10);
    return row;
  }
  static void Capacity(double capacity, const std::string& from, double full_s,
                       pb::MachineResource& row) {
    row.set_capacity(capacity);
    row.set_capacity_from(from);
    row.set_full_s(full_s);
  }

  pb::Report report_;
};

TEST_F(MachineTableOf, ResourcesTellsUseMostCapacityAndForHowLongTheyWereFull) {
  Capacity(2, "kernel", 4, Add("cpu", "", "cores", 1.6, 2));
  Capacity(1 << 20, "option", 3, Add("disk_bytes", "vda", "B/s", 1 << 19, 1 << 20));
  Add("net_send", "eth0", "B/s", 512, 1 << 10).set_highest_s(0.5);
  Add("pressure", "memory/some", "", 0.25, 0.5);
  EXPECT_EQ(MachineTable(report_),
            "resource                    use     most                capacity  at capacity\n"
            "cpu                   1.6 cores  2 cores                 2 cores          4 s\n"
            "disk_bytes vda        512 KiB/s  1 MiB/s       1 MiB/s (as told)          3 s\n"
            "net_send eth0           512 B/s  1 KiB/s  1 KiB/s (highest seen)       500 ms\n"
            "pressure memory/some       25 %     50 %\n");
}

TEST_F(MachineTableOf, NothingUsedIsEmpty) {
  Add("disk", "vda", "disks", 0, 0);
  Add("softirq", "cpu0/rcu", "cores", 0.001, 0.002);
  EXPECT_EQ(MachineTable(report_), "");
}

}  // namespace
}  // namespace gordian
