// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <string>

#include "recorder/sources/clock.h"
#include "recorder/sources/fixture_tree.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr uint64_t kSecondNs = 1'000'000'000;
constexpr char kInterfaceTitles[] =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n";

std::string InterfaceLine(const std::string& name, uint64_t received, uint64_t sent) {
  return name + ":" + std::to_string(received) + " 1 0 0 0 0 0 0 " + std::to_string(sent) +
         " 1 0 0 0 0 0 0\n";
}

std::string DiskLine(const std::string& name, uint64_t read_sectors, uint64_t write_sectors,
                     uint64_t busy_ms) {
  // Each operation is of one sector.
  return " 254 0 " + name + " " + std::to_string(read_sectors) + " 0 " +
         std::to_string(read_sectors) + " 1 " + std::to_string(write_sectors) + " 0 " +
         std::to_string(write_sectors) + " 1 0 " + std::to_string(busy_ms) + " 1 0 0 0 0\n";
}

// A machine of files whose counters a test moves between samples.
struct Machine {
  FixtureTree tree;

  Machine() {
    Cpus("cpu0 1 1 1 100 100 0 0 0 0 0\n");
    tree.Write("proc/diskstats", "");
    tree.Write("proc/net/dev", kInterfaceTitles);
    tree.Write("proc/meminfo",
               "MemTotal: 1000 kB\nMemAvailable: 400 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n");
  }
  void Cpus(const std::string& lines) {
    tree.Write("proc/stat", "cpu  7 7 7 700 700 0 0 0 0 0\n" + lines + "intr 5\nctxt 9\n");
  }
  void Disk(const std::string& name, uint64_t size_sectors) {
    tree.Write("sys/block/" + name + "/size", std::to_string(size_sectors) + "\n");
  }
};

// "kind name" → value, of the samples of one block.
std::map<std::string, double> Values(const pb::ResourceBlock& block) {
  std::map<std::string, double> values;
  for (const pb::ResourceSample& sample : block.samples()) {
    const pb::Resource& resource = block.resources(sample.resource());
    values[pb::ResourceKind_Name(resource.kind()).substr(9) + " " + resource.name()] =
        sample.value();
  }
  return values;
}

std::map<std::string, double> ValuesOf(ResourceSampler& sampler, uint64_t now_ns,
                                       const std::string& kind) {
  pb::ResourceBlock block;
  sampler.Sample(now_ns, block);
  std::map<std::string, double> values = Values(block);
  std::erase_if(values, [&](const auto& entry) { return !entry.first.starts_with(kind); });
  return values;
}

TEST(ResourceSampler, TheFirstCallOnlySetsTheStart) {
  Machine machine;
  ResourceSampler sampler(machine.tree.paths());
  pb::ResourceBlock block;
  sampler.Sample(kSecondNs, block);
  EXPECT_EQ(block.samples_size(), 0);
  EXPECT_EQ(sampler.samples_missed(), 0u);
}

TEST(ResourceSampler, ACpuIsBusyWhenItNeitherIdlesNorWaitsForDisks) {
  Machine machine;
  machine.Cpus("cpu0 0 0 0 100 100 0 0 0 0 0\ncpu1 0 0 0 500 0 0 0 0 0 0\n");
  ResourceSampler sampler(machine.tree.paths());
  ValuesOf(sampler, kSecondNs, "CPU");
  // In two seconds cpu0 idles 0.5 s and waits 0.3 s; cpu1 idles throughout.
  machine.Cpus("cpu0 9 9 9 150 130 0 0 0 0 0\ncpu1 0 0 0 700 0 0 0 0 0 0\n");
  EXPECT_THAT(ValuesOf(sampler, 3 * kSecondNs, "CPU"),
              ElementsAre(Pair("CPU cpu0", 0.6e9), Pair("CPU cpu1", 0)));
}

