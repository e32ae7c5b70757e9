// SPDX-License-Identifier: Apache-2.0
#include "report/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

using ::testing::IsEmpty;

constexpr uint64_t kMs = 1'000'000;

class Machine : public ::testing::Test {
 protected:
  uint32_t Resource(pb::ResourceKind kind, const std::string& name, double capacity) {
    pb::Resource& resource = *block_.add_resources();
    resource.set_kind(kind);
    resource.set_name(name);
    resource.set_capacity(capacity);
    return static_cast<uint32_t>(block_.resources_size() - 1);
  }
  void Sample(uint32_t resource, uint64_t end_ms, double value, uint64_t length_ms = 100) {
    pb::ResourceSample& sample = *block_.add_samples();
    sample.set_resource(resource);
    sample.set_end_time_ns(end_ms * kMs);
    sample.set_interval_ns(length_ms * kMs);
    sample.set_value(value);
  }
  pb::Report Told(const TimeRange& range = {0, 1000 * kMs}) const {
    pb::Report report;
    AddMachine(ReadingsOf({&block_, 1}).all, "db1", range, report);
    return report;
  }

  pb::ResourceBlock block_;
};

TEST_F(Machine, TellsAllCpusTogetherAndForHowLongAllWereBusy) {
  const uint32_t one = Resource(pb::RESOURCE_CPU, "cpu0", 1e9);
  const uint32_t two = Resource(pb::RESOURCE_CPU, "cpu1", 1e9);
  for (const uint64_t end_ms : {100, 200}) Sample(one, end_ms, 1e9);
  Sample(two, 100, 1e9);
  Sample(two, 200, 0.2e9);
  const pb::Report report = Told();
  ASSERT_EQ(report.machine_size(), 1);
  const pb::MachineResource& cpus = report.machine(0);
  EXPECT_EQ(cpus.node(), "db1");
  EXPECT_EQ(cpus.what(), "cpu");
  EXPECT_DOUBLE_EQ(cpus.mean(), 1.6);
  EXPECT_DOUBLE_EQ(cpus.most(), 2);
  EXPECT_DOUBLE_EQ(cpus.capacity(), 2);
  EXPECT_DOUBLE_EQ(cpus.full_s(), 0.1);
  EXPECT_DOUBLE_EQ(cpus.known_s(), 0.2);
}

TEST_F(Machine, WeighsIntervalsByTheirLength) {
  const uint32_t disk = Resource(pb::RESOURCE_DISK_WRITE, "vda", 0);
  Sample(disk, 100, 10e6, 100);
  Sample(disk, 400, 2e6, 300);
  const pb::Report report = Told();
  ASSERT_EQ(report.machine_size(), 1);
  EXPECT_EQ(report.machine(0).name(), "vda");
  EXPECT_DOUBLE_EQ(report.machine(0).mean(), 4e6);
  EXPECT_DOUBLE_EQ(report.machine(0).most(), 10e6);
  EXPECT_EQ(report.machine(0).full_s(), 0) << "nobody knows its capacity";
  EXPECT_EQ(report.machine(0).capacity_from(), "");
  EXPECT_DOUBLE_EQ(report.machine(0).highest_s(), 0.1);
}

TEST_F(Machine, TakesCapacitiesThatAPersonToldBeforeTheKernels) {
  Sample(Resource(pb::RESOURCE_DISK_READ, "vda", 0), 100, 300);
  Sample(Resource(pb::RESOURCE_DISK_WRITE, "vda", 0), 100, 195);
  Sample(Resource(pb::RESOURCE_NET_SEND, "eth0", 1000), 100, 100);
  ToldCapacities told;
  told.disks["vda"].bytes_per_second = 500;
  told.link_bytes_per_second["eth0"] = 100;
  pb::Report report;
  AddMachine(ReadingsOf({&block_, 1}, told).all, "", {0, 1000 * kMs}, report);
  ASSERT_EQ(report.machine_size(), 4);
  const pb::MachineResource& link = report.machine(2);
  EXPECT_EQ(link.what(), "net_send");
  EXPECT_EQ(link.capacity(), 100);
  EXPECT_EQ(link.capacity_from(), "option");
  EXPECT_DOUBLE_EQ(link.full_s(), 0.1);
  const pb::MachineResource& both = report.machine(3);
  EXPECT_EQ(both.what(), "disk_bytes");
  EXPECT_EQ(both.mean(), 495);
  EXPECT_EQ(both.capacity(), 500);
  EXPECT_DOUBLE_EQ(both.full_s(), 0.1);
}

TEST_F(Machine, TellsOnlyOfTheRange) {
  const uint32_t link = Resource(pb::RESOURCE_NET_SEND, "eth0", 1e6);
  Sample(link, 100, 1e6);
  Sample(link, 200, 0);
  Sample(link, 300, 1e6);
  EXPECT_EQ(Told({100 * kMs, 200 * kMs}).machine(0).most(), 0);
  EXPECT_THAT(Told({300 * kMs, 400 * kMs}).machine(), IsEmpty());
}

}  // namespace
}  // namespace gordian
