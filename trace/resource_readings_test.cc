// SPDX-License-Identifier: Apache-2.0
#include "trace/resource_readings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace gordian {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kMs = 1'000'000;

class Readings : public ::testing::Test {
 protected:
  uint32_t Resource(pb::ResourceKind kind, const std::string& name, double capacity = 0) {
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
  ResourceReadings Read() const { return ReadingsOf({&block_, 1}); }

  pb::ResourceBlock block_;
};

TEST_F(Readings, HaveTheUnitsPeopleRead) {
  Sample(Resource(pb::RESOURCE_DISK_BUSY, "vda", 1e9), 300, 0.25e9, 200);
  const ResourceReadings readings = Read();
  ASSERT_THAT(readings.all, SizeIs(1));
  const ResourceReading& disk = readings.all[0];
  EXPECT_STREQ(disk.kind->name, "disk");
  EXPECT_EQ(disk.name, "vda");
  EXPECT_EQ(disk.start_ns, 100 * kMs);
  EXPECT_EQ(disk.end_ns, 300 * kMs);
  EXPECT_DOUBLE_EQ(disk.value, 0.25);
  EXPECT_DOUBLE_EQ(disk.capacity, 1);
}

TEST_F(Readings, OfADiskOfToldRateAreAlsoOfWhatWasReadAndWrittenTogether) {
  const uint32_t read = Resource(pb::RESOURCE_DISK_READ, "vda");
  const uint32_t write = Resource(pb::RESOURCE_DISK_WRITE, "vda");
  const uint32_t operations = Resource(pb::RESOURCE_DISK_OPERATIONS, "vda");
  const uint32_t other = Resource(pb::RESOURCE_DISK_READ, "vdb");
  for (const uint32_t resource : {read, write, operations, other}) Sample(resource, 100, 40);
  Sample(write, 200, 7);
  ToldCapacities told;
  told.disks["vda"] = {.bytes_per_second = 500, .operations_per_second = 50};
  const ResourceReadings readings = ReadingsOf({&block_, 1}, told);
  ASSERT_THAT(readings.all, SizeIs(7));
  EXPECT_EQ(readings.all[2].capacity, 50);
  EXPECT_TRUE(readings.all[2].is_told);
  EXPECT_EQ(readings.all[3].capacity, 0);
  EXPECT_STREQ(readings.all[5].kind->name, "disk_bytes");
  EXPECT_EQ(readings.all[5].value, 80);
  EXPECT_EQ(readings.all[5].capacity, 500);
  EXPECT_EQ(readings.all[6].value, 7);
}

TEST_F(Readings, AddUpTheCpusOfAnInterval) {
  const uint32_t one = Resource(pb::RESOURCE_CPU, "cpu0", 1e9);
  const uint32_t two = Resource(pb::RESOURCE_CPU, "cpu1", 1e9);
  Sample(one, 100, 1e9);
  Sample(two, 100, 0.5e9);
  Sample(two, 200, 0.2e9);
  const ResourceReadings readings = Read();
  ASSERT_THAT(readings.all, SizeIs(2));
  EXPECT_EQ(readings.all[0].name, "");
  EXPECT_DOUBLE_EQ(readings.all[0].value, 1.5);
  EXPECT_DOUBLE_EQ(readings.all[0].capacity, 2);
  EXPECT_DOUBLE_EQ(readings.all[1].value, 0.2);
  EXPECT_DOUBLE_EQ(readings.all[1].capacity, 1) << "the other CPU was not sampled";
}

TEST_F(Readings, CountWhatNoRecorderWrites) {
  const uint32_t disk = Resource(pb::RESOURCE_DISK_WRITE, "vda");
  Sample(disk, 100, -1);
  Sample(disk, 200, 1e300);
  Sample(disk, 300, std::numeric_limits<double>::quiet_NaN());
  Sample(disk, 400, 1, 0);
  Sample(disk, 100, 1, 200);
  Sample(77, 500, 1);
  const ResourceReadings readings = Read();
  EXPECT_THAT(readings.all, IsEmpty());
  EXPECT_EQ(readings.invalid, 6U);
}

TEST_F(Readings, LeaveOutKindsOfNewerRecorders) {
  Sample(Resource(pb::RESOURCE_UNKNOWN, "odd"), 100, 1);
  EXPECT_THAT(Read().all, IsEmpty());
  EXPECT_EQ(Read().invalid, 0U);
}

TEST_F(Readings, TakeNonsenseForNoCapacity) {
  Sample(Resource(pb::RESOURCE_NET_SEND, "eth0", -5), 100, 1);
  ASSERT_THAT(Read().all, SizeIs(1));
  EXPECT_EQ(Read().all[0].capacity, 0);
}

}  // namespace
}  // namespace gordian