TEST(ResourceSampler, ACpuThatWasSwitchedOffBeginsAnew) {
  Machine machine;
  ResourceSampler sampler(machine.tree.paths());
  machine.Cpus("cpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 5000 0 0 0 0 0 0\n");
  ValuesOf(sampler, 1 * kSecondNs, "CPU");
  machine.Cpus("cpu0 0 0 0 0 0 0 0 0 0 0\n");
  EXPECT_THAT(ValuesOf(sampler, 2 * kSecondNs, "CPU"), ElementsAre(Pair("CPU cpu0", 1e9)));
  machine.Cpus("cpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 10 0 0 0 0 0 0\n");
  EXPECT_THAT(ValuesOf(sampler, 3 * kSecondNs, "CPU"), ElementsAre(Pair("CPU cpu0", 1e9)));
  machine.Cpus("cpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 60 0 0 0 0 0 0\n");
  EXPECT_THAT(ValuesOf(sampler, 4 * kSecondNs, "CPU"),
              ElementsAre(Pair("CPU cpu0", 1e9), Pair("CPU cpu1", 0.5e9)));
  EXPECT_EQ(sampler.samples_missed(), 0u);
}

TEST(ResourceSampler, WholeDisksWithASizeAreFollowedPartitionsAndEmptyOnesAreNot) {
  Machine machine;
  machine.Disk("vda", 1000);
  machine.Disk("loop0", 0);
  machine.tree.Write("proc/diskstats", DiskLine("vda", 0, 0, 0) + DiskLine("vda1", 0, 0, 0) +
                                           DiskLine("loop0", 0, 0, 0));
  ResourceSampler sampler(machine.tree.paths());
  ValuesOf(sampler, 1 * kSecondNs, "DISK");
  machine.tree.Write(
      "proc/diskstats",
      DiskLine("vda", 10, 40, 250) + DiskLine("vda1", 10, 40, 250) + DiskLine("loop0", 0, 0, 0));
  EXPECT_THAT(ValuesOf(sampler, 2 * kSecondNs, "DISK"),
              ElementsAre(Pair("DISK_BUSY vda", 0.25e9), Pair("DISK_OPERATIONS vda", 50),
                          Pair("DISK_READ vda", 5120), Pair("DISK_WRITE vda", 20480)));
  EXPECT_EQ(sampler.samples_missed(), 0u);
}

TEST(ResourceSampler, ALoopDeviceIsFollowedFromItsFirstTransfers) {
  Machine machine;
  machine.Disk("loop0", 0);
  machine.tree.Write("proc/diskstats", DiskLine("loop0", 0, 0, 0));
  ResourceSampler sampler(machine.tree.paths());
  ValuesOf(sampler, 1 * kSecondNs, "DISK");
  machine.Disk("loop0", 800);
  machine.tree.Write("proc/diskstats", DiskLine("loop0", 2, 0, 1));
  EXPECT_TRUE(ValuesOf(sampler, 2 * kSecondNs, "DISK").empty());
  machine.tree.Write("proc/diskstats", DiskLine("loop0", 4, 0, 1));
  EXPECT_EQ(ValuesOf(sampler, 3 * kSecondNs, "DISK").at("DISK_READ loop0"), 1024);
}

TEST(ResourceSampler, TheDisksBusyTimeGoesOnPastItsThirtyTwoBits) {
  Machine machine;
  machine.Disk("vda", 1000);
  machine.tree.Write("proc/diskstats", DiskLine("vda", 0, 0, 4294967196));
  ResourceSampler sampler(machine.tree.paths());
  ValuesOf(sampler, 1 * kSecondNs, "DISK");
  machine.tree.Write("proc/diskstats", DiskLine("vda", 0, 0, 100));
  EXPECT_EQ(ValuesOf(sampler, 2 * kSecondNs, "DISK").at("DISK_BUSY vda"), 0.2e9);
}

TEST(ResourceSampler, CountersThatGoBackGiveNoSampleAndAreCounted) {
  Machine machine;
  machine.Disk("vda", 1000);
  machine.tree.Write("proc/diskstats", DiskLine("vda", 100, 100, 5000));
  machine.tree.Write("proc/net/dev", kInterfaceTitles + InterfaceLine("eth0", 1000, 1000));
  ResourceSampler sampler(machine.tree.paths());
  pb::ResourceBlock block;
  sampler.Sample(1 * kSecondNs, block);
  machine.tree.Write("proc/diskstats", DiskLine("vda", 1, 1, 5));
  machine.tree.Write("proc/net/dev", kInterfaceTitles + InterfaceLine("eth0", 10, 10));
  machine.Cpus("cpu0 0 0 0 0 0 0 0 0 0 0\n");
  sampler.Sample(2 * kSecondNs, block);
  EXPECT_THAT(Values(block), ElementsAre(Pair("MEMORY memory", 600 * 1024)));
  EXPECT_EQ(sampler.samples_missed(), 7u);  // cpu, four of the disk, two of the interface
  sampler.Sample(3 * kSecondNs, block);
  EXPECT_EQ(sampler.samples_missed(), 7u);
  EXPECT_EQ(Values(block).size(), 8u);
}

TEST(ResourceSampler, AnotherDeviceOfTheSameNameBeginsAnew) {
  Machine machine;
  machine.tree.Write("proc/net/dev", kInterfaceTitles + InterfaceLine("veth0", 1000, 1000));
  ResourceSampler sampler(machine.tree.paths());
  ValuesOf(sampler, 1 * kSecondNs, "NET");
  machine.tree.Write("proc/net/dev", kInterfaceTitles);
  EXPECT_TRUE(ValuesOf(sampler, 2 * kSecondNs, "NET").empty());
  machine.tree.Write("proc/net/dev", kInterfaceTitles + InterfaceLine("veth0", 500000, 7));
  EXPECT_TRUE(ValuesOf(sampler, 3 * kSecondNs, "NET").empty());
  machine.tree.Write("proc/net/dev", kInterfaceTitles + InterfaceLine("veth0", 500100, 7));
  EXPECT_THAT(ValuesOf(sampler, 4 * kSecondNs, "NET"),
              ElementsAre(Pair("NET_RECEIVE veth0", 100), Pair("NET_SEND veth0", 0)));
  EXPECT_EQ(sampler.samples_missed(), 0u);
}

TEST(ResourceSampler, ALinksSpeedIsItsCapacityWhereItIsKnown) {
  Machine machine;
  machine.tree.Write("sys/class/net/eth0/speed", "1000\n");
  machine.tree.Write("sys/class/net/eth1/speed", "-1\n");
  machine.tree.Write("sys/class/net/eth2/speed", "4294967295\n");
  machine.tree.Write("proc/net/dev", kInterfaceTitles + InterfaceLine("eth0", 1, 1) +
                                         InterfaceLine("eth1", 1, 1) + InterfaceLine("eth2", 1, 1));
  ResourceSampler sampler(machine.tree.paths());
  pb::ResourceBlock block;
  sampler.Sample(1 * kSecondNs, block);
  sampler.Sample(2 * kSecondNs, block);
  std::map<std::string, double> capacities;
  for (const pb::Resource& resource : block.resources()) {
    if (resource.kind() == pb::RESOURCE_NET_SEND) capacities[resource.name()] = resource.capacity();
  }
  EXPECT_THAT(capacities, ElementsAre(Pair("eth0", 125e6), Pair("eth1", 0), Pair("eth2", 0)));
}

TEST(ResourceSampler, SwapIsToldWhereThereIsSome) {
  Machine machine;
  machine.tree.Write(
      "proc/meminfo",
      "MemTotal: 1000 kB\nMemAvailable: 400 kB\nSwapTotal: 50 kB\nSwapFree: 20 kB\n");
  ResourceSampler sampler(machine.tree.paths());
  pb::ResourceBlock block;
  sampler.Sample(1 * kSecondNs, block);
  sampler.Sample(2 * kSecondNs, block);
  EXPECT_EQ(Values(block).at("SWAP swap"), 30 * 1024);
}

TEST(ResourceSampler, ShortMemoryOfTheMachineIsToldAsThatOfAllGroups) {
  Machine machine;
  const auto write = [&](uint64_t searches, uint64_t pages) {
    machine.tree.Write("proc/vmstat", "nr_free_pages 5\nallocstall_normal " +
                                          std::to_string(searches) +
                                          "\npageoutrun 4\nworkingset_refault_file " +
                                          std::to_string(pages) + "\n");
  };
  write(1, 10);
  ResourceSampler sampler(machine.tree.paths());
  ValuesOf(sampler, 1 * kSecondNs, "CGROUP");
  write(7, 30);
  EXPECT_THAT(ValuesOf(sampler, 3 * kSecondNs, "CGROUP"),
              ElementsAre(Pair("CGROUP_AT_LIMIT /", 3),
                          Pair("CGROUP_READ_AGAIN /", 10.0 * sysconf(_SC_PAGESIZE))));
}

TEST(ResourceSampler, AFileThatCannotBeReadIsMissedAndTheNextSampleSpansTheGap) {
  Machine machine;
  machine.tree.Write("proc/net/dev", kInterfaceTitles + InterfaceLine("eth0", 1000, 1));
  ResourceSampler sampler(machine.tree.paths());
  ValuesOf(sampler, 1 * kSecondNs, "NET");
  machine.tree.Write("proc/meminfo", "no numbers here\n");
  EXPECT_TRUE(ValuesOf(sampler, 2 * kSecondNs, "MEMORY").empty());
  EXPECT_EQ(sampler.samples_missed(), 1u);
  machine.tree.Write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 400 kB\n");
  pb::ResourceBlock block;
  sampler.Sample(4 * kSecondNs, block);
  for (const pb::ResourceSample& sample : block.samples()) {
    const bool memory = block.resources(sample.resource()).kind() == pb::RESOURCE_MEMORY;
    EXPECT_EQ(sample.interval_ns(), (memory ? 3 : 2) * kSecondNs);
  }
}

TEST(ResourceSampler, ABlockNamesEachResourceOnceAndAnEmptiedOneIsNamedAgain) {
  Machine machine;
  ResourceSampler sampler(machine.tree.paths());
  pb::ResourceBlock block;
  for (uint64_t second = 1; second <= 4; ++second) sampler.Sample(second * kSecondNs, block);
  EXPECT_EQ(block.resources_size(), 2);
  EXPECT_EQ(block.samples_size(), 6);
  EXPECT_EQ(block.first_time_ns(), 1 * kSecondNs);
  EXPECT_EQ(block.last_time_ns(), 4 * kSecondNs);
  block.Clear();
  sampler.Sample(5 * kSecondNs, block);
  EXPECT_EQ(block.resources_size(), 2);
  EXPECT_EQ(block.samples(1).resource(), 1u);
  EXPECT_EQ(block.first_time_ns(), 4 * kSecondNs);
}

TEST(ResourceSampler, ACallAtATimeNotAfterTheLastIsMissed) {
  Machine machine;
  ResourceSampler sampler(machine.tree.paths());
  pb::ResourceBlock block;
  sampler.Sample(2 * kSecondNs, block);
  sampler.Sample(2 * kSecondNs, block);
  EXPECT_EQ(block.samples_size(), 0);
  EXPECT_EQ(sampler.samples_missed(), 1u);
}

TEST(ResourceSampler, OnThisMachineEveryCpuAndTheMemoryAreToldWithinTheirCapacity) {
  ResourceSampler sampler(SystemPaths{});
  pb::ResourceBlock block;
  sampler.Sample(MonotonicNowNs(), block);
  sampler.Sample(MonotonicNowNs(), block);
  int cpus = 0;
  bool memory = false;
  for (const pb::ResourceSample& sample : block.samples()) {
    const pb::Resource& resource = block.resources(sample.resource());
    EXPECT_GE(sample.value(), 0) << resource.name();
    const double capacity = resource.capacity();
    EXPECT_TRUE(capacity == 0 || sample.value() <= capacity) << resource.name();
    cpus += resource.kind() == pb::RESOURCE_CPU;
    memory |= resource.kind() == pb::RESOURCE_MEMORY;
  }
  EXPECT_EQ(cpus, sysconf(_SC_NPROCESSORS_ONLN));
  EXPECT_TRUE(memory);
}

}  // namespace
}  // namespace gordian
